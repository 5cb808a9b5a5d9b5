/** What a prompt ends with that a stopping server cancels: its client must not take that for a cancel by a person. */
import type { AgentEvent } from '../agents/adapter/agent.ts'
import type { AgentResult } from '../agents/agent-result.ts'
import { isFault } from '../kit/fault.ts'
import { shuttingDown } from './faults.ts'
import { errorFields, type PromptResult, toPromptStatus } from './prompt-result.ts'

/** When to try again, if nothing says how long the server is away. */
export const RETRY_SECS = 5

const { code, message } = shuttingDown({})

/**
 * A signal that follows another one and can also be aborted. Its reason says whether the end of the server came first. Not
 * `AbortSignal.any`, which takes four times as long.
 */
export function createCancel(outer: AbortSignal, ending?: AbortSignal): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController()
  const abort = () => controller.abort(ending?.aborted === true ? shuttingDown({}) : undefined)
  if (outer.aborted) abort()
  else outer.addEventListener('abort', abort, { once: true })
  return { signal: controller.signal, abort }
}

/** Whether the end of the server has aborted a signal of `createCancel`. */
export function isServerStop({ reason }: AbortSignal): boolean {
  return isFault(reason, shuttingDown)
}

export function explainStopEvent<E extends Pick<AgentEvent, 'type' | 'content'>>(event: E, isStop: boolean): E {
  if (!isStop || event.type !== 'error' || !isCancel(event.content)) return event
  return { ...event, content: { ...event.content, code, message, details: { retry_after_secs: RETRY_SECS } } }
}

export function explainStop(result: AgentResult, isStop: boolean): AgentResult {
  const { error } = result
  if (!isStop || error === undefined || !isCancel(error)) return result
  return { ...result, error: { code, message, retryAfterSecs: RETRY_SECS } }
}

function isCancel(error: object): boolean {
  return 'code' in error && error.code === 'agent_cancelled'
}

/** The same for a result that may be of a prompt whose agent never started. */
export function explainStopResult<R extends PromptResult>(result: R, isStop: boolean): R {
  if (!isStop || toPromptStatus(result) !== 'canceled') return result
  return { ...result, ...errorFields(message, code), retry_after_secs: RETRY_SECS }
}
