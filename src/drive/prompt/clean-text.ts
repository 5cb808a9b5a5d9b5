import { MARKDOWN } from '../../contract/control-characters.ts'

const CONTROLS = new RegExp(`[${MARKDOWN.controls}]`, 'g')

/** A text as messages allow it: without control characters except tabs and line endings. */
export function cleanText(text: string): string {
  return text.toWellFormed().replace(CONTROLS, ' ')
}
