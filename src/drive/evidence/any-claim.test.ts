/** Any claim about any command, after any lines: what is called observed or contradicted must be true. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../../test/support/full-counts.ts'
import { compareClaims, type Traced } from './compare-claims.ts'

const ROOT = '/work'
const RUNS = runsOf(1000)

/** A command in a line. How it is written does not change what it runs. */
type Step = {
  core: string
  /** The exit code that it will have if it runs. */
  code: number
  joinedBy: '&&' | '||' | ';' | '|'
  around: 'nothing' | 'variable' | 'directory' | 'timeout'
  spelling: number
}

const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  test: ['npm test', 'npm run test', '"npm"  test', `npm 'test' 2>&1`],
  lint: ['sh lint.sh', `sh "lint.sh"`, 'sh lint.sh >/dev/null'],
  echo: ['echo npm test', 'echo "sh lint.sh"', 'true'],
}
const AROUND = { nothing: '', variable: 'CI=1 ', directory: 'cd web && ', timeout: 'timeout 9 ' }

const step: fc.Arbitrary<Step> = fc.record({
  core: fc.constantFrom('test', 'test', 'lint', 'echo'),
  code: fc.constantFrom(0, 0, 1, 2),
  joinedBy: fc.constantFrom('&&', '||', ';', '|'),
  around: fc.constantFrom('nothing', 'nothing', 'nothing', 'variable', 'directory', 'timeout'),
  spelling: fc.nat(3),
})

type Line = {
  steps: readonly Step[]
  options: '' | 'set -e; ' | 'set -o pipefail; '
  isWrapped: boolean
  showsCode: boolean
}

const line: fc.Arbitrary<Line> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
  options: fc.constantFrom('', '', 'set -e; ', 'set -o pipefail; '),
  isWrapped: fc.boolean(),
  showsCode: fc.boolean(),
})

function spell({ core, around, spelling }: Step): string {
  const spellings = SPELLINGS[core] ?? []
  return `${AROUND[around]}${spellings[spelling % spellings.length]}`
}

function toText({ steps, options, isWrapped }: Line): string {
  const text = options + steps.map((each, at) => (at === 0 ? spell(each) : ` ${each.joinedBy} ${spell(each)}`)).join('')
  return isWrapped ? `/bin/bash -lc '${text.replaceAll("'", "'\\''")}'` : text
}

type Ran = { core: string; code: number; isPlain: boolean }

/** A change of directory is a separate command: `a | cd web && npm test` feeds the pipe to `cd`. */
function toCommands(steps: readonly Step[]): Step[] {
  return steps.flatMap((each, at): Step[] => {
    const first: Step = { ...each, joinedBy: at === 0 ? ';' : each.joinedBy }
    if (each.around !== 'directory') return [first]
    return [
      { ...first, core: 'cd', code: each.code === 2 ? 1 : 0 },
      { ...each, joinedBy: '&&' },
    ]
  })
}

function toPipelines(commands: readonly Step[]): Step[][] {
  const pipelines: Step[][] = []
  for (const command of commands) {
    if (command.joinedBy === '|') pipelines.at(-1)?.push(command)
    else pipelines.push([command])
  }
  return pipelines
}

function statusOf(codes: readonly number[], options: Line['options']): number {
  return (options.includes('pipefail') ? codes.findLast((code) => code !== 0) : codes.at(-1)) ?? 0
}

/** An error ends the line only after the last command of a list. */
function isFinal(next: readonly Step[] | undefined): boolean {
  return next?.[0] === undefined || next[0].joinedBy === ';'
}

