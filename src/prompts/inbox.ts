/** What the agent of one prompt is told while it works. */
import type { AgentEvent, Delivered, UserMessage } from '../agents/adapter/agent.ts'
import type { Steering } from '../agents/run-turn.ts'
import type { SessionMessages } from '../sessions/session-messages.ts'

/**
 * `ended`: the turn is over. `no_next_turn`: the agent takes no messages while it works, and its session cannot be resumed.
 * `queue_full`: too much waits for the next turn already.
 */
export type MessageOutcome = Delivered | 'ended' | 'no_next_turn' | 'queue_full'

type Turn = {
  steering: Steering
  /** Empty: no session is stored, or its agent cannot resume it. */
  sessionId: string
}

type OpenMessages = () => Promise<Pick<SessionMessages, 'add' | 'remove'>>

export class Inbox {
  readonly #openMessages: OpenMessages
  readonly #begun = Promise.withResolvers<void>()
  #turn: Partial<Turn> = {}

  constructor(openMessages: OpenMessages) {
    this.#openMessages = openMessages
  }

  /** Called for each agent that gets the prompt. */
  readonly note = (known: Partial<Turn>): void => {
    this.#turn = { ...this.#turn, ...known }
    if (this.#turn.steering !== undefined && this.#turn.sessionId !== undefined) this.#begun.resolve()
  }

  /** Waits until the agent has begun. */
  readonly take = async (message: UserMessage): Promise<MessageOutcome> => {
    await this.#begun.promise
    const { steering, sessionId } = this.#turn as Turn
    const isTaken = await steering.send(message.text)
    if (isTaken === undefined) return 'ended'
    if (!isTaken && sessionId === '') return 'no_next_turn'
    if (!isTaken && !(await (await this.#openMessages()).add(sessionId, message))) return 'queue_full'
    const delivered = isTaken ? 'now' : 'next_turn'
    steering.tell({ type: 'user_message', content: { ...message, delivered } })
    return delivered
  }

  /** When the agent has begun, it has what it was told with its prompt. */
  async noteTold({ type }: { type: string }, told: readonly UserMessage[] = []): Promise<AgentEvent[]> {
    if (type !== 'init' || told.length === 0) return []
    await (await this.#openMessages()).remove(told)
    return told.map((message) => ({ type: 'user_message', content: { ...message, delivered: 'now' } }))
  }
}

/** What is added to the next prompt of a session. */
export function quoteMessages(messages: readonly UserMessage[]): string {
  const texts = messages.map(({ text }) => text)
  return `\n\nWhile you worked on the last prompt, the user also said:\n\n${texts.join('\n\n')}`
}
