/** The result of a prompt as it goes over the wire, the same on the command line and over HTTP. */
import type { Backend, Usage } from '../agents/agent.ts'
import type { AgentResult } from '../agents/settle-result.ts'
import { NO_USAGE } from '../agents/usage.ts'

export type PromptResult = {
  /** drover's own id; empty when no session was kept. */
  session_id: string
  backend: Backend
  model?: string
  exit_code: number
  duration_ms: number
  output: string
  token_usage: Usage
  /** The agent's own id of the session. */
  backend_session_id?: string
  error?: { code: string; message: string }
  /** What was asked for and could not be had. */
  warnings?: readonly string[]
}

export function toPromptResult(backend: Backend, result: AgentResult): PromptResult {
  const { exitCode, durationMs, text, usage, model, sessionId, error, warnings } = result
  return {
    session_id: '',
    backend,
    ...(model !== undefined && { model }),
    exit_code: exitCode,
    duration_ms: durationMs,
    output: text,
    token_usage: usage,
    ...(sessionId !== undefined && { backend_session_id: sessionId }),
    ...(error !== undefined && { error }),
    ...(warnings.length > 0 && { warnings }),
  }
}

/** What would have been done, and was not. */
export function dryRunResult(backend: Backend, line: string, warnings: readonly string[]): PromptResult {
  return {
    session_id: '',
    backend,
    exit_code: 0,
    duration_ms: 0,
    output: line,
    token_usage: NO_USAGE,
    ...(warnings.length > 0 && { warnings }),
  }
}
