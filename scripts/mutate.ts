/**
 * `npm run mutate [name of a group…]`: changes each file that guards something, one place at a time, and runs its tests. A
 * change that no test notices has survived. Results of unchanged files and tests are kept in reports/mutation/.
 */
import { join } from 'node:path'
import { Stryker } from '@stryker-mutator/core'
import { type Group, GUARDS, patternsOf } from './mutate-guards.ts'

const REPORTS = join('reports', 'mutation')
/** Percent of all changes, and of those of each group. */
const GOAL = { all: 90, group: 85 }

process.chdir(join(import.meta.dirname, '..'))
const names = process.argv.slice(2)
const groups = GUARDS.filter(({ name }) => names.length === 0 || names.includes(name))
if (groups.length < names.length) throw new Error(`the groups are ${GUARDS.map(({ name }) => name).join(', ')}`)
// A part that is gone is reported before hours of work, not after.
const patterns = new Map(groups.map((group) => [group, patternsOf(group)]))

/**
 * `timedOut`: those of the killed that made the tests wait. `failed`: the tests could not be run. `ignored`: the code says why
 * the change makes no difference.
 */
type Count = Record<(typeof COUNTS)[number], number>
const COUNTS = ['killed', 'timedOut', 'survived', 'failed', 'ignored'] as const
const total: Count = { killed: 0, timedOut: 0, survived: 0, failed: 0, ignored: 0 }
const failed: string[] = []
for (const group of groups) {
  const count = await mutate(group).catch((error: unknown) => void console.error(error))
  // Stryker has said why. The other groups are worth their time.
  if (count === undefined) {
    failed.push(group.name)
    continue
  }
  for (const key of COUNTS) total[key] += count[key]
  console.log(`${group.name}: ${format(count)}`)
  if (percentage(count) < GOAL.group) process.exitCode = 1
}
console.log(`all: ${format(total)}`)
if (failed.length > 0) console.log(`not run: ${failed.join(', ')}`)
if (failed.length > 0 || percentage(total) < GOAL.all) process.exitCode = 1

async function mutate(group: Group): Promise<Count> {
  const { name, tests, hasWords } = group
  const started = performance.now()
  // The configuration of vitest runs in a process that Stryker starts.
  process.env['MUTATE_TESTS'] = JSON.stringify(tests)
  // The compiler refuses almost all of these: an empty object, `a.b` instead of `a?.b`, an empty text instead of a word.
  const excluded = ['ObjectLiteral', 'OptionalChaining', ...(hasWords ? [] : ['StringLiteral'])]
  const results = await new Stryker({
    mutate: patterns.get(group) ?? [],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: {
      configFile: join('scripts', 'mutate-vitest.config.ts'),
      related: false,
      // Tests of the whole program set the umask, which a thread cannot.
      pool: tests.some((path) => path.startsWith('test/')) ? 'forks' : 'threads',
    },
    coverageAnalysis: 'perTest',
    concurrency: 1,
    mutator: { plugins: null, excludedMutations: excluded },
    incremental: true,
    incrementalFile: join(REPORTS, `${name}.json`),
    htmlReporter: { fileName: join(REPORTS, `${name}.html`) },
    reporters: ['clear-text', 'html', 'progress-append-only'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false, skipFull: true },
    tempDirName: '.stryker-tmp',
    // The tests need no copy of these. Nothing checks types, so that no file has to be read for it.
    ignorePatterns: ['/bench', '/deploy', '/docs', '/man'],
    disableTypeChecks: false,
    // Stryker rewrites this file with TypeScript's old API, which TypeScript 7 lacks. The tests do not read it.
    tsconfigFile: 'none.json',
    timeoutMS: 60_000,
    dryRunTimeoutMinutes: 30,
  }).runMutationTest()
  // What Stryker ignores because of its kind has no reason in the code.
  const tried = results.filter(({ mutatorName }) => !excluded.includes(mutatorName))
  const of = (...states: string[]) => tried.filter(({ status }) => states.includes(status)).length
  console.log(`${name}: ${Math.round((performance.now() - started) / 1000)} s`)
  return {
    killed: of('Killed', 'Timeout'),
    timedOut: of('Timeout'),
    survived: of('Survived', 'NoCoverage'),
    failed: of('RuntimeError', 'CompileError'),
    ignored: of('Ignored'),
  }
}

function percentage({ killed, survived }: Count): number {
  return (100 * killed) / Math.max(1, killed + survived)
}

function format(count: Count): string {
  const { killed, timedOut, survived, failed, ignored } = count
  const share = `${percentage(count).toFixed(1)} % of ${killed + survived} killed (${timedOut} by waiting)`
  return `${share}, ${survived} survived, ${failed} not tried, ${ignored} ignored`
}
