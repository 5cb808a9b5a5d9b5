/** TAP, as `node --test --test-reporter=tap`, vitest and many other runners write it. Pure. */
import {
  isUnloadedFile,
  type ListedTest,
  type ListingReader,
  OpenSuites,
  type TestStatus,
  toListing,
} from './listing.ts'

const RESULT = /^( *)(not ok|ok)(?: (\d{1,9}))?(?: -)?(?: (.*))?$/
const PLAN = /^ *1\.\.(\d{1,9})(?: #.*)?$/
const SUBTEST = /^( *)# Subtest: (.*)$/
const DIRECTIVE = / ?# (?:(skip|todo)\b|time=).*$/i
const INDENT = 4

export const readTap: ListingReader = (lines) => {
  const suites = new OpenSuites(' > ')
  const tests: ListedTest[] = []
  let planned: number | undefined
  for (const line of withoutDetails(lines)) {
    const plan = PLAN.exec(line)?.[1]
    const [, subtestIndent, subtest] = SUBTEST.exec(line) ?? []
    if (plan !== undefined) planned = (planned ?? 0) + Number(plan)
    else if (subtest !== undefined) suites.open(depthOf(subtestIndent), withoutEscapes(subtest))
    else readResult(line, suites, tests)
  }
  if (planned === undefined || tests.length === 0) return undefined
  return toListing(tests, { total: planned, read: tests.length, hasUnrunTests: tests.some(isUnloadedFile) })
}

function readResult(line: string, suites: OpenSuites, tests: ListedTest[]): void {
  const [, indent, verdict, number, description = ''] = RESULT.exec(line) ?? []
  if (verdict === undefined) return
  const depth = depthOf(indent)
  const directive = DIRECTIVE.exec(description)
  const opensBlock = description.endsWith(' {')
  const text = directive === null ? description : description.slice(0, directive.index)
  const name = withoutEscapes(text) || `test ${number ?? tests.length + 1}`
  tests.push({ ...suites.at(depth, name), status: toStatus(verdict, directive?.[1]) })
  if (opensBlock) suites.open(depth, name)
}

function toStatus(verdict: string, directive: string | undefined): TestStatus {
  if (directive !== undefined) return 'skipped'
  return verdict === 'ok' ? 'passed' : 'failed'
}

/** Details of a result are YAML between `---` and `...`. They may quote anything. */
function* withoutDetails(lines: readonly string[]): Generator<string> {
  let isDetail = false
  for (const line of lines) {
    const mark = line.trim()
    if (mark === '---' && line.startsWith(' ')) isDetail = true
    if (!isDetail) yield line
    if (mark === '...') isDetail = false
  }
}

function depthOf(indent = ''): number {
  return Math.floor(indent.length / INDENT)
}

function withoutEscapes(text: string): string {
  return text.replaceAll(/\\([#\\])/g, '$1')
}
