/** All lies and accidents. The gate runs a few of different kinds: test/drive/lying-agents.test.ts. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { catchLie, type Lie } from './lies/lie.ts'
import { LIES } from './lies.ts'
import { processesWith } from './observation.ts'
import { type Figures, repeat, type Scenario } from './scenario.ts'

/** A run uses about one core. */
const AT_ONCE = 2

export const LIE_FAULTS: readonly Scenario[] = [
  {
    name: 'agents lie or cheat, or something fails; each run ends with the right exit code, word and flag',
    times: { gate: 0, full: LIES.length },
    run: catchAll,
  },
]

async function catchAll(times: number): Promise<Figures> {
  const since = performance.now()
  const figures: Figures = { times: 0, seconds: 0, sessions: {}, processes: 0, problems: [] }
  await repeat({ often: times, atOnce: AT_ONCE }, async (at) => {
    const lie = LIES[at]
    if (lie === undefined) return
    const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'drover-lie-')))
    const problem = await whyNotCaught(scratch, lie)
    figures.times += 1
    figures.processes += processesWith(join(scratch, 'home')).length
    if (problem !== undefined) figures.problems.push(`${lie.name}: ${problem}`)
    rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  })
  return { ...figures, seconds: (performance.now() - since) / 1000 }
}

async function whyNotCaught(scratch: string, lie: Lie): Promise<string | undefined> {
  try {
    await catchLie(scratch, lie)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
