/** The result of a run: what the agent's output says, and how its process ended. Pure. */
import { Fault } from '../kit/fault.ts'
import type { ProcessExit } from '../kit/process/process.ts'
import { quoteWord } from '../kit/shell-words.ts'
import type { AgentError, AgentEvent, AgentRequest, OutputResult } from './adapter/agent.ts'
import { withLoginSteps } from './adapter/agent-login.ts'
import { EXIT_CANCELLED, EXIT_TIMEOUT, exitCodeOfSignal } from './adapter/failure.ts'
import { ANSWER_LIMIT_CHARACTERS } from './adapter/output-reader.ts'
import { agentSilent } from './faults.ts'

export type AgentResult = OutputResult & {
  exitCode: number
  /** Sentences about parts of the request that the agent could not fulfil. */
  warnings: readonly string[]
  ended: ProcessExit['ended']
  durationMs: number
}

/**
 * Why drover stopped the agent: it did not exit after its terminal event, wrote too much, did not begin to answer, printed
 * nothing for too long, or tried again although the model service refuses its login or the sandbox lets it reach none. A
 * Fault says what else it did.
 */
export type StopReason = 'lingered' | 'answer_too_long' | 'late' | 'silent' | 'refused' | 'cut_off' | Fault

/** What ends an agent from outside. These are not failures of the agent, and no message is one of them. */
export const STOPS = {
  agent_cancelled: 'The run was canceled.',
  agent_output_too_large: 'The agent wrote more than 16 Mi characters; drover stopped it.',
} as const

/** The message of a cancel. What the agent was retrying may follow. */
export const CANCELED = 'the run was canceled'

const stopped = (code: keyof typeof STOPS, message: string): AgentError => ({ code, message })

type Facts = {
  request: Pick<AgentRequest, 'backend' | 'timeoutMs' | 'firstEventTimeoutMs' | 'silenceMs'> & {
    agent: Pick<AgentRequest['agent'], 'login' | 'loginAfter' | 'hasLogin'>
    env: AgentRequest['env']
    boundary?: AgentRequest['boundary']
  }
  exit: ProcessExit
  output: OutputResult
  stopReason: StopReason | undefined
  /** The terminal event was read. */
  hasEnded: boolean
  warnings: readonly string[]
  /** The hosts that the sandbox refuses, if the model service must be one of them. */
  cutOff?: readonly string[] | undefined
}

/** Where there is a terminal event, it decides: ending the process after it changes nothing. */
export function toAgentResult(facts: Facts): AgentResult {
  const { exit, output, warnings } = facts
  const { error: _, lastRetry: __, ...rest } = output
  const isFinal =
    isComplete(facts) ||
    facts.stopReason === 'refused' ||
    facts.stopReason === 'cut_off' ||
    facts.stopReason instanceof Fault
  const ended = isFinal ? 'itself' : isOutOfTime(facts) ? 'timeout' : exit.ended
  return { ...rest, ...toOutcome(facts, ended), warnings, ended, durationMs: exit.durationMs }
}

function isComplete({ hasEnded, output, stopReason }: Facts): boolean {
  return hasEnded && (stopReason === 'lingered' || output.error === undefined)
}

type Outcome = { exitCode: number; error?: AgentError }

function toOutcome(facts: Facts, ended: ProcessExit['ended']): Outcome {
  const { exitCode, error: bare } = toBareOutcome(facts, ended)
  const error = bare && (isRefusedBySandbox(facts, bare) ? refusedBySandbox(facts, bare) : bare)
  return error === undefined
    ? { exitCode }
    : { exitCode, error: withLoginSteps(withOwnSteps(suspectLogin(error, facts), facts), facts.request) }
}

/** Without a login some agents try for minutes to reach a service that they are not meant to use. */
function suspectLogin(error: AgentError, { request: { agent, env }, output }: Facts): AgentError {
  const isAnswering = output.text !== ''
  if (error.code !== 'agent_unreachable' || isAnswering || agent.hasLogin?.(env) !== false) return error
  return { ...error, message: `${error.message}; no login for it was found either: ${agent.login}` }
}

