/** Gives a client the events and the result of an execution that runs without it, or that has ended. */

import { isFault } from '../kit/fault.ts'
import type { PromptEvent } from '../prompts/prompt-event.ts'
import type { PromptResult } from '../prompts/prompt-result.ts'
import type { Executions } from './local-executions.ts'
import type { Execution, ExecutionEvent } from './store/execution.shape.ts'
import { isFinal } from './store/execution-states.ts'
import type { ExecutionStore } from './store/execution-store.ts'
import { executionLost, executionNotFound } from './store/faults.ts'

type Source = { executions: Executions; executionStore: ExecutionStore }

/** The result of an execution when it has ended. Throws a Fault if it has none. */
export async function awaitResult(
  id: string,
  { executions }: Pick<Source, 'executions'>,
  signal: AbortSignal,
): Promise<object> {
  const execution = await executions.ended(id, signal)
  if (execution?.result === undefined) throw executionLost({ id, state: execution?.state ?? 'running' })
  return execution.result
}

type Replay = {
  signal: AbortSignal
  /** The number of the event before the first one. */
  after?: number
  /** Gives the result when the events have ended. */
  result: () => Promise<PromptResult>
}

/** The events as the client of the prompt gets them. If none are stored, the answer is one event. */
export async function* replayEvents(
  id: string,
  source: Source,
  { signal, result, after = 0 }: Replay,
): AsyncGenerator<PromptEvent, PromptResult, undefined> {
  const known = source.executions.find(id) ?? (await source.executionStore.find(id))
  // A part of an answer must not look like the whole one.
  if (isFinal(known.state) && known.result === undefined && known.error === undefined)
    throw executionLost({ id, state: known.state })
  let sequence = 0
  let execution = known
  for await (const batch of source.executions.follow(id, { after, signal })) {
    execution = source.executions.find(id) ?? (await findStored(id, source)) ?? execution
    for (const event of batch) {
      if (event.type === 'state') continue
      sequence += 1
      yield toPromptEvent(event, { execution, sequence })
    }
  }
  const ended = await result()
  if (sequence === 0) yield answerEvent(ended, known)
  return ended
}

/** An execution that is not kept is gone as soon as it has ended. */
async function findStored(id: string, { executionStore }: Source): Promise<Execution | undefined> {
  try {
    return await executionStore.find(id)
  } catch (error) {
    if (isFault(error, executionNotFound)) return undefined
    throw error
  }
}

function toPromptEvent(
  { type, at, content }: ExecutionEvent,
  { execution, sequence }: { execution: Execution; sequence: number },
): PromptEvent {
  const { backend, session_id: sessionId = '' } = execution
  return { type, backend, session_id: sessionId, timestamp: at, sequence, content } as unknown as PromptEvent
}

function answerEvent({ output }: PromptResult, execution: Execution): PromptEvent {
  const { created_at: at, ended_at: endedAt = at } = execution
  const content = { text: output, role: 'assistant' }
  return toPromptEvent({ seq: 1, at: endedAt, type: 'message', content }, { execution, sequence: 1 })
}
