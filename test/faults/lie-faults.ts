/** All agents that lie. The gate runs those that differ most in test/drive/lying-agents.test.ts. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { catchLie, LIES, type Lie } from './lies.ts'
import { processesWith } from './observation.ts'
import type { Figures, Scenario } from './scenario.ts'

export const LIE_FAULTS: readonly Scenario[] = [
  {
    name: `${LIES.length} agents lie, cheat or never end; ${LIES.length} are caught with the right word`,
    times: { gate: 0, full: LIES.length },
    run: catchAll,
  },
]

async function catchAll(): Promise<Figures> {
  const since = performance.now()
  const figures: Figures = { times: 0, seconds: 0, sessions: {}, processes: 0, problems: [] }
  for (const lie of LIES) {
    const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'drover-lie-')))
    const problem = await whyNotCaught(scratch, lie)
    figures.times += 1
    figures.processes += processesWith(join(scratch, 'home')).length
    if (problem !== undefined) figures.problems.push(`an agent that ${lie.name}: ${problem}`)
    rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
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
