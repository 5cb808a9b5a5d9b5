import type { ProtocolState } from '../contract/protocol-state.shape.ts'
import type { ResumeResult } from '../contract/resume-result.shape.ts'
import type { Decided, Decision } from '../engine/decision.ts'
import type { Facts } from '../engine/facts.ts'
import type { Run } from '../engine/state/run.ts'
import { toProtocolState } from '../engine/to-protocol-state.ts'
import type { Material } from '../journal/materials.ts'
import { updateRun } from '../journal/update-run.ts'
import { toTimestamp } from '../kit/clock.ts'
import type { Digest } from '../kit/digest.ts'
import { Fault } from '../kit/fault.ts'
import { interruptible } from './interruptible.ts'
import { observeWorkspace } from './observe-workspace.ts'
import { refuseOthers, refuseUntrue } from './open-run.ts'
import { outputLost } from './output-lost.ts'
import { refuseMoved } from './own-workspace.ts'
import type { RunContext } from './run-context.ts'

/** What the engine is to decide, and the texts that come and go with what it decides. */
export type Change = {
  readonly decide: (run: Run, facts: Facts) => Decision
  readonly materials?: readonly Material[]
  readonly toDrop?: (before: Run, after: Run) => readonly Digest[]
}

/** Takes the run, lets the engine decide, and records what it says. Nobody else can change the run meanwhile. */
export async function changeRun(context: RunContext, runId: string, change: Change): Promise<Decided> {
  refuseOthers(context, runId)
  return await interruptible(context, () =>
    updateRun<Decided>(context.store, runId, async (run) => {
      // Others may have been waited for, and whoever has lost patience by then wants nothing done any more.
      context.signal.throwIfAborted()
      refuseUntrue(context, run)
      const decided = await decideWithFacts(context, run, change)
      if (decided.is === 'unchanged') return { result: decided }
      refuseMoved(context, run)
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
async function decideWithFacts(context: RunContext, run: Run, { decide }: Change): Promise<Decided> {
  const facts = { now: toTimestamp(context.clock.now()), actionId: context.ids.uuid() }
  const first = decide(run, facts)
  if (first.is !== 'needs_git_facts') return first
  const second = decide(run, { ...facts, gitFacts: await observeWorkspace(context) })
  if (second.is === 'needs_git_facts') throw new TypeError('the engine was told what it asked for and asks again')
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
