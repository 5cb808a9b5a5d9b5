import type { ProtocolState } from '../contract/protocol-state.shape.ts'
import type { RawSourceEnvelope } from '../contract/raw-source-envelope.shape.ts'
import type { SourceChoice } from '../engine/operations/choose-source.ts'
import { resume } from '../engine/operations/resume.ts'
import { toTimestamp } from '../kit/clock.ts'
import { withoutUndefined } from '../kit/json-value.ts'
import { readSource, toCandidate } from '../source/read-source.ts'
import { digestSource } from '../source/revisions.ts'
import { changeRun, rejectedMaterials, reportChange, toMaterials } from './change-run.ts'
import type { RunContext } from './run-context.ts'

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
