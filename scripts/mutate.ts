/**
 * `npm run mutate [name of a group…]`: changes each file that guards something, one place at a time, and runs its tests. A
 * change that no test notices has survived. Results of unchanged files and tests are kept in reports/mutation/.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Stryker } from '@stryker-mutator/core'
import { type Group, GUARDS, type Guard } from './mutate-guards.ts'

const REPORTS = join('reports', 'mutation')
const GOAL = 90

process.chdir(join(import.meta.dirname, '..'))
const names = process.argv.slice(2)
const groups = GUARDS.filter(({ name }) => names.length === 0 || names.includes(name))
if (groups.length < names.length) throw new Error(`the groups are ${GUARDS.map(({ name }) => name).join(', ')}`)

/** `failed`: the tests could not be run. `ignored`: the code says why the change makes no difference. */
type Count = { killed: number; survived: number; failed: number; ignored: number }
const total: Count = { killed: 0, survived: 0, failed: 0, ignored: 0 }
for (const group of groups) {
  const count = await mutate(group)
  for (const key of ['killed', 'survived', 'failed', 'ignored'] as const) total[key] += count[key]
  console.log(`${group.name}: ${format(count)}`)
}
console.log(`all: ${format(total)}`)
process.exitCode = percentage(total) < GOAL ? 1 : 0

async function mutate({ name, guards, tests, hasWords }: Group): Promise<Count> {
  const started = performance.now()
  // The configuration of vitest runs in a process that Stryker starts.
  process.env['MUTATE_TESTS'] = JSON.stringify(tests)
  // The compiler refuses almost all of these: an empty object, `a.b` instead of `a?.b`, an empty text instead of a word.
  const excluded = ['ObjectLiteral', 'OptionalChaining', ...(hasWords ? [] : ['StringLiteral'])]
  const results = await new Stryker({
    mutate: guards.map(toPattern),
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: join('scripts', 'mutate-vitest.config.ts'), related: false },
    coverageAnalysis: 'perTest',
    concurrency: 1,
    mutator: { plugins: null, excludedMutations: excluded },
    incremental: true,
    incrementalFile: join(REPORTS, `${name}.json`),
    htmlReporter: { fileName: join(REPORTS, `${name}.html`) },
    reporters: ['clear-text', 'html', 'progress-append-only'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false, skipFull: true },
    tempDirName: '.stryker-tmp',
    // Stryker rewrites this file with TypeScript's old API, which TypeScript 7 lacks. The tests do not read it.
    tsconfigFile: 'none.json',
    timeoutMS: 30_000,
  }).runMutationTest()
  // What Stryker ignores because of its kind has no reason in the code.
  const tried = results.filter(({ mutatorName }) => !excluded.includes(mutatorName))
  const of = (...states: string[]) => tried.filter(({ status }) => states.includes(status)).length
  console.log(`${name}: ${Math.round((performance.now() - started) / 1000)} s`)
  return {
    killed: of('Killed', 'Timeout'),
    survived: of('Survived', 'NoCoverage'),
    failed: of('RuntimeError', 'CompileError'),
    ignored: of('Ignored'),
  }
}

/** Stryker takes a part of a file as lines, which change with every edit above them. */
function toPattern(guard: Guard): string {
  if (typeof guard === 'string') return guard
  const { file, from, to } = guard
  const text = readFileSync(file, 'utf8')
  const start = text.indexOf(from)
  const end = text.indexOf(to, start)
  if (start === -1 || end === -1) throw new Error(`${file} has no part from "${from}" to "${to}"`)
  const lineOf = (at: number) => text.slice(0, at).split('\n').length
  return `${file}:${lineOf(start)}-${lineOf(end) - 1}`
}

function percentage({ killed, survived }: Count): number {
  return (100 * killed) / Math.max(1, killed + survived)
}

function format(count: Count): string {
  const { killed, survived, failed, ignored } = count
  return `${percentage(count).toFixed(1)} % of ${killed + survived} killed, ${survived} survived, ${failed} not tried, ${ignored} ignored`
}
