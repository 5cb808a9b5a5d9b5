/**
 * The driver is killed at every step of a preparation. The next one must continue, nothing half copied may be used, and the tree of
 * the user must not change.
 */
import { PreparedRuns } from './prepared-run.ts'
import { type Figures, repeat, type Scenario } from './scenario.ts'

const GOALS = ['Show the wind in knots', 'Show the rain in knots'] as const
const AT_ONCE = 2

export const PREPARE_FAULTS: readonly Scenario[] = [
  {
    name: 'driver killed at each step of a setup, then of a copy of its template; both runs continue',
    times: { gate: 1, full: Number.MAX_SAFE_INTEGER },
    run: async (times) => await killAtEach(times, 'nothing', ['setup', 'template']),
  },
  {
    name: 'driver killed at each step while it copies what the user has installed; the run continues',
    times: { gate: 1, full: Number.MAX_SAFE_INTEGER },
    run: async (times) => await killAtEach(times, 'everything', ['share']),
  },
]

type Way = ConstructorParameters<typeof PreparedRuns>[0]

/** In each home, a run for each of `from`: how its worktree is prepared. */
async function killAtEach(times: number, way: Way, from: readonly string[]): Promise<Figures> {
  const since = performance.now()
  const moments = await countMoments(way, from)
  const most = Math.max(...moments)
  const often = Math.min(times, most)
  const figures: Figures = { times: 0, seconds: 0, sessions: {}, processes: 0, problems: [] }
  await repeat({ often, atOnce: AT_ONCE }, async (at) => {
    // From the beginning to the end, however few.
    const share = (at + 0.5) / often
    const kills = moments.map((count) => Math.ceil(share * count))
    figures.problems.push(...(await killIn(way, from, kills)))
    figures.times += kills.length
  })
  return { ...figures, seconds: (performance.now() - since) / 1000 }
}

async function countMoments(way: Way, from: readonly string[]): Promise<number[]> {
  using runs = new PreparedRuns(way)
  const moments: number[] = []
  for (const [at, each] of from.entries()) {
    const problems = runs.problems(await runs.drive(GOALS[at] ?? ''), each)
    if (problems.length > 0) throw new Error(`without a kill: ${problems.join('; ')}`)
    moments.push(runs.moments)
  }
  return moments
}

async function killIn(way: Way, from: readonly string[], kills: readonly number[]): Promise<string[]> {
  using runs = new PreparedRuns(way)
  const problems: string[] = []
  for (const [at, each] of from.entries()) {
    const killed = await runs.drive(GOALS[at] ?? '', kills[at])
    const where = `${each}, killed at ${kills[at]}: `
    if (killed.code !== null) problems.push(`${where}it was not killed: ${killed.output}`)
    const found = runs.problems(await runs.drive(killed.runId), each)
    problems.push(...found.map((problem) => where + problem))
  }
  return problems
}
