/**
 * Which lines of a Markdown text are inside fenced code, also where the fence stands in block quotes and list items.
 * This follows the block structure of CommonMark as far as it decides that question, and leaves out indented code, HTML
 * blocks and tabs. The time is linear in the size of the text, however deep things nest.
 */

/** A block quote, or a list item whose content stands so many columns in. */
type Container = 'quote' | { readonly indent: number }

type Fence = {
  readonly containers: readonly Container[]
  readonly mark: string
  readonly length: number
}

const QUOTE = / {0,3}> ?/y
const ITEM = /( {0,3}(?:[-+*]|(\d{1,9})[.)]))(?:( +)|$)/y
const FENCE = / {0,3}(`{3,}|~{3,})/y
const HEADING = / {0,3}#{1,6}(?:[ \t]|$)/y
const INDENTED = '    '
/** An item whose text begins further in than this begins with indented code. */
const WIDEST_GAP = 4

export class FencedCode {
  /** What the next line may continue. */
  #open: readonly Container[] = []
  #isQuoted = false
  /** Whether the last line belongs to a paragraph, which then is directly in `#open`. */
  #isParagraph = false
  #fence: Fence | undefined

  /** Takes the next line, which `opens` a fence, is `inside` one (as its end also is) or is `outside` of all. */
  read(line: string): 'opens' | 'inside' | 'outside' {
    if (this.#fence === undefined) return this.#readOutside(line)
    if (isQuotedBlank(line)) return 'inside'
    const { at, count } = follow(line, this.#fence.containers)
    if (count < this.#fence.containers.length) {
      this.#fence = undefined
      return this.#readOutside(line)
    }
    if (isEndOf(this.#fence, line, at)) this.#fence = undefined
    return 'inside'
  }

  #readOutside(line: string): 'opens' | 'outside' {
    if (isQuotedBlank(line)) {
      this.#isParagraph = false
      // List items may go on below a blank line. Quotes may not, unless the line is blank inside the quote.
      if (this.#isQuoted && !line.includes('>')) this.#continue(this.#open.slice(0, this.#open.indexOf('quote')))
      return 'outside'
    }
    const { containers, at, continued } = enter(line, { open: this.#open, isParagraph: this.#isParagraph })
    const content = contentAt(line, at)
    const isNew = containers.length > continued
    const isText = content.is === 'text' || content.is === 'indented'
    // A paragraph goes on in a line that has lost the marks of its containers.
    if (this.#isParagraph && isText && !isNew && continued < this.#open.length) return 'outside'
    const goesOn = this.#isParagraph && !isNew
    this.#isParagraph = content.is === 'text' || (content.is === 'indented' && goesOn)
    this.#continue(containers)
    if (content.is !== 'fence') return 'outside'
    this.#fence = { containers, mark: content.mark, length: content.length }
    return 'opens'
  }

  #continue(containers: readonly Container[]): void {
    this.#open = containers
    this.#isQuoted = containers.includes('quote')
  }
}

/** Blank once the marks of block quotes are taken away. */
function isQuotedBlank(line: string): boolean {
  let at = 0
  for (let next = afterQuote(line, at); next !== undefined; next = afterQuote(line, at)) at = next
  return line.slice(at).trim() === ''
}

/** How many of the containers a line continues, and where its text is after them. */
function follow(line: string, containers: readonly Container[]): { at: number; count: number } {
  let at = 0
  let count = 0
  for (const container of containers) {
    const next = container === 'quote' ? afterQuote(line, at) : afterSpaces(line, at, container.indent)
    if (next === undefined) break
    at = next
    count += 1
  }
  return { at, count }
}

type Place = { open: readonly Container[]; isParagraph: boolean }

/** The containers of a line: those it continues, and those it begins itself. */
function enter(line: string, { open, isParagraph }: Place) {
  const { at: start, count: continued } = follow(line, open)
  const containers = open.slice(0, continued)
  const breakFrom = thematicBreakFrom(line)
  const isInParagraph = () => isParagraph && continued === open.length && containers.length === continued
  let at = start
  while (at < breakFrom) {
    const quote = afterQuote(line, at)
    const item = quote === undefined ? itemAt(line, at) : undefined
    if (quote !== undefined) {
      containers.push('quote')
      at = quote
    } else if (item !== undefined && (item.mayInterrupt || !isInParagraph())) {
      containers.push({ indent: item.indent })
      at = item.end
    } else break
  }
  return { containers, at, continued }
}

function afterQuote(line: string, at: number): number | undefined {
  QUOTE.lastIndex = at
  return QUOTE.test(line) ? QUOTE.lastIndex : undefined
}

function afterSpaces(line: string, at: number, count: number): number | undefined {
  return line.startsWith(' '.repeat(count), at) ? at + count : undefined
}

/** A list item. One that counts from another number than 1 cannot interrupt a paragraph. */
function itemAt(line: string, at: number) {
  ITEM.lastIndex = at
  const found = ITEM.exec(line)
  if (found === null) return undefined
  const [, marker = '', number, gap = ''] = found
  const isEmpty = at + marker.length + gap.length === line.length
  const width = isEmpty || gap.length > WIDEST_GAP ? 1 : gap.length
  const indent = marker.length + width
  return {
    indent,
    end: Math.min(at + indent, line.length),
    mayInterrupt: number === undefined || Number(number) === 1,
  }
}

type Content = { is: 'fence'; mark: string; length: number } | { is: 'indented' | 'text' | 'other' }

function contentAt(line: string, at: number): Content {
  if (line.startsWith(INDENTED, at)) return { is: 'indented' }
  FENCE.lastIndex = at
  const marks = FENCE.exec(line)?.[1]
  const mark = marks?.[0]
  if (marks !== undefined && mark !== undefined && !(mark === '`' && line.includes('`', FENCE.lastIndex))) {
    return { is: 'fence', mark, length: marks.length }
  }
  HEADING.lastIndex = at
  const isOther = at >= thematicBreakFrom(line) || HEADING.test(line) || line.slice(at).trim() === ''
  return { is: isOther ? 'other' : 'text' }
}

/** From where on a line is a thematic break: three or more of one mark and white space; infinity if it has none. */
function thematicBreakFrom(line: string): number {
  let start = line.length
  let count = 0
  let mark: string | undefined
  for (; start > 0; start--) {
    const character = line.charAt(start - 1)
    if (character === ' ' || character === '\t') continue
    if (!'*-_'.includes(character) || (mark ?? character) !== character) break
    mark = character
    count += 1
  }
  return count >= 3 ? start : Number.POSITIVE_INFINITY
}

function isEndOf({ mark, length }: Fence, line: string, at: number): boolean {
  FENCE.lastIndex = at
  const marks = FENCE.exec(line)?.[1]
  return marks?.[0] === mark && marks.length >= length && line.slice(FENCE.lastIndex).trim() === ''
}
