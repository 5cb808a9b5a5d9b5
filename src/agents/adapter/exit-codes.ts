/** What exit codes mean: those that agents exit with, and those that drover reports for a prompt. */
import { constants } from 'node:os'
import type { AgentError, Backend } from './agent.ts'
import type { AgentFailure, FailureCode } from './failure.ts'

/** The agent was ended at its deadline; as `timeout(1)` has it. */
export const EXIT_TIMEOUT = 124
/** The prompt was cancelled; as shells have it for SIGINT. */
export const EXIT_CANCELLED = 130

/** As shells have it for a program that a signal ended. */
export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal]
}

/** Exit codes that say what went wrong. Any other code but 0 only says that something did. */
const FAILURE_CODES: Readonly<Record<Backend, Readonly<Record<number, FailureCode>> | undefined>> = {
  gemini: { 41: 'agent_auth_failed', 53: 'agent_max_turns' },
}

/** What the exit code alone says about a failure. */
export function failureOfExitCode(backend: Backend, code: number | null): Pick<AgentFailure, 'code' | 'status'> {
  if (code === null) return {}
  const known = FAILURE_CODES[backend]?.[code]
  if (known !== undefined) return { code: known }
  return backend === 'gemini' ? geminiStatus(code) : {}
}

/** Gemini exits with the HTTP status of the model service, of which the system keeps the lower 8 bits. */
function geminiStatus(code: number): Pick<AgentFailure, 'status'> {
  if (code === 529 % 256) return { status: 529 }
  return code >= 400 % 256 && code <= 255 ? { status: code + 256 } : {}
}

/** How an agent would have exited if its process had been for this failure alone. */
export function exitCodeOfFailure(backend: Backend, { code, upstreamStatus = 0 }: AgentError): number {
  const known = Object.entries(FAILURE_CODES[backend] ?? {}).find(([, each]) => each === code)
  if (backend === 'gemini' && upstreamStatus % 256 !== 0) return upstreamStatus % 256
  return known === undefined ? 1 : Number(known[0])
}
