/** Markdown as agents write it, as a tree of blocks. There is no HTML: a tag is text. Pure. */
import { type Inline, parseInline } from './inline.ts'

export type Block =
  | { type: 'paragraph'; children: Inline[] }
  | { type: 'heading'; level: number; children: Inline[] }
  | { type: 'code'; language: string; text: string }
  | { type: 'quote'; blocks: Block[] }
  | { type: 'list'; start: number | undefined; items: Block[][] }
  | { type: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { type: 'rule' }

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/
const RULE = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/
const QUOTE = /^ {0,3}>\s?/
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(\s+|$)/
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/

const MAX_DEPTH = 8
/** Longer texts are shown as they are. */
const MAX_LENGTH = 200_000

export function parseMarkdown(text: string): Block[] {
  if (text.length > MAX_LENGTH) return [{ type: 'code', language: '', text }]
  return parseBlocks(text.split('\n'), 0)
}

/** One parser for each kind of block: it returns undefined if the block is of another kind. */
type Parsed = { block: Block; next: number }
type Parser = (lines: readonly string[], at: number, depth: number) => Parsed | undefined

function parseBlocks(lines: readonly string[], depth: number): Block[] {
  if (depth > MAX_DEPTH) return [{ type: 'paragraph', children: [{ type: 'text', text: lines.join('\n') }] }]
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; ) {
    if (lines[at]?.trim() === '') {
      at += 1
      continue
    }
    const { block, next } = parseSpecial(lines, at, depth) ?? parseParagraph(lines, at)
    blocks.push(block)
    at = next
  }
  return blocks
}

function parseSpecial(lines: readonly string[], at: number, depth: number): Parsed | undefined {
  for (const parse of PARSERS) {
    const parsed = parse(lines, at, depth)
    if (parsed !== undefined) return parsed
  }
  return undefined
}

const parseCode: Parser = (lines, at) => {
  const [, fence, language = ''] = FENCE.exec(lines[at] ?? '') ?? []
  if (fence === undefined) return undefined
  const isEnd = (line: string) => line.trim().startsWith(fence) && /^[`~]+$/.test(line.trim())
  const end = lines.findIndex((line, index) => index > at && isEnd(line))
  const body = lines.slice(at + 1, end === -1 ? undefined : end)
  return { block: { type: 'code', language, text: body.join('\n') }, next: end === -1 ? lines.length : end + 1 }
}

const parseHeading: Parser = (lines, at) => {
  const [, marks, title = ''] = HEADING.exec(lines[at] ?? '') ?? []
  if (marks === undefined) return undefined
  return { block: { type: 'heading', level: marks.length, children: parseInline(title) }, next: at + 1 }
}

const parseRule: Parser = (lines, at) =>
  RULE.test(lines[at] ?? '') ? { block: { type: 'rule' }, next: at + 1 } : undefined

const parseQuote: Parser = (lines, at, depth) => {
  let next = at
  while (next < lines.length && QUOTE.test(lines[next] ?? '')) next += 1
  if (next === at) return undefined
  const inner = lines.slice(at, next).map((line) => line.replace(QUOTE, ''))
  return { block: { type: 'quote', blocks: parseBlocks(inner, depth + 1) }, next }
}

const parseList: Parser = (lines, at, depth) => {
  const first = ITEM.exec(lines[at] ?? '')
  if (first === null) return undefined
  const isOrdered = isNumber(first)
  const items: { indent: number; lines: string[] }[] = []
  let next = at
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? ''
    const marker = markerIn(line, isOrdered)
    // A marker that is indented as far as the text of an item begins a list in that item.
    const isNested = marker !== undefined && marker.search(/\S/) >= (items.at(-1)?.indent ?? Number.POSITIVE_INFINITY)
    if (marker !== undefined && !isNested) items.push({ indent: marker.length, lines: [line.slice(marker.length)] })
    else if (!continuesItem(lines, next, isOrdered)) break
    else items.at(-1)?.lines.push(unindented(line, items.at(-1)?.indent ?? 0))
  }
  const start = isOrdered ? Number.parseInt(first[2] ?? '1', 10) : undefined
  return { block: { type: 'list', start, items: items.map((item) => parseBlocks(item.lines, depth + 1)) }, next }
}

const isNumber = (marker: RegExpExecArray) => /\d/.test(marker[2] ?? '')

/** The marker of an item of the same kind of list. */
function markerIn(line: string, isOrdered: boolean): string | undefined {
  const marker = ITEM.exec(line)
  return marker !== null && !RULE.test(line) && isNumber(marker) === isOrdered ? marker[0] : undefined
}

const isIndented = (line: string) => /^\s{2,}\S/.test(line)

/** An item continues with indented lines. After an empty line the list continues with such a line or another item. */
function continuesItem(lines: readonly string[], at: number, isOrdered: boolean): boolean {
  const [line = '', following = ''] = [lines[at], lines[at + 1]]
  if (line.trim() !== '') return isIndented(line)
  return isIndented(following) || markerIn(following, isOrdered) !== undefined
}

function unindented(line: string, indent: number): string {
  return line.slice(Math.min(indent, Math.max(0, line.search(/\S/))))
}

const parseTable: Parser = (lines, at) => {
  const head = lines[at] ?? ''
  if (!head.includes('|') || !TABLE_RULE.test(lines[at + 1] ?? '') || !(lines[at + 1] ?? '').includes('-'))
    return undefined
  let next = at + 2
  while (next < lines.length && (lines[next] ?? '').includes('|')) next += 1
  const rows = lines.slice(at + 2, next).map(toCells)
  return { block: { type: 'table', head: toCells(head), rows }, next }
}

function toCells(line: string): Inline[][] {
  const inner = line.trim().replace(/^\||(?<!\\)\|$/g, '')
  return inner.split(/(?<!\\)\|/).map((cell) => parseInline(cell.trim().replaceAll('\\|', '|')))
}

const PARSERS: readonly Parser[] = [parseCode, parseHeading, parseRule, parseQuote, parseList, parseTable]

function parseParagraph(lines: readonly string[], at: number): Parsed {
  let next = at + 1
  while (next < lines.length && lines[next]?.trim() !== '' && !startsBlock(lines, next)) next += 1
  return { block: { type: 'paragraph', children: parseInline(lines.slice(at, next).join('\n')) }, next }
}

function startsBlock(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? ''
  return [FENCE, HEADING, QUOTE, ITEM].some((pattern) => pattern.test(line))
}