/** Steps that depend on what is set. A variable that is set, and that the agent misses, has not come into the sandbox. */
function withOwnSteps(error: AgentError, { request: { agent, env, boundary } }: Facts): AgentError {
  const [, missing = ''] = /missing environment variable: `?(\w+)/i.exec(error.message) ?? []
  const login =
    boundary !== undefined && env[missing]
      ? `let the sandbox pass on ${missing}, which is set: add it to sandbox.env, as with \`drover config set sandbox.env ${[...boundary.settings.env, missing].map(quoteWord).join(' ')}\`; checks and setups get it too`
      : agent.loginAfter?.(error.message, env)
  return login === undefined ? error : { ...error, login }
}

/** A status is that of the sandbox then. */
function isRefusedBySandbox({ cutOff, stopReason, output }: Facts, { code, upstreamStatus }: AgentError): boolean {
  if (cutOff === undefined) return false
  const isRetrying = isOutOfTime({ stopReason }) && output.lastRetry !== undefined
  const isOwnStatus = upstreamStatus === 403 && cutOff.length > 0
  return stopReason === 'cut_off' || code === 'agent_unreachable' || isRetrying || isOwnStatus
}

function refusedBySandbox({ cutOff = [] }: Facts, { message }: AgentError): AgentError {
  const said = message.replace(/[\s.!]+$/, '')
  const problem =
    cutOff.length === 0 ? 'it reaches no host from its sandbox' : `its sandbox refuses ${cutOff.join(', ')}`
  const todo = 'list the host of its model service in sandbox.hosts, or localhost:PORT if it is on this machine'
  return { code: 'agent_host_refused', message: `${problem}; ${todo} (${said})` }
}

function toBareOutcome(facts: Facts, ended: ProcessExit['ended']): Outcome {
  const { exit, output, stopReason } = facts
  const { backend } = facts.request
  if (stopReason === 'refused' && output.error !== undefined && output.lastRetry !== undefined) {
    const message = `its model service refuses its login: ${output.lastRetry.message}`
    return { exitCode: 1, error: { ...output.lastRetry, message } }
  }
  if (stopReason === 'cut_off' && output.error !== undefined) {
    return { exitCode: 1, error: output.lastRetry ?? output.error }
  }
  if (stopReason instanceof Fault && !isComplete(facts)) {
    return { exitCode: 1, error: { code: stopReason.code, message: stopReason.message } }
  }
  if (stopReason === 'answer_too_long') {
    const message = `${backend} wrote more than ${ANSWER_LIMIT_CHARACTERS} characters and was stopped`
    return { exitCode: 1, error: stopped('agent_output_too_large', message) }
  }
  if (ended === 'timeout') return { exitCode: EXIT_TIMEOUT, error: timeoutError(facts) }
  if (ended === 'cancelled') {
    return { exitCode: EXIT_CANCELLED, error: stopped('agent_cancelled', CANCELED + lastRetryIn(facts)) }
  }
  return output.error === undefined ? { exitCode: 0 } : { exitCode: failedExitCode(exit), error: output.error }
}

/** An agent that was still retrying when it had to print something has failed for the reason of the retries. */
function timeoutError(facts: Facts): AgentError {
  const { lastRetry } = facts.output
  const { code, message } = describeTimeout(facts)
  return { code, ...(isOutOfTime(facts) && lastRetry), message: message + lastRetryIn(facts) }
}

function lastRetryIn({ output: { lastRetry } }: Facts): string {
  return lastRetry === undefined ? '' : `; it was retrying after: ${lastRetry.message}`
}

function describeTimeout({ request, stopReason }: Facts): AgentError {
  const { backend, timeoutMs, firstEventTimeoutMs, silenceMs } = request
  if (stopReason === 'silent') return agentSilent({ backend, seconds: (silenceMs ?? 0) / 1000 })
  const [what, limitMs] = stopReason === 'late' ? ['begin its answer', firstEventTimeoutMs] : ['finish', timeoutMs]
  return {
    code: 'agent_timeout',
    message: `${backend} did not ${what} within ${(limitMs ?? 0) / 1000} s and was stopped`,
  }
}

function isOutOfTime({ stopReason }: Pick<Facts, 'stopReason'>): boolean {
  return stopReason === 'late' || stopReason === 'silent'
}

/** The agent's own exit code; 1 if it exited with 0 or drover ended it. */
function failedExitCode({ ended, code, signal }: ProcessExit): number {
  if (ended !== 'itself') return 1
  return code || (signal === null ? 1 : exitCodeOfSignal(signal))
}

/** A run of an agent, as it is read. */
export type AgentRun = AsyncGenerator<AgentEvent, AgentResult, undefined>