/** What a shell does with the line: each command that runs, in order, and the exit code of the line. */
function execute({ steps, options }: Line): { ran: Ran[]; code: number } {
  const ran: Ran[] = []
  let isElsewhere = false
  let status = 0
  const pipelines = toPipelines(toCommands(steps))
  for (const [at, pipeline] of pipelines.entries()) {
    const joinedBy = pipeline[0]?.joinedBy
    if ((joinedBy === '&&' && status !== 0) || (joinedBy === '||' && status === 0)) continue
    const codes = pipeline.map(({ core, code }) => (core === 'echo' ? 0 : code))
    const isPlace = !isElsewhere
    ran.push(
      ...pipeline.map(({ core, around }, index) => {
        return { core, code: codes[index] ?? 0, isPlain: around === 'nothing' && isPlace && index === 0 }
      }),
    )
    isElsewhere ||= pipeline.length === 1 && pipeline[0]?.core === 'cd' && codes[0] === 0
    status = statusOf(codes, options)
    if (options === 'set -e; ' && status !== 0 && isFinal(pipelines[at + 1])) break
  }
  return { ran, code: status }
}

/** What is said about a command that an agent reports with this exit code. */
function judge(command: string, exit_code: number, trace: readonly Traced[]) {
  const activities = [{ kind: 'test', command, exit_code, summary: '-' }] as const
  const changed = ['a']
  const [, judged] = compareClaims(
    { result: 'applied', files_changed: changed, activities, uncertainties: [], attempts: 1 },
    { root: ROOT, changed, changedInRun: changed, isComplete: true, unread: [], ignored: [], trace, checks: [] },
  )
  return judged?.verdict
}

const claim = fc.record({ core: fc.constantFrom('test', 'lint'), code: fc.constantFrom(0, 1, 2), spelling: fc.nat(3) })

describe('any claim after any lines', () => {
  it('is observed only if the command ran with that exit code, and contradicted only if its last plain run did not', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 4 }), claim, (lines, { core, code, spelling }) => {
        const executed = lines.map(execute)
        const trace = lines.map((each, at): Traced => {
          const shown = each.showsCode ? { exit_code: executed[at]?.code ?? 0 } : {}
          return { did: 'command', seq: at, command: toText(each), execution_id: 'e', ...shown }
        })
        const command = spell({ core, code, spelling, joinedBy: ';', around: 'nothing' })
        const verdict = judge(command, code, trace)
        const runs = executed.flatMap(({ ran }) => ran).filter((each) => each.core === core)
        if (verdict === 'observed') expect(runs.map((each) => each.code)).toContain(code)
        if (verdict === 'contradicted') expect(runs.findLast(({ isPlain }) => isPlain)?.code).not.toBe(code)
        if (verdict === 'contradicted') expect(runs.some(({ isPlain }) => isPlain)).toBe(true)
      }),
      { numRuns: RUNS },
    )
  })

  it('that no line names is claimed, whatever text the lines have', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 60 })), fc.string({ minLength: 1 }), (lines, command) => {
        const trace = lines
          .filter((each) => each.trim() !== command.trim())
          .map((each): Traced => ({ did: 'command', seq: 1, command: `x${each}`, exit_code: 1, execution_id: 'e' }))
        expect(judge(`y${command}`, 0, trace)).not.toBe('contradicted')
      }),
      { numRuns: RUNS },
    )
  })
})

describe('any file', () => {
  const path = fc.constantFrom('a.ts', 'src/a.ts', './a.ts', '/work/a.ts', '/etc/a', '../a', 'dist/a.js', 'src')
  it('is contradicted only if git observed everything, does not ignore it, and shows no change of it', () => {
    fc.assert(
      fc.property(
        fc.subarray(['a.ts', 'src/a.ts', 'dist/a.js']),
        path,
        fc.boolean(),
        fc.boolean(),
        (changed, file, isComplete, isIgnored) => {
          const [judged] = compareClaims(
            { result: 'applied', files_changed: [file], activities: [], uncertainties: [], attempts: 1 },
            {
              root: ROOT,
              changed,
              changedInRun: changed,
              isComplete,
              unread: [],
              ignored: isIgnored ? [file] : [],
              trace: [],
              checks: [],
            },
          )
          const place = file.replace(/^(?:\.\/|\/work\/)/, '')
          const isChanged = changed.some((each) => each === place || each.startsWith(`${place}/`))
          const isOutside = file === '/etc/a' || file === '../a'
          expect(judged?.verdict === 'contradicted').toBe(isComplete && !isIgnored && !isChanged && !isOutside)
        },
      ),
    )
  })
})
