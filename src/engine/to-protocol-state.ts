import { CONTRACT_VERSION } from '../contract/limits.ts'
import type { ProtocolState } from '../contract/protocol-state.shape.ts'
import { checkProtocolState } from '../contract/protocol-state.ts'
import type { ResumeResult } from '../contract/resume-result.shape.ts'
import { withoutUndefined } from '../kit/json-value.ts'
import { nextHint } from './next-hint.ts'
import type { Run } from './state/run.ts'

/** The response to a command that changes a run; `resumed` is the result of a resume. */
export function toProtocolState(run: Run, resumed?: ResumeResult): ProtocolState {
  return checkProtocolState(
    withoutUndefined({
      contract_version: CONTRACT_VERSION,
      run_id: run.id,
      state: run.state,
      pause_reason: run.pause_reason,
      summary: run.summary,
      action: run.current_action,
      next: nextHint(run),
      pinned_source: run.pinned_source,
      source_candidate: run.source_candidate,
      resume_operation: resumed?.operation,
      budget_applied: resumed?.budget_applied,
    }),
  )
}
