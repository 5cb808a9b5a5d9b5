/** Gives a message, or results, to the process that runs an execution, and waits for its answer. */
import { isFault } from '../kit/fault.ts'
import { raceTime } from '../kit/race.ts'
import { isFinal } from './store/execution-states.ts'
import type { ExecutionStore } from './store/execution-store.ts'
import { executionNotFound, messageNotTaken } from './store/faults.ts'
import type { SentMessage } from './store/sent-messages.ts'

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
