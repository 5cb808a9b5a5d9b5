/** Quotes text from others, such as an issue, so that the text cannot end its quotation. Pure. */
import { MARKDOWN } from '../../contract/control-characters.ts'
import { digest } from '../../kit/digest.ts'
import { encodeUtf8 } from '../../kit/utf8.ts'

const MARK_CHARACTERS = 16

/** Only a line with the mark ends the quotation, and the text does not contain the mark. */
export function quoteData(text: string): string {
  const mark = markFor(text)
  return `<<<data ${mark}\n${text}\n>>>data ${mark}`
}

/** The digest of the text gives a mark that its author could not know. */
function markFor(text: string): string {
  for (let attempt = 0; ; attempt++) {
    const mark = digest(encodeUtf8(`${attempt} ${text.toWellFormed()}`)).slice(
      'sha256:'.length,
      'sha256:'.length + MARK_CHARACTERS,
    )
    if (!text.includes(mark)) return mark
  }
}

const CONTROLS = new RegExp(`[${MARKDOWN.controls}]`, 'g')

/** A text as messages allow it: without control characters except tabs and line endings. */
export function cleanText(text: string): string {
  return text.toWellFormed().replace(CONTROLS, ' ')
}
