/** What a run waits for, as text. Pure. */
import type { RunOutline } from '../../runs/run-status.ts'

/** The whole question or request: nothing of it is cut. */
export function describeWait(run: RunOutline): string[] {
  const { state, pause_reason, actions, pending_destructive_request: request, source_candidate } = run
  if (state === 'stopped') return ['The run is stopped.']
  if (source_candidate !== undefined) {
    return ['The issue has changed, and the run waits for a choice between its pinned and its current text.']
  }
  const question = actions.at(-1)?.outcome?.pause?.question
  switch (pause_reason) {
    case 'destructive_confirmation_required':
      return [
        `The run asks to destroy something: ${question ?? ''}`,
        ...(request?.targets ?? []).map(({ kind, value }) => `  ${kind}: ${value}`),
        `Impact: ${request?.impact ?? ''}`,
        `Digest: ${request?.scope_sha256 ?? ''}`,
      ]
    case 'environment_unavailable':
      return [`Something is missing: ${question ?? ''}`]
    case 'budget_exhausted':
      return ['The run has used all of its actions.']
    default:
      return [question ?? 'The run waits for a decision.']
  }
}

/** The commands that let the run go on. */
export function commandsAfter({ id, pause_reason, state, source_candidate }: RunOutline): string[] {
  const goOn = `drover drive ${id}`
  if (source_candidate !== undefined) return [`drover status ${id}`]
  if (state === 'stopped' || pause_reason === 'environment_unavailable') return [goOn]
  if (pause_reason === 'budget_exhausted') return [`${goOn} --actions 8`]
  return [`drover status ${id}`, goOn]
}
