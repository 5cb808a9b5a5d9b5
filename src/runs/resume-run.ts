import type { Next } from '../contract/next.shape.ts'
import { makeVariant } from '../contract/next-variants.ts'
import type { ProtocolState } from '../contract/protocol-state.shape.ts'
import type { RawSourceEnvelope } from '../contract/raw-source-envelope.shape.ts'
import { resumeHint } from '../engine/next-hint.ts'
import type { SourceChoice } from '../engine/operations/choose-source.ts'
import { type ResumeRequest, resume } from '../engine/operations/resume.ts'
import { toTimestamp } from '../kit/clock.ts'
import { Fault } from '../kit/fault.ts'
import { readSource } from '../source/read-source.ts'
import { digestSource } from '../source/revisions.ts'
import { toCandidate } from '../source/to-candidate.ts'
import { changeRun, reportChange } from './change-run.ts'
import { openRun } from './open-run.ts'
import type { RunContext } from './run-context.ts'
import { rejectedMaterials, toMaterials } from './source-materials.ts'

export type ResumeOptions = {
  readonly budget?: number | undefined
  /** The issue as it is now. */
  readonly envelope?: RawSourceEnvelope | undefined
  readonly usePinnedSource?: boolean
  readonly choice?: SourceChoice | undefined
  readonly candidateId?: string | undefined
}

/** Resumes a run. A changed issue is stored as a candidate, so that a person can choose. */
export async function resumeRun(context: RunContext, runId: string, options: ResumeOptions): Promise<ProtocolState> {
  const { envelope, ...rest } = options
  const reading = envelope && readSource(envelope)
  const stamp = { candidate_id: context.ids.uuid(), created_at: toTimestamp(context.clock.now()) }
  const refreshed = envelope && reading && toCandidate(envelope, reading, stamp)
  const request = withoutUndefined({ ...rest, refreshed })
  const decided = await changeRun(context, runId, {
    decide: (run, facts) => resume(run, request, { ...facts, revisionOf: digestSource }),
    materials: toMaterials(reading),
    toDrop: rejectedMaterials,
  })
  const resumed = decided.is === 'unchanged' ? decided.resumed : decided.run.last_resume_result
  return reportChange(decided.run, resumed)
}

/** The `next` after an unreadable envelope: how to resume the run or, if the run cannot be read, how to refresh it. */
export async function nextForResume(
  context: RunContext,
  runId: string,
  { budget }: Pick<ResumeOptions, 'budget'>,
): Promise<Next> {
  try {
    return await openRun(context, runId, resumeHint)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const { id, worktree_root: ROOT } = context.workspace
    const fixed = budget === undefined ? {} : { BUDGET: String(budget) }
    const variant = makeVariant('refresh-source', { RUN: runId, ROOT, ...fixed })
    return { operation: 'resume', workspace_identity: id, variants: [variant] }
  }
}

function withoutUndefined(request: { [F in keyof ResumeRequest]: ResumeRequest[F] | undefined }): ResumeRequest {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))
}
