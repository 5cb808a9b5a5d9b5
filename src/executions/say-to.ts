/** Gives the agent of an execution a message, if the limits of its sender hold for the execution: in this process, or in another. */
import { isFault } from '../kit/fault.ts'
import { raceTime } from '../kit/race.ts'
import { findMissingLimit } from '../prompts/ceilings.ts'
import type { MessageOutcome } from '../prompts/inbox.ts'
import type { LiveExecution } from './live-execution.ts'
import { isFinal } from './store/execution-states.ts'
import type { ExecutionStore } from './store/execution-store.ts'
import { executionNotFound, messageNotTaken } from './store/faults.ts'
import type { LimitedMessage, SentMessage } from './store/sent-messages.ts'

/** `limitedBy`: the setting that limits the sender more than the execution. */
export type SayOutcome = MessageOutcome | { readonly limitedBy: string }

/** Its agent may never begin. */
export async function sayTo(live: LiveExecution, { limits, ...message }: LimitedMessage): Promise<SayOutcome> {
  const missing = findMissingLimit(limits, live.ceilings)
  if (missing !== undefined) return { limitedBy: missing.setting }
  const ended = (async () => {
    while (!live.hasEnded) await live.changed()
    return 'ended' as const
  })()
  return live.say === undefined ? 'ended' : await Promise.race([live.say(message), ended])
}

/** As the answer of another process. */
export function encodeOutcome(outcome: SayOutcome): string {
  return typeof outcome === 'string' ? outcome : JSON.stringify(outcome)
}

export function decodeOutcome(answer: string): SayOutcome {
  return answer.startsWith('{') ? JSON.parse(answer) : (answer as MessageOutcome)
}

/** An agent may take this long to start. */
const ANSWER_MS = 30_000

/** Throws a Fault if no process takes it. */
export async function forwardMessage(store: ExecutionStore, sent: SentMessage): Promise<string> {
  const { executionId: id, message } = sent
  const { messages, pollMs } = store
  let told = Promise.withResolvers<void>()
  const unwatch = store.watch((notice) => {
    if (notice.type === 'missed' || (notice.type === 'message' && notice.ids.includes(id))) told.resolve()
  })
  try {
    await messages.send(sent)
    const deadline = performance.now() + ANSWER_MS
    for (;;) {
      told = Promise.withResolvers<void>()
      const outcome = await messages.outcome(message.message_id)
      if (outcome !== undefined) return outcome
      if (await hasEnded(store, id)) return 'ended'
      if (performance.now() > deadline) throw messageNotTaken({ id })
      await raceTime(told.promise, pollMs)
    }
  } finally {
    unwatch()
    await messages.remove(message.message_id)
  }
}

/** If nothing is kept of an execution, its end removes it. */
async function hasEnded(store: ExecutionStore, id: string): Promise<boolean> {
  try {
    return isFinal((await store.find(id)).state)
  } catch (error) {
    if (isFault(error, executionNotFound)) return true
    throw error
  }
}
