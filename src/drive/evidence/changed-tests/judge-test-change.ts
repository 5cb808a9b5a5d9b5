/**
 * Tells whether a test that was there before now asserts less, or something else. It compares texts: what it cannot see is still
 * noted as a change of a test. Pure.
 */
import type { ReviewFlag } from '../../record/drive-event.shape.ts'
import { type Assertion, findAssertions } from './find-assertions.ts'
import { findEarlyEnds, type TextChange } from './find-early-ends.ts'
import { readSource } from './source-text.ts'

/** A changed file before and after the work; undefined if it did not or does not exist, or is not text. */
export type FileChange = {
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
}

const TEST_PATH =
  /(?:^|\/)(?:tests?|__tests__|specs?)\/|(?:^|[./_-])(?:test|spec)s?\.[a-z]+$|(?:^|\/)test_[^/]*\.py$|(?:^|\/)[^/]*Tests?\.(?:java|kt|cs|php|swift)$/i
/** All of their lines are expected values. */
const SNAPSHOT =
  /(?:^|\/)(?:__snapshots__|goldens?)\/|\.(?:snap|ambr|golden)$|\.approved\.\w+$|(?:^|[/._-])expected(?:[._-][^/]{0,80})?\.(?:json|txt|ya?ml|xml|html|csv|out)$/

export function isTestPath(path: string): boolean {
  return TEST_PATH.test(path) || SNAPSHOT.test(path)
}

