/**
 * The assertions in a test, for the common frameworks: node:test, vitest, jest, chai, pytest, unittest, Go's testing, testify,
 * Rust, JUnit and AssertJ. Pure.
 */
import { readSource, type Source, toPlainCode } from './source-text.ts'

export type Assertion = {
  /** How it compares, such as `assert.equal` or `expect.not.toBe`. */
  readonly matcher: string
  /** What is examined. */
  readonly subject: string
  /** What it is compared with; undefined if the assertion names nothing, as `toBeDefined()`. */
  readonly expected: string | undefined
  /** Its line, from 1. */
  readonly line: number
}

const CALLS = [
  String.raw`\b(?:self\.|cls\.|t\.|chai\.|Assert\.|Assertions\.)?assert\w{0,80}(?:\.\w{1,80}){0,4}!?\s{0,80}\(`,
  String.raw`\bexpect(?:\.(?:soft|poll))?\s{0,80}\(`,
  String.raw`\b(?:Assert|Assertions)\.\w{1,80}\s{0,80}\(`,
  String.raw`\bpytest\.(?:raises|warns)\s{0,80}\(`,
  String.raw`\bt\.(?:Errorf?|Fatalf?|Fail(?:Now)?)\(`,
]
const NAMES =
  'ok|equal|notEqual|strictEqual|notStrictEqual|deepEqual|deepStrictEqual|notDeepEqual|match|doesNotMatch|throws|rejects|doesNotThrow|doesNotReject'
/** What node:assert exports. Only where a statement begins: in other places they are common names. */
export const ASSERT_STATEMENT = String.raw`(?:^|[\n;{:]|=>|\bawait|\breturn)[ \t]*(?:${NAMES})\(`
const STATEMENTS = new RegExp(`^(?:assert|(?:${NAMES})\\()$`)
const START = new RegExp([...CALLS, String.raw`\b(?:${NAMES})\(`].join('|'), 'g')
const GO_START = new RegExp([String.raw`\brequire\.\w{1,80}\(`, ...CALLS].join('|'), 'g')
const PYTHON_START = new RegExp([String.raw`\bassert\b`, ...CALLS].join('|'), 'g')

/** More than an assertion is long; what follows is not read as a part of it. */
const MAX_LENGTH = 8000
const EXPECTED_FIRST = /\.(?:java|kt|kts|groovy|scala|go|php|cs)$/i
/** A number, a word for a constant, a text, or a list or record of such. */
const LITERAL = /^(?:[-+]?\d[\w.]*|true|false|null|undefined|None|True|False|nil|[a-z]{0,2}".*"|[[{].*[\]}])$/s
const COMPARISON = /^(?:===|!==|==|!=|<=|>=|<|>)/
const PYTHON_COMPARISON = /^(?:==|!=|<=|>=|<|>|\bis not\b|\bis\b|\bnot in\b|\bin\b)/

/** In the order of the text. What compares a constant with a constant asserts nothing. */
export function findAssertions(text: string, path: string): Assertion[] {
  const source = readSource(`\n${text}`, path)
  const reader = new AssertionReader(source, path)
  const found: Assertion[] = []
  const start = path.endsWith('.go') ? GO_START : path.endsWith('.py') ? PYTHON_START : START
  const lines = new LineCounter(source.bare)
  let read = 0
  for (;;) {
    start.lastIndex = read
    const match = start.exec(source.bare)
    if (match === null) return found
    if (STATEMENTS.test(match[0]) && !isAtStatement(source.bare, match.index)) {
      read = start.lastIndex
      continue
    }
    const { end, ...assertion } = reader.readAt(match.index, match[0])
    read = Math.max(end, start.lastIndex)
    if (!isTrivial(assertion)) found.push({ ...assertion, line: lines.lineAt(match.index) })
  }
}

