import type { ProtocolState } from '../contract/protocol-state.shape.ts'
import type { ResumeResult } from '../contract/resume-result.shape.ts'
import type { Decided, Decision } from '../engine/decision.ts'
import type { Facts } from '../engine/facts.ts'
import type { Run } from '../engine/run.ts'
import { toProtocolState } from '../engine/to-protocol-state.ts'
import type { Material } from '../journal/materials.ts'
import { updateRun } from '../journal/update-run.ts'
import { toTimestamp } from '../kit/clock.ts'
import type { Digest } from '../kit/digest.ts'
import { Fault } from '../kit/fault.ts'
import { interruptible } from './interruptible.ts'
import { look } from './look.ts'
import { refuseOthers, refuseUntrue } from './open-run.ts'
import { outputLost } from './output-lost.ts'
import { refuseMoved } from './own-workspace.ts'
import type { Worksite } from './worksite.ts'

/** What the engine is to decide, and the texts that come and go with what it decides. */
export type Change = {
  readonly decide: (run: Run, facts: Facts) => Decision
  readonly materials?: readonly Material[]
  readonly toDrop?: (before: Run, after: Run) => readonly Digest[]
}

/** Takes the run, lets the engine decide, and records what it says. Nobody else can change the run meanwhile. */
export async function changeRun(site: Worksite, runId: string, change: Change): Promise<Decided> {
  refuseOthers(site, runId)
  return await interruptible(site, () =>
    updateRun<Decided>(site.store, runId, async (run) => {
      // Others may have been waited for, and whoever has lost patience by then wants nothing done any more.
      site.signal.throwIfAborted()
      refuseUntrue(site, run)
      const decided = await decideWithFacts(site, run, change)
      if (decided.is === 'unchanged') return { result: decided }
      refuseMoved(site, run)
      const { materials = [], toDrop } = change
      return {
        event: decided.event,
        materials,
        dropMaterials: toDrop?.(run, decided.run) ?? [],
        result: decided,
      }
    }),
  )
}

/** Looking at the worktree takes time, so it is looked at only when the engine asks for it. */
async function decideWithFacts(site: Worksite, run: Run, { decide }: Change): Promise<Decided> {
  const facts = { now: toTimestamp(site.clock.now()), actionId: site.ids.uuid() }
  const first = decide(run, facts)
  if (first.is !== 'sighting_needed') return first
  const second = decide(run, { ...facts, sighting: await look(site) })
  if (second.is === 'sighting_needed') throw new TypeError('the engine was told what it asked for and asks again')
  return second
}

/** What a command that changed a run answers. A change that is recorded stays so, whatever becomes of the answer. */
export function reportChange(run: Run, resumed?: ResumeResult): ProtocolState {
  try {
    return toProtocolState(run, resumed)
  } catch (error) {
    throw error instanceof Fault ? outputLost(error.message, error) : error
  }
}