const SKIPS = new RegExp(
  [
    String.raw`\b(?:it|test|describe|context|suite|t)(?:\.(?:concurrent|sequential|each))?\.(?:skip|todo|only|fails|failing|fixme|skipIf|runIf)\b`,
    String.raw`\b[xf](?:it|describe|test|context|specify)\s?\(`,
    String.raw`[{,]\s?(?:skip|todo|only)\s?:\s?(?:true|["'\x60])`,
    String.raw`\b(?:it|test|describe|suite)\([^\n{]{0,200},\s?\{[^}\n]{0,80}\b(?:skip|todo|only)\s?:\s?(?!false|true|undefined|null|0|["'\x60])`,
    String.raw`@pytest\.mark\.(?:skip|skipif|xfail)\b|\bpytest\.(?:skip|xfail|importorskip)\(|\bpytestmark\b`,
    String.raw`@(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)\b|\bself\.skipTest\(|\braise (?:unittest\.)?SkipTest\b|\b__test__\s?=\s?False\b`,
    String.raw`#\[(?:ignore|should_panic)\b|\bt\.Skip(?:Now|f)?\(|@(?:Disabled|Ignore)\w*\b|\b[aA]ssume(?:True|False|That|NoException)\(`,
  ].join('|'),
  'g',
)
const CASES =
  /\bx?(?:it|test)(?:\.\w{1,40}){0,4}\s{0,20}[(`]|\bdef test_|#\[(?:tokio::)?test\]|\bfunc Test[A-Z_]|@Test\b|\b(?:assert|expect)\b/g

/** Of one kind in one file: a person who looks sees the others. */
const MAX_PER_FILE = 3
const SHOWN_CHARACTERS = 80

/** The flags of all changed tests. An assertion that was moved to another test is still there. */
export function judgeTests(changes: readonly FileChange[]): ReviewFlag[] {
  const moved = new Moved(changes)
  return changes.flatMap((change) => judgeTest(change, moved))
}

function judgeTest({ path, before, after }: FileChange, moved: Moved): ReviewFlag[] {
  if (before === undefined || before === after) return []
  if (after === undefined) return [{ flag: 'test_deleted', detail: path, path }]
  if (SNAPSHOT.test(path)) return judgeSnapshot(path, before, after)
  const [cases, casesLeft] = [countMatches(CASES, before), countMatches(CASES, after)]
  if (cases > 0 && casesLeft === 0) return [{ flag: 'test_emptied', detail: path, path }]
  const flags = [
    ...judgeSkips(path, before, after),
    ...findEarlyEnds({ path, before, after }).slice(0, MAX_PER_FILE),
    ...judgeAssertions({ path, before, after }, moved),
  ]
  return flags.length > 0 ? flags : [{ flag: 'test_changed', detail: path, path }]
}

/** `it['skip']`: in the copy without strings it looks like any other name. */
const QUOTED_SKIPS = /\b(?:it|test|describe|context|suite)\s?\[\s?["'`](?:skip|todo|only|skipIf|failing|fails)\b/g

/** Comments do not count; a directive of Go is one. */
function judgeSkips(path: string, before: string, after: string): ReviewFlag[] {
  const countIn = (text: string) => {
    const { bare, code } = readSource(text, path)
    return countMatches(SKIPS, bare) + countMatches(QUOTED_SKIPS, code) + countMatches(/^\/\/go:build ignore/gm, text)
  }
  return countIn(after) > countIn(before) ? [{ flag: 'test_skipped', detail: path, path }] : []
}

/** Only new lines are harmless: every other line is an expected value. */
function judgeSnapshot(path: string, before: string, after: string): ReviewFlag[] {
  const left = new Set(after.split('\n'))
  const isKept = before.split('\n').every((line) => left.has(line))
  if (isKept) return [{ flag: 'test_changed', detail: path, path }]
  return [{ flag: 'test_expects_other', detail: `${path}: it expects other values than before`, path }]
}

function judgeAssertions({ path, before, after }: TextChange, moved: Moved): ReviewFlag[] {
  const { gone, added, isFewer } = compareAssertions(findAssertions(before, path), findAssertions(after, path))
  const rest = new Counterparts(added)
  const others: ReviewFlag[] = []
  const lost: Assertion[] = []
  for (const assertion of gone) {
    const other = rest.takeSameSubject(assertion)
    if (other !== undefined && isStronger(other, assertion)) continue
    if (other !== undefined) others.push(expectsOther(path, assertion, other))
    else if (rest.takeSameExpected(assertion) === undefined && !moved.take(assertion)) lost.push(assertion)
  }
  const flag = isFewer ? 'test_asserts_less' : 'test_expects_other'
  const what = isFewer ? 'it no longer asserts' : 'it asserts something else in place of'
  return [
    ...others.slice(0, MAX_PER_FILE),
    ...lost
      .slice(0, MAX_PER_FILE)
      .map((each): ReviewFlag => ({ flag, detail: `${path}: ${what} ${show(each)}`, path })),
  ]
}

function expectsOther(path: string, before: Assertion, { line, ...now }: Assertion): ReviewFlag {
  const detail = `${path}:${line}: it asserts ${show({ line, ...now })}, and before ${show(before)}`
  return { flag: 'test_expects_other', detail, path, line }
}

function show({ matcher, subject, expected }: Assertion): string {
  const text = `${matcher}(${subject}${expected === undefined ? '' : `, ${expected}`})`
  return `\`${text.slice(0, SHOWN_CHARACTERS)}${text.length > SHOWN_CHARACTERS ? '…' : ''}\``.toWellFormed()
}

/** A value is compared where before it only had to be there. */
function isStronger(now: Assertion, before: Assertion): boolean {
  return before.expected === undefined && now.expected !== undefined && !/\bnot\b|!=/i.test(now.matcher)
}

const keyOf = ({ matcher, subject, expected }: Assertion) => JSON.stringify([matcher, subject, expected])

/** Those that are only in one of the two, counted. */
function compareAssertions(before: readonly Assertion[], after: readonly Assertion[]) {
  const added = withoutThose(after, before)
  return { gone: withoutThose(before, after), added, isFewer: after.length < before.length }
}

function withoutThose(all: readonly Assertion[], those: readonly Assertion[]): Assertion[] {
  const counts = new Counts(those.map(keyOf))
  return all.filter((each) => !counts.take(keyOf(each)))
}

class Counts {
  readonly #counts = new Map<string, number>()

  constructor(keys: readonly string[]) {
    for (const key of keys) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  take(key: string): boolean {
    const count = this.#counts.get(key) ?? 0
    if (count > 0) this.#counts.set(key, count - 1)
    return count > 0
  }
}

/** What may have taken the place of an assertion. Each is taken once. */
class Counterparts {
  readonly #bySubject: ReadonlyMap<string, Assertion[]>
  readonly #byExpected: ReadonlyMap<string, Assertion[]>
  readonly #taken = new Set<Assertion>()

  constructor(added: readonly Assertion[]) {
    const lastFirst = added.toReversed()
    this.#bySubject = Map.groupBy(lastFirst, ({ subject }) => subject)
    this.#byExpected = Map.groupBy(lastFirst, keyOfExpected)
  }

  takeSameSubject({ subject }: Assertion): Assertion | undefined {
    return this.#takeFrom(this.#bySubject.get(subject))
  }

  /** Something else is examined and must still be the same, as after a name was changed. */
  takeSameExpected(assertion: Assertion): Assertion | undefined {
    return this.#takeFrom(this.#byExpected.get(keyOfExpected(assertion)))
  }

  #takeFrom(list: Assertion[] | undefined): Assertion | undefined {
    for (let next = list?.pop(); next !== undefined; next = list?.pop()) {
      if (this.#taken.has(next)) continue
      this.#taken.add(next)
      return next
    }
    return undefined
  }
}

function keyOfExpected({ matcher, expected }: Assertion): string {
  return JSON.stringify([matcher, expected])
}

/** The assertions that some file of the change has more often than before. */
class Moved {
  readonly #counts: Counts

  constructor(changes: readonly FileChange[]) {
    const keys = changes.flatMap(({ path, before, after }) => {
      if (after === undefined) return []
      const now = findAssertions(after, path)
      return withoutThose(now, before === undefined ? [] : findAssertions(before, path)).map(keyOf)
    })
    this.#counts = new Counts(keys)
  }

  take(assertion: Assertion): boolean {
    return this.#counts.take(keyOf(assertion))
  }
}

function countMatches(pattern: RegExp, text: string): number {
  return text.match(pattern)?.length ?? 0
}
