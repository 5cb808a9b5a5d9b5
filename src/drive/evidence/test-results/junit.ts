/** JUnit XML, if a check prints it. Pure. */
import { isUnloadedFile, type ListedTest, type ListingReader, type TestStatus, toListing } from './listing.ts'

const ATTRIBUTE = /([\w:.-]{1,100})\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)')/g
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const STATUSES: Readonly<Record<string, TestStatus>> = { failure: 'failed', error: 'failed', skipped: 'skipped' }

export const readJunit: ListingReader = (lines) => {
  const first = lines.findIndex((line) => line.includes('<testsuite'))
  if (first === -1) return undefined
  const cases = new JunitCases()
  for (const tag of tagsIn(lines.slice(first).join('\n'))) cases.add(tag)
  const { tests, isOpen, hasUnrunTests } = cases
  if (tests.length === 0) return undefined
  return toListing(tests, { total: isOpen ? undefined : tests.length, read: tests.length, hasUnrunTests })
}

class JunitCases {
  readonly tests: ListedTest[] = []
  #suites: string[] = []
  #current: { readonly name: string; status: TestStatus } | undefined
  hasUnrunTests = false

  /** Whether the document is incomplete. */
  get isOpen(): boolean {
    return this.#suites.length > 0 || this.#current !== undefined
  }

  add({ name, attributes, isEnd, isEmpty }: Tag): void {
    if (name === 'testsuite') this.#addSuite(attributes, isEnd, isEmpty)
    else if (name === 'testcase' && isEnd) this.#close()
    else if (name === 'testcase') this.#open(attributes, isEmpty)
    else if (!isEnd && this.#current !== undefined) this.#judge(this.#current, STATUSES[name])
  }

  #addSuite(attributes: Attributes, isEnd: boolean, isEmpty: boolean): void {
    if (isEnd) this.#suites.pop()
    else if (!isEmpty) this.#suites.push(attributes.get('name') ?? '')
  }

  #open(attributes: Attributes, isEmpty: boolean): void {
    const own = attributes.get('name') ?? ''
    const group = attributes.get('classname')
    // pytest lists a file that cannot be imported without a class.
    if (group === '') this.hasUnrunTests = true
    const above = group === undefined ? this.#suites.at(-1) : group
    this.#current = { name: above === undefined || above === '' ? own : `${above} > ${own}`, status: 'passed' }
    if (isEmpty) this.#close()
  }

  /** What is to do may fail. */
  #judge(current: { status: TestStatus }, status: TestStatus | undefined): void {
    if (status !== undefined && current.status !== 'skipped') current.status = status
  }

  #close(): void {
    if (this.#current === undefined) return
    this.tests.push(this.#current)
    if (isUnloadedFile(this.#current)) this.hasUnrunTests = true
    this.#current = undefined
  }
}

type Attributes = ReadonlyMap<string, string>
type Tag = {
  readonly name: string
  readonly attributes: Attributes
  readonly isEnd: boolean
  readonly isEmpty: boolean
}

const IGNORED = [
  ['<![CDATA[', ']]>'],
  ['<!--', '-->'],
  ['<?', '?>'],
] as const

/** The tags of a document, without what only looks like one. */
function* tagsIn(text: string): Generator<Tag> {
  let at = text.indexOf('<')
  while (at !== -1) {
    const begin = at
    const ignored = IGNORED.find(([open]) => text.startsWith(open, begin))
    const end = ignored === undefined ? endOfTag(text, at) : text.indexOf(ignored[1], at)
    if (end === -1) return
    if (ignored === undefined) yield toTag(text.slice(at + 1, end))
    at = text.indexOf('<', end)
  }
}

/** A `>` in an attribute does not end it. */
function endOfTag(text: string, from: number): number {
  let quote: string | undefined
  for (let at = from; at < text.length; at += 1) {
    const character = text[at]
    if (quote === undefined && character === '>') return at
    if (quote === undefined && (character === '"' || character === "'")) quote = character
    else if (character === quote) quote = undefined
  }
  return -1
}

function toTag(inner: string): Tag {
  const isEnd = inner.startsWith('/')
  const name = /^\/?([\w:.-]*)/.exec(inner)?.[1] ?? ''
  const isWanted = !isEnd && (name === 'testcase' || name === 'testsuite')
  const pairs = isWanted ? Array.from(inner.matchAll(ATTRIBUTE), toPair) : []
  return { name, attributes: new Map(pairs), isEnd, isEmpty: inner.endsWith('/') }
}

function toPair([, key = '', double, single]: RegExpExecArray): [string, string] {
  return [key, decode(double ?? single ?? '')]
}

function decode(text: string): string {
  return text.replaceAll(/&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,4});/gi, (whole, entity: string) => {
    if (!entity.startsWith('#')) return ENTITIES[entity] ?? whole
    const point = entity[1] === 'x' ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1))
    return point <= 0x10_ff_ff ? String.fromCodePoint(point) : whole
  })
}
