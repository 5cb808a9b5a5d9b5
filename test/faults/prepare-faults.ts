/**
 * The driver is killed at every step of a preparation. The next one must continue, nothing half copied may be used, and the tree of
 * the user must not change.
 */
import { IS_FULL } from '../support/full-counts.ts'
import { PreparedRuns, type PreparedRunsOptions } from './prepared-run.ts'
import { type Figures, repeat, type Scenario } from './scenario.ts'

const GOALS = ['Show the wind in knots', 'Show the rain in knots'] as const
const AT_ONCE = 2

/** How the worktrees of the runs in one home are prepared, one after the other. */
const SETUP_THEN_TEMPLATE = { installed: 'nothing', from: ['setup', 'template'] } as const
const SHARE = { installed: 'everything', from: ['share'] } as const

type Table = { installed: PreparedRunsOptions['installed']; from: readonly string[] }

export const PREPARE_FAULTS: readonly Scenario[] = [
  killTable('driver killed at each step of a setup, and of a copy of its template; the run continues', {
    ...SETUP_THEN_TEMPLATE,
    isWhole: false,
    gate: 1,
  }),
  killTable('driver killed at each step of a copy of what the user has installed; the run continues', {
    ...SHARE,
    isWhole: false,
    gate: IS_FULL ? 1 : 0,
  }),
  killTable('the same of a setup and a template, and each run is delivered', {
    ...SETUP_THEN_TEMPLATE,
    isWhole: true,
    gate: 0,
    full: 10,
  }),
]

type KillTable = Table & { isWhole: boolean; gate: number; full?: number }

function killTable(name: string, { gate, full = Number.MAX_SAFE_INTEGER, isWhole, ...table }: KillTable): Scenario {
  return { name, times: { gate, full }, run: async (times) => await killAtEach(times, table, isWhole) }
}

async function killAtEach(times: number, table: Table, isWhole: boolean): Promise<Figures> {
  const since = performance.now()
  const moments = times === 0 ? [0] : await countMoments(table)
  const often = Math.min(times, Math.max(...moments))
  const figures: Figures = { times: 0, seconds: 0, sessions: {}, processes: 0, problems: [] }
  await repeat({ often, atOnce: AT_ONCE }, async (at) => {
    // From the beginning to the end, however few.
    const share = (at + 0.5) / often
    const kills = moments.map((count) => Math.ceil(share * count))
    figures.problems.push(...(await killIn(table, isWhole, kills)))
    figures.times += kills.length
  })
  return { ...figures, seconds: (performance.now() - since) / 1000 }
}

async function countMoments({ installed, from }: Table): Promise<number[]> {
  using runs = new PreparedRuns({ installed, isWhole: false })
  const moments: number[] = []
  for (const [at, each] of from.entries()) {
    const problems = runs.problems(await runs.drive(GOALS[at] ?? ''), [each])
    if (problems.length > 0) throw new Error(`without a kill: ${problems.join('; ')}`)
    moments.push(runs.moments)
  }
  return moments
}

async function killIn({ installed, from }: Table, isWhole: boolean, kills: readonly number[]): Promise<string[]> {
  using runs = new PreparedRuns({ installed, isWhole })
  const problems: string[] = []
  for (const [at, each] of from.entries()) {
    const killed = await runs.drive(GOALS[at] ?? '', kills[at])
    const where = `${each}, killed at ${kills[at]}: `
    if (killed.code !== null) problems.push(`${where}it was not killed: ${killed.output}`)
    // A setup that was killed at its end has left its template.
    const found = runs.problems(await runs.drive(killed.runId), each === 'setup' ? ['setup', 'template'] : [each])
    problems.push(...found.map((problem) => where + problem))
  }
  return problems
}
