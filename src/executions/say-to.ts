/** Gives the agent of an execution of this process a message, if the limits of its sender hold for the execution. */
import { findMissingLimit } from '../prompts/ceilings.ts'
import type { MessageOutcome } from '../prompts/inbox.ts'
import type { LiveExecution } from './live-execution.ts'
import type { LimitedMessage } from './store/sent-messages.ts'

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
