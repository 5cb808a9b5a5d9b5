/**
 * Reads the body of an issue that is a change. Its first non-blank line is the level marker, the next one opens the
 * manifest, a fenced block of JSON:
 *
 *     <!-- drover-level: change/v2 -->
 *     ```drover-manifest
 *     {"manifest_version": 2, …}
 *     ```
 *
 * Any text may follow. A second marker or manifest is allowed only as an example in fenced code.
 */
import { excerpt, type Rejection, reject } from './classification.ts'
import { findFencedCode, PARSER_LIMITS } from './markdown.ts'
import type { ManifestText } from './read-manifest.ts'
import { isBlank, type Line, linesOf } from './text-lines.ts'

export const LEVEL_MARKER = '<!-- drover-level: change/v2 -->'
export const MANIFEST_OPENING = '```drover-manifest'
export const MANIFEST_END = '```'
const ANY_MARKER = '<!-- drover-level:'
const NOT_PARSED = `; examples in code are allowed only if the text below the manifest has at most ${PARSER_LIMITS.characters} characters, ${PARSER_LIMITS.lines} lines and ${PARSER_LIMITS.nesting} nested quotes or lists`

/** The text of the manifest, or a rejection. Line endings must be normalized. */
export function readBody(body: string): (ManifestText & { is: 'found' }) | Rejection {
  const lines = linesOf(body)
  const rejection = checkMarker(takeUntil(lines, hasText))
  if (rejection !== undefined) return rejection
  const opening = takeUntil(lines, hasText)
  if (opening?.text !== MANIFEST_OPENING) {
    const found = opening === undefined ? 'there is nothing' : `line ${opening.number} is ${excerpt(opening.text)}`
    return invalid(`the level marker must be followed by ${MANIFEST_OPENING}, but ${found}`)
  }
  const closing = takeUntil(lines, ({ text }) => text === MANIFEST_END)
  if (closing === undefined) {
    return invalid(`the manifest that line ${opening.number} opens is not closed by a line with ${MANIFEST_END} alone`)
  }
  const text = body.slice(opening.end + 1, closing.end - MANIFEST_END.length - 1)
  const misplaced = mayHoldSecond(body, closing.end) ? checkTextBelow(body, closing) : undefined
  return misplaced ?? { is: 'found', text, lineAbove: opening.number }
}

/** Consumes lines up to the first match. A `for` loop would close the iterator, which the caller continues. */
function takeUntil(lines: Iterator<Line, void>, fits: (line: Line) => boolean): Line | undefined {
  for (;;) {
    const { value } = lines.next()
    if (value === undefined || fits(value)) return value ?? undefined
  }
}

function hasText({ text }: Line): boolean {
  return !isBlank(text)
}

function checkMarker(line: Line | undefined): Rejection | undefined {
  if (line === undefined) {
    return reject('change_marker_required', `the body is empty; its first line must be ${LEVEL_MARKER}`)
  }
  const { text, number } = line
  if (text === LEVEL_MARKER) return undefined
  if (text.includes('drover-level: objective/')) {
    return reject('objective_marker', `line ${number} of the body marks an objective, which is not a single change`)
  }
  const expected = `it must be exactly ${LEVEL_MARKER}`
  return text.includes('drover-level:')
    ? reject('unsupported_marker', `line ${number} of the body is ${excerpt(text)}; ${expected}`)
    : reject(
        'change_marker_required',
        `line ${number} of the body is ${excerpt(text)}, which is not a level marker; ${expected}`,
      )
}

/** A fast check that spares most bodies the parser. */
function mayHoldSecond(body: string, from: number): boolean {
  return body.includes(MANIFEST_OPENING, from) || body.includes(ANY_MARKER, from)
}

/** Refuses a second manifest or level marker, except as an example inside fenced code. */
function checkTextBelow(body: string, closing: Line): Rejection | undefined {
  const text = body.slice(closing.end)
  const fencedCode = findFencedCode(text)
  const hint = fencedCode === undefined ? NOT_PARSED : ''
  for (const line of linesOf(text)) {
    const isOpening = line.text.trim() === MANIFEST_OPENING
    if (!isOpening && !line.text.includes(ANY_MARKER)) continue
    const code = fencedCode?.find(({ openingLine, lastLine }) => openingLine <= line.number && line.number <= lastLine)
    if (code !== undefined && code.openingLine < line.number) continue
    const number = closing.number + line.number - 1
    if (isOpening) return invalid(`line ${number} of the body opens a second manifest${hint}`)
    if (code === undefined) return invalid(`line ${number} of the body has a second level marker${hint}`)
  }
  return undefined
}

function invalid(problem: string): Rejection {
  return reject('source_manifest_invalid', problem)
}
