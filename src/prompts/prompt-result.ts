/** The result of a prompt as it goes over the wire; the same for the command line and HTTP. */

import type { ClientCall } from '../agents/adapter/agent.shape.ts'
import type { AgentError } from '../agents/adapter/agent.ts'
import { NO_USAGE } from '../agents/adapter/token-usage.ts'
import type { AgentResult } from '../agents/agent-result.ts'
import type { Fault } from '../kit/fault.ts'
import { isRetryable } from '../kit/retryable.ts'
import { type BudgetRefusal, isBudget, toRefusingBudget } from './budget-faults.ts'
import type { RefusingBudget } from './budget-list.shape.ts'
import type { Cost } from './decide-cost.ts'
import { shuttingDown } from './faults.ts'
import type { ApprovalRecord, BoundaryReport, PromptResult } from './prompt-result.shape.ts'

export type { ApprovalRecord, PromptResult }

/** The result of a part of a turn. `tool_calls`: the turn has not ended, but waits for the results of these calls. */
export type PartResult = PromptResult & { readonly tool_calls?: readonly ClientCall[] }

type Known = { backend: string; sessionId: string; warnings: readonly string[] }
type KnownApprovals = { approvals: readonly ApprovalRecord[]; boundary: BoundaryReport | undefined }

/** Without a cost, the one that the agent reports counts. */
export function toPromptResult(
  result: AgentResult & { cost?: Cost; budget?: RefusingBudget },
  known: Known & KnownApprovals,
): PromptResult {
  const { exitCode, durationMs, text, usage, cost = toReported(result), model, sessionId, error, budget } = result
  return {
    session_id: known.sessionId,
    backend: known.backend,
    ...(model !== undefined && { model }),
    exit_code: exitCode,
    duration_ms: durationMs,
    output: text,
    token_usage: usage,
    ...costFields(cost),
    ...(sessionId !== undefined && { backend_session_id: sessionId }),
    ...(error !== undefined && failureFields(error)),
    ...(budget !== undefined && { budget }),
    ...(known.approvals.length > 0 && { approvals: known.approvals }),
    ...(known.boundary !== undefined && { boundary: known.boundary }),
    ...(known.warnings.length > 0 && { warnings: known.warnings }),
  }
}

function toReported({ costUsd }: AgentResult): Cost {
  return costUsd === undefined ? { kind: 'unknown' } : { kind: 'reported', usd: costUsd }
}

function costFields({ kind, usd }: Cost) {
  return { ...(usd !== undefined && { cost_usd: usd }), ...(kind !== 'unknown' && { cost_kind: kind }) }
}

function failureFields({ message, code, upstreamStatus, retryAfterSecs }: AgentError) {
  return {
    ...errorFields(message, code),
    ...(upstreamStatus !== undefined && { upstream_status: upstreamStatus }),
    ...(retryAfterSecs !== undefined && { retry_after_secs: retryAfterSecs }),
  }
}

/** How a prompt has failed, in its result. */
export function errorFields(error: string, code: string) {
  return { error, error_code: code, retryable: isRetryable(code) }
}

const NOTHING_RAN = { session_id: '', duration_ms: 0, output: '', token_usage: NO_USAGE }

/** The output is the command that was not started. */
export function dryRunResult(line: string, known: Known & { model: string | undefined }): PromptResult {
  return {
    ...NOTHING_RAN,
    session_id: known.sessionId,
    backend: known.backend,
    ...(known.model !== undefined && { model: known.model }),
    exit_code: 0,
    output: line,
    ...(known.warnings.length > 0 && { warnings: known.warnings }),
  }
}

/** A prompt of a batch that could not be started. */
export function failedResult(
  backend: string,
  fault: Pick<Fault, 'message' | 'code'> & { details?: unknown },
): PromptResult {
  const { message, code } = fault
  const { retryAfterSecs: wait } = (fault.details ?? {}) as { retryAfterSecs?: unknown }
  const retry = typeof wait === 'number' ? { retry_after_secs: wait } : {}
  const budget = isBudget(code) ? { budget: toRefusingBudget(fault.details as BudgetRefusal) } : {}
  return { ...NOTHING_RAN, backend, exit_code: 1, ...errorFields(message, code), ...retry, ...budget }
}

/** An agent that had started gives `agent_cancelled`. */
export const CANCELED_CODE = 'canceled'

/** A prompt that was cancelled before its agent started. */
export function canceledResult(backend: string): PromptResult {
  return { ...NOTHING_RAN, backend, exit_code: -1, ...errorFields('canceled', CANCELED_CODE) }
}

export type PromptStatus = 'completed' | 'failed' | 'canceled'

export function toPromptStatus({ exit_code: exitCode, error, error_code: code }: PromptResult): PromptStatus {
  if (code === CANCELED_CODE || code === 'agent_cancelled' || code === shuttingDown.code) return 'canceled'
  return exitCode === 0 && error === undefined ? 'completed' : 'failed'
}
