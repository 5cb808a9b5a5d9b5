/** Decides how much of an execution is stored and how it ended. Pure. */

import type { AttachedFile } from '../../agents/adapter/attached-file.ts'
import { Fault, toErrorMessage } from '../../kit/fault.ts'
import type { ExecutionStart, RecordedResult } from '../../prompts/execution-recorder.ts'
import { type PromptResult, toPromptStatus } from '../../prompts/prompt-result.ts'
import type { AttachmentRecord, Execution } from './execution.shape.ts'
import type { ExecutionState, KeepMode } from './execution-states.ts'

/** Nothing of an ephemeral prompt is stored. A dry run has no events. */
export function decideKeep(
  { isEphemeral, isDryRun = false }: Pick<ExecutionStart, 'isEphemeral' | 'isDryRun'>,
  setting: KeepMode,
): KeepMode {
  if (isEphemeral) return 'none'
  return isDryRun && setting === 'events' ? 'results' : setting
}

/** A batch is completed when all of its parts are, and what comes after them. */
export function toFinalState(result: RecordedResult): ExecutionState {
  const states = promptResults(result).map(toPromptStatus)
  if (states.includes('canceled') || ('results' in result && result.canceled === true)) return 'cancelled'
  return states.every((state) => state === 'completed') ? 'completed' : 'failed'
}

/** The fields of the record that are only known at the end. */
export function summarizeEnd(
  result: RecordedResult,
): Pick<Execution, 'model' | 'usage' | 'session_id' | 'cost_usd' | 'cost_kind'> {
  if ('results' in result) return {}
  const { model, session_id: sessionId, token_usage: usage, cost_usd: cost, cost_kind: kind } = result
  return {
    usage,
    ...(model !== undefined && { model }),
    ...(sessionId !== '' && { session_id: sessionId }),
    ...(cost !== undefined && { cost_usd: cost }),
    ...(kind !== undefined && { cost_kind: kind }),
  }
}

function promptResults(result: RecordedResult): readonly PromptResult[] {
  return 'results' in result ? result.results : [result]
}

/** Why an execution has no result. */
export function toExecutionError(error: unknown): NonNullable<Execution['error']> {
  if (error instanceof Fault) {
    const { code, message, kind, details } = error
    // Those of a budget are for its client, on whichever machine it waits.
    return {
      code,
      message,
      kind,
      ...(kind === 'rate_limited' && { details: details as Record<string, string | number> }),
    }
  }
  return { code: 'internal_error', message: toErrorMessage(error) }
}

/** What is shown of an attachment: everything but its content. */
export function describeAttachment({ digest, mediaType, size, name }: AttachedFile): AttachmentRecord {
  return { digest, media_type: mediaType, size, ...(name !== undefined && { name }) }
}
