/** The first heading of a Markdown text, which may be marked with `#` or underlined. Pure. */
import { FencedCode } from './fenced-code.ts'
import { isBlank, linesOf } from './text-lines.ts'

const HEADING = /^ {0,3}#{1,6}(?=[ \t]|$)/
/** A run of `#` at the end belongs to the mark only behind white space: `# C#` is about C#. */
const CLOSING = /[ \t]#+$/
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/
const BREAK = /^ {0,3}([-_*])[ \t]*(?:\1[ \t]*){2,}$/
/** What begins a quote, a list item or HTML, in which no line is a paragraph of the text itself. */
const OTHER_BLOCK = /^ {0,3}(?:>|<|(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$))/
const INDENTED_CODE = /^(?: {4}| {0,3}\t)/

/** Its words without marks, which may be none; undefined if there is no heading. */
export function firstHeading(text: string): string | undefined {
  const code = new FencedCode()
  let paragraph: string[] = []
  let isInOther = false
  for (const { text: raw } of linesOf(text)) {
    // For the text around it, code is a gap like a blank line.
    const line = code.read(raw) === 'outside' ? raw : ''
    const heading = headingAt(line, paragraph)
    if (heading !== undefined) return heading
    const isGap = isBlank(line) || BREAK.test(line)
    isInOther = !isGap && (isInOther || OTHER_BLOCK.test(line))
    if (isGap || isInOther) paragraph = []
    else if (paragraph.length > 0 || !INDENTED_CODE.test(line)) paragraph.push(line.trim())
  }
  return undefined
}

function headingAt(line: string, paragraph: readonly string[]): string | undefined {
  const mark = HEADING.exec(line)
  if (mark !== null) return line.slice(mark[0].length).trimEnd().replace(CLOSING, '').trim()
  return paragraph.length > 0 && UNDERLINE.test(line) ? paragraph.join(' ') : undefined
}