function isAtStatement(bare: string, index: number): boolean {
  return /(?:[\n;{:]|=>|\bawait|\breturn)[ \t]*$/.test(bare.slice(Math.max(0, index - 120), index))
}

function isTrivial({ subject, expected }: Pick<Assertion, 'subject' | 'expected'>): boolean {
  return LITERAL.test(subject) && (expected === undefined || LITERAL.test(expected)) && !subject.startsWith('[')
}

/** Counts only forward. The text begins with a line break that is not part of the file. */
class LineCounter {
  readonly #text: string
  #at = 0
  #line = 0

  constructor(text: string) {
    this.#text = text
  }

  lineAt(index: number): number {
    for (; this.#at <= index; this.#at += 1) if (this.#text[this.#at] === '\n' && this.#at < index) this.#line += 1
    return this.#line
  }
}

type Read = Omit<Assertion, 'line'> & { readonly end: number }
/** What is called on the result of a call. */
type Chain = { readonly names: readonly string[]; readonly last: Range | undefined; readonly end: number }
type Range = { readonly begin: number; readonly end: number }

class AssertionReader {
  readonly #source: Source
  readonly #isGo: boolean
  readonly #expectsFirst: boolean

  constructor(source: Source, path: string) {
    this.#source = source
    this.#isGo = path.endsWith('.go')
    this.#expectsFirst = EXPECTED_FIRST.test(path)
  }

  readAt(begin: number, start: string): Read {
    if (start === 'assert') return this.#readStatement(begin)
    const name = start.replace(/\s*\($/, '')
    const call = this.#takeBrackets(begin + start.length - 1)
    if (/^t\.(?:E|F)/.test(name)) return { ...this.#readCondition(begin, name), end: call.end }
    const chain = this.#takeChain(call.end)
    if (chain.names.length > 0) return this.#readChain(name, call, chain)
    return { ...this.#readArguments(name, this.#split(call)), end: call.end }
  }

  #plain({ begin, end }: Range): string {
    return toPlainCode(this.#source, begin, end)
  }

  /** `expect(SUBJECT).not.toBe(EXPECTED)`. */
  #readChain(name: string, call: Range, { names, last, end }: Chain): Read {
    const expected = last === undefined ? '' : this.#plain(inside(last))
    return {
      matcher: [name, ...names].join('.'),
      subject: this.#plain(inside(call)),
      expected: expected === '' ? undefined : expected,
      end,
    }
  }

  /** `assertEquals(EXPECTED, SUBJECT)` or `assert.equal(SUBJECT, EXPECTED)`. A literal is what is expected. */
  #readArguments(matcher: string, ranges: readonly Range[]): Omit<Read, 'end'> {
    const all = ranges.map((range) => this.#plain(range)).filter((text) => text !== '')
    const [first = '', second] = this.#isGo && all[0] === 't' ? all.slice(1) : all
    const [only] = ranges
    if (second === undefined || /(?:^|\.)(?:ok|assert!?|assertTrue|assertFalse|True|False|NoError)$/.test(matcher))
      return only === undefined ? { matcher, subject: first, expected: undefined } : this.#compare(matcher, only, first)
    const isSwapped = LITERAL.test(first) === LITERAL.test(second) ? this.#expectsFirst : LITERAL.test(first)
    return isSwapped ? { matcher, subject: second, expected: first } : { matcher, subject: first, expected: second }
  }

  /** `SUBJECT === EXPECTED` as a single argument. */
  #compare(matcher: string, range: Range, whole: string): Omit<Read, 'end'> {
    const found = this.#findComparison(range, COMPARISON)
    if (found === undefined) return { matcher, subject: whole, expected: undefined }
    const { at, operator } = found
    const subject = this.#plain({ begin: range.begin, end: at })
    const expected = this.#plain({ begin: at + operator.length, end: range.end })
    return { matcher: `${matcher} ${operator}`, subject, expected }
  }

  /** `assert SUBJECT == EXPECTED, message` of Python, to the end of its line. */
  #readStatement(begin: number): Read {
    const from = begin + 'assert'.length
    const end = this.#endOfStatement(from)
    const [range = { begin: from, end }] = this.#split({ begin: from - 1, end: end + 1 })
    const found = this.#findComparison(range, PYTHON_COMPARISON)
    if (found === undefined) return { matcher: 'assert', subject: this.#plain(range), expected: undefined, end }
    const { at, operator } = found
    const subject = this.#plain({ begin: range.begin, end: at })
    const expected = this.#plain({ begin: at + operator.length, end: range.end })
    return { matcher: `assert ${operator}`, subject, expected, end }
  }

  /** `if SUBJECT != EXPECTED {`, in front of a call that fails the test. */
  #readCondition(begin: number, matcher: string): Omit<Read, 'end'> {
    const before = this.#source.bare.slice(Math.max(0, begin - 500), begin).trimEnd()
    const lineBegin = Math.max(0, begin - 500) + before.lastIndexOf('\n') + 1
    const range = { begin: lineBegin, end: Math.max(0, begin - 500) + before.length }
    const found = this.#findComparison(range, COMPARISON)
    if (found === undefined) return { matcher, subject: this.#plain(range), expected: undefined }
    const subject = this.#plain({ begin: range.begin, end: found.at })
    const expected = this.#plain({ begin: found.at + found.operator.length, end: range.end }).replace(/\{$/, '')
    return { matcher: `${matcher} ${found.operator}`, subject, expected }
  }

  /** The first comparison outside of brackets. */
  #findComparison({ begin, end }: Range, pattern: RegExp): { at: number; operator: string } | undefined {
    const { bare } = this.#source
    let depth = 0
    for (let at = begin; at < end; at += 1) {
      depth += depthOf(bare[at])
      if (depth !== 0) continue
      const isWord = /\w/.test(bare[at - 1] ?? '') && /\w/.test(bare[at] ?? '')
      const operator = isWord || bare[at - 1] === '=' ? undefined : pattern.exec(bare.slice(at, at + 8))?.[0]
      const isArrow = bare[at] === '>' && /[=-]/.test(bare[at - 1] ?? '')
      if (operator !== undefined && !isArrow) return { at, operator }
    }
    return undefined
  }

  /** From the opening bracket to behind the closing one. Undefined text, or too much of it, ends it too. */
  #takeBrackets(open: number): Range {
    const { bare } = this.#source
    const limit = Math.min(bare.length, open + MAX_LENGTH)
    let depth = 0
    for (let at = open; at < limit; at += 1) {
      depth += depthOf(bare[at])
      if (depth === 0) return { begin: open, end: at + 1 }
    }
    return { begin: open, end: limit }
  }

  /** `.not.toBe(…)` behind a call. */
  #takeChain(from: number): Chain {
    const { bare } = this.#source
    const names: string[] = []
    let last: Range | undefined
    let end = from
    for (;;) {
      CHAIN.lastIndex = end
      const [link, name = ''] = CHAIN.exec(bare) ?? []
      if (link === undefined) return { names, last, end }
      names.push(name)
      end += link.length
      if (bare[end] === '(') {
        last = this.#takeBrackets(end)
        end = last.end
      }
    }
  }

  #endOfStatement(from: number): number {
    const { bare } = this.#source
    const limit = Math.min(bare.length, from + MAX_LENGTH)
    let depth = 0
    for (let at = from; at < limit; at += 1) {
      depth += depthOf(bare[at])
      if (bare[at] === '\n' && depth <= 0 && bare[at - 1] !== '\\') return at
    }
    return limit
  }

  /** The arguments between the brackets. */
  #split(call: Range): Range[] {
    const { begin, end } = inside(call)
    const { bare } = this.#source
    const ranges: Range[] = []
    let depth = 0
    let from = begin
    for (let at = begin; at < end; at += 1) {
      depth += depthOf(bare[at])
      if (bare[at] !== ',' || depth !== 0) continue
      ranges.push({ begin: from, end: at })
      from = at + 1
    }
    return [...ranges, { begin: from, end }]
  }
}

const CHAIN = /\s{0,200}\.\s{0,200}(\w{1,80})/y

function inside({ begin, end }: Range): Range {
  return { begin: begin + 1, end: Math.max(begin + 1, end - 1) }
}

function depthOf(character: string | undefined): number {
  if (character === '(' || character === '[' || character === '{') return 1
  return character === ')' || character === ']' || character === '}' ? -1 : 0
}
