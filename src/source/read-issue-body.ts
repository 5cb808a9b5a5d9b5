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
import { type FencedCode, findFencedCode, MAX_LEVELS } from './find-fenced-code.ts'
import { invalid, type ManifestText } from './read-manifest.ts'
import { isBlankLine, type Line, readTextLines } from './text-lines.ts'

export const LEVEL_MARKER = '<!-- drover-level: change/v2 -->'
export const MANIFEST_OPENING = '```drover-manifest'
export const MANIFEST_END = '```'
const ANY_MARKER = '<!-- drover-level:'
const NESTED_TOO_DEEP = `; examples in code are allowed only if no quotes and lists are nested more than ${MAX_LEVELS / 2} deep below the manifest`

/** The text of the manifest, or a rejection. Line endings must be normalized. */
export function readBody(body: string): (ManifestText & { is: 'found' }) | Rejection {
  const lines = readTextLines(body)
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
  return !isBlankLine(text)
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
  const hint = fencedCode === undefined ? NESTED_TOO_DEEP : ''
  const codeAround = toCodeAround(fencedCode ?? [])
  for (const line of readTextLines(text)) {
    const isOpening = line.text.trim() === MANIFEST_OPENING
    if (!isOpening && !line.text.includes(ANY_MARKER)) continue
    const code = codeAround(line.number)
    if (code !== undefined && code.openingLine < line.number) continue
    const number = closing.number + line.number - 1
    if (isOpening) return invalid(`line ${number} of the body opens a second manifest${hint}`)
    if (code === undefined) return invalid(`line ${number} of the body has a second level marker${hint}`)
  }
  return undefined
}

/** Answers for one line after the other, downwards, so that the blocks are walked once. */
function toCodeAround(blocks: readonly FencedCode[]): (line: number) => FencedCode | undefined {
  let at = 0
  return (line) => {
    while ((blocks[at]?.lastLine ?? line) < line) at += 1
    const block = blocks[at]
    return block !== undefined && block.openingLine <= line ? block : undefined
  }
}
