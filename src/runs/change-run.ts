import type { ProtocolState } from '../contract/protocol-state.shape.ts'
import type { ResumeResult } from '../contract/resume-result.shape.ts'
import type { Decided, Decision, Facts, GitFacts } from '../engine/decision.ts'
import type { Run } from '../engine/state/run.ts'
import { toProtocolState } from '../engine/to-protocol-state.ts'
import type { Material } from '../journal/materials.ts'
import { updateRun } from '../journal/update-run.ts'
import { toTimestamp } from '../kit/clock.ts'
import type { Digest } from '../kit/digest.ts'
import { Fault } from '../kit/fault.ts'
import { encodeUtf8 } from '../kit/utf8.ts'
import type { SourceReading } from '../source/read-source.ts'
import { observeGit } from '../workspace/observe-git.ts'
import { outputFailure } from './faults.ts'
import { checkRunOwner, checkSourceRevisions } from './open-run.ts'
import { interruptible, type RunContext } from './run-context.ts'
import { checkWorkspaceInPlace, refuseOwnRun } from './run-worktree.ts'

/** The decision that the engine must make, and the section texts to store or remove with it. */
export type RunChange = {
  readonly decide: (run: Run, facts: Facts) => Decision
  readonly materials?: readonly Material[]
  readonly toDrop?: (before: Run, after: Run) => readonly Digest[]
}

/** Locks a run, lets the engine decide, and records the event. */
export async function changeRun(context: RunContext, runId: string, change: RunChange): Promise<Decided> {
  refuseOwnRun(context, runId)
  checkRunOwner(context, runId)
  return await interruptible(context, () =>
    updateRun<Decided>(context.store, runId, async (run) => {
      // The lock may have taken a while: stop here if the caller aborted meanwhile.
      context.signal.throwIfAborted()
      checkSourceRevisions(context, run)
      const decided = await decideWithFacts(context, run, change)
      if (decided.is === 'unchanged') return { result: decided }
      checkWorkspaceInPlace(context, run)
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

/** Observing the worktree takes time, so it happens only if the engine asks for it. */
async function decideWithFacts(context: RunContext, run: Run, { decide }: RunChange): Promise<Decided> {
  const facts = { now: toTimestamp(context.clock.now()), actionId: context.ids.uuid() }
  const first = decide(run, facts)
  if (first.is !== 'needs_git_facts') return first
  const second = decide(run, { ...facts, gitFacts: await observeWorkspace(context) })
  if (second.is === 'needs_git_facts') throw new TypeError('the engine has the git facts and asks for them again')
  return second
}

/** A git failure is a fact that the engine handles; an abort is not. */
async function observeWorkspace({ workspace, git, signal }: RunContext): Promise<GitFacts> {
  try {
    return { is: 'observed', git: await observeGit({ start: workspace.worktree_root, isRoot: true, git, signal }) }
  } catch (error) {
    if (!(error instanceof Fault) || signal.aborted) throw error
    return { is: 'unavailable', problem: error.message }
  }
}

/** The response to a change. The change stays recorded even if the response fails. */
export function reportChange(run: Run, resumed?: ResumeResult): ProtocolState {
  try {
    return toProtocolState(run, resumed)
  } catch (error) {
    throw error instanceof Fault ? outputFailure(error.message, error) : error
  }
}

/** The section texts of a source, as materials of the journal. */
export type PinnedReading = Extract<SourceReading, { is: 'pinned' }>

export function toMaterials(reading: SourceReading | undefined): readonly Material[] {
  if (reading?.is !== 'pinned') return []
  return Array.from(reading.materials, ([digest, text]) => ({ digest: digest as Digest, bytes: encodeUtf8(text) }))
}

/** The section texts that only a rejected candidate used. */
export function rejectedMaterials(before: Run, after: Run): readonly Digest[] {
  const candidate = before.source_candidate?.snapshot
  if (candidate === undefined || after.source_candidate !== undefined) return []
  const accepted = new Set(after.accepted_sections.map(({ material_sha256 }) => material_sha256))
  const texts = new Set(candidate.sections.map(({ material_sha256 }) => material_sha256))
  return [...texts].filter((digest) => !accepted.has(digest)) as Digest[]
}
