/** The result of a run: what the agent's output says, and how its process ended. Pure. */
import type { ProcessExit } from '../kit/process/process.ts'
import type { AgentError, AgentRequest, OutputResult } from './adapter/agent.ts'
import { EXIT_CANCELLED, EXIT_TIMEOUT, exitCodeOfSignal } from './adapter/exit-codes.ts'
import { ANSWER_LIMIT_CHARACTERS } from './adapter/output-reader.ts'

export type AgentResult = OutputResult & {
  exitCode: number
  /** Sentences about parts of the request that the agent could not fulfil. */
  warnings: readonly string[]
  ended: ProcessExit['ended']
  durationMs: number
}

/** Why drover ended the agent: it did not exit after its terminal event, wrote too much, or did not begin to answer. */
export type StopReason = 'lingered' | 'answer_too_long' | 'silent'

type Facts = {
  request: Pick<AgentRequest, 'backend' | 'timeoutMs' | 'firstEventTimeoutMs'>
  exit: ProcessExit
  output: OutputResult
  stopReason: StopReason | undefined
  /** The terminal event was read. */
  hasEnded: boolean
  warnings: readonly string[]
}

/** Where there is a terminal event, it decides: ending the process after it changes nothing. */
export function toAgentResult(facts: Facts): AgentResult {
  const { exit, output, warnings } = facts
  const { error: _, lastRetry: __, ...rest } = output
  const ended = isComplete(facts) ? 'itself' : facts.stopReason === 'silent' ? 'timeout' : exit.ended
  return { ...rest, ...toOutcome(facts, ended), warnings, ended, durationMs: exit.durationMs }
}

function isComplete({ hasEnded, output, stopReason }: Facts): boolean {
  return hasEnded && (stopReason === 'lingered' || output.error === undefined)
}

type Outcome = { exitCode: number; error?: AgentError }

function toOutcome(facts: Facts, ended: ProcessExit['ended']): Outcome {
  const { exit, output } = facts
  const { backend } = facts.request
  if (facts.stopReason === 'answer_too_long') {
    const message = `${backend} wrote more than ${ANSWER_LIMIT_CHARACTERS} characters and was ended`
    return { exitCode: 1, error: { code: 'agent_output_too_large', message } }
  }
  if (ended === 'timeout') return { exitCode: EXIT_TIMEOUT, error: timeoutError(facts) }
  if (ended === 'cancelled') {
    return { exitCode: EXIT_CANCELLED, error: { code: 'agent_cancelled', message: 'the run was cancelled' } }
  }
  return output.error === undefined ? { exitCode: 0 } : { exitCode: failedExitCode(exit), error: output.error }
}

/** An agent that was still retrying when it had to begin its answer has failed for the reason of the retries. */
function timeoutError({ request, output, stopReason }: Facts): AgentError {
  const { backend, timeoutMs, firstEventTimeoutMs } = request
  const { lastRetry } = output
  const isSilent = stopReason === 'silent'
  const seconds = ((isSilent ? firstEventTimeoutMs : timeoutMs) ?? 0) / 1000
  const what = isSilent ? 'begin its answer' : 'finish'
  const retries = lastRetry === undefined ? '' : `; it was retrying after: ${lastRetry.message}`
  const message = `${backend} did not ${what} within ${seconds} s and was ended${retries}`
  return { ...(isSilent && lastRetry), code: isSilent && lastRetry ? lastRetry.code : 'agent_timeout', message }
}

/** The agent's own exit code; 1 if it exited with 0 or drover ended it. */
function failedExitCode({ ended, code, signal }: ProcessExit): number {
  if (ended !== 'itself') return 1
  return code || (signal === null ? 1 : exitCodeOfSignal(signal))
}
