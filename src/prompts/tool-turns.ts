/** The turns of this process that wait for results of functions of their clients, and those that were answered lately. */
import type { ClientCall, Usage } from '../agents/adapter/agent.shape.ts'
import type { ToolChoice, ToolReply, ToolResults } from '../agents/adapter/client-tool.ts'
import { NO_USAGE } from '../agents/adapter/token-usage.ts'
import type { ToolRequest } from '../agents/client-tools/tool-request.ts'
import { type Digest, digest, digestFields } from '../kit/digest.ts'
import { clientToolsCrowded, clientToolsExpired, clientToolsStopped, toolResultMissing } from './faults.ts'
import type { PromptRequest } from './prompt-request.ts'

/** What a request gives an agent: the names of functions, and the system prompt. */
type Offer = { names: readonly string[]; system: string | undefined }

export type ToolTurn = {
  executionId: string
  /** The id of the API key; everything without a key is one client. */
  client: string
  /** A digest of what the client had said when the turn began. */
  conversation: string
  offer: Offer
  calls: readonly ClientCall[]
  /** How many times it has waited before. */
  part: number
  /** What the turn had used when it made the calls. */
  usage: Usage
  /** Undefined: it waits. */
  answered?: { results: string; after: number }
}

type Waiting = ToolTurn & { settle: PromiseWithResolvers<ToolResults> }

/** By the id of the call. */
type ToolReplies = ReadonlyMap<string, ToolReply>

/** What a client sends to continue a turn. Results of earlier calls may be among them. */
export type GivenResults = { replies: ToolReplies; choice: ToolChoice }

/** What a request has besides results. As JSON it goes to the process that has the turn. */
export type TurnRequest = {
  /** One of the calls that are answered. */
  callId: string
  /** Digests of what the client has said, in order. Undefined: it sends only what is new. */
  said: readonly Digest[] | undefined
  offer: Offer
}

/** Where the answer begins: after this event, with this part, and what the turn had used by then. */
export type ContinuedTurn = { after: number; part: number; before: Usage }

/** What a turn remembers of the texts of its client: how many there were, and a digest of them. */
export function describeConversation(said: readonly string[]): string {
  return describeDigests(digestTexts(said))
}

/** Of texts that may have lone surrogates. */
export function digestTexts(texts: readonly string[]): Digest[] {
  return texts.map((text) => digest(Buffer.from(text, 'utf8')))
}

function describeDigests(said: readonly Digest[]): string {
  return `${said.length} ${digestFields(['drover-said/v2', ...said])}`
}

/** Whether the client has said the same before the turn as when it began. */
function isSameConversation({ conversation }: Pick<ToolTurn, 'conversation'>, said: TurnRequest['said']): boolean {
  const count = Number.parseInt(conversation, 10)
  return said === undefined || describeDigests(said.slice(0, count)) === conversation
}

export function offerOf({ clientTools, system_prompt: system }: PromptRequest): Offer {
  return { names: (clientTools?.tools ?? []).map(({ name }) => name), system }
}

/**
 * Whether the turn can continue with what a request gives. A client that hands the conversation to another agent offers other functions
 * and changes the system prompt. Many clients offer nothing with the last results, and some change the system prompt each time.
 */
function isSameOffer({ offer }: Pick<ToolTurn, 'offer'>, { names, system }: Offer): boolean {
  if (names.some((name) => !offer.names.includes(name))) return false
  return names.length === offer.names.length || system === offer.system
}

/** Which of the turns that wait, the oldest first, has to end for a new one: the first one of the client that has most of them. */
export function chooseCrowded<T extends { client: string }>(turns: readonly T[]): T | undefined {
  const counts = new Map<string, number>()
  for (const { client } of turns) counts.set(client, (counts.get(client) ?? 0) + 1)
  const most = Math.max(...counts.values())
  return turns.find(({ client }) => counts.get(client) === most)
}

export class ToolTurns {
  readonly #timeoutMs: number
  readonly #limit: number
  /** Without those that were answered, the oldest first. */
  readonly #waiting = new Set<Waiting>()
  /** By the id of a call. Calls that are made together have one entry each. */
  readonly #turns = new Map<string, Waiting>()
  /** How many times the turn of an execution has waited. */
  readonly #parts = new Map<string, number>()
  #isClosed = false
  /** Called when more or fewer wait. */
  onChange: () => void = () => {}

  constructor({ timeoutMs, limit }: { timeoutMs: number; limit: number }) {
    this.#timeoutMs = timeoutMs
    this.#limit = limit
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Resolves with the results. Rejects with a Fault if they do not come in time, or if too many turns wait. */
  async ask(
    asker: Pick<ToolTurn, 'executionId' | 'client' | 'conversation' | 'offer'>,
    { calls, token_usage: usage = NO_USAGE }: ToolRequest,
  ): Promise<ToolResults> {
    if (this.#isClosed) throw clientToolsStopped({})
    const settle = Promise.withResolvers<ToolResults>()
    const part = this.#parts.get(asker.executionId) ?? 0
    this.#parts.set(asker.executionId, part + 1)
    const turn: Waiting = { ...asker, calls, part, usage, settle }
    for (const { call_id: id } of calls) this.#turns.set(id, turn)
    this.#waiting.add(turn)
    this.onChange()
    if (this.#waiting.size > this.#limit) this.#endOne()
    const late = () => settle.reject(clientToolsExpired({ seconds: this.#timeoutMs / 1000 }))
    const timer = setTimeout(late, this.#timeoutMs)
    try {
      return await settle.promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(turn)
      this.onChange()
      // A client may send the same results again, because it has lost the connection.
      if (turn.answered === undefined) this.#remove(turn)
      else setTimeout(() => this.#remove(turn), this.#timeoutMs).unref()
    }
  }

  /** The turn that has made the call. */
  find(callId: string): ToolTurn | undefined {
    return this.#turns.get(callId)
  }

  /**
   * Continues the turn that waits for the results. `lastSeq` is the number of its last event. Undefined if none waits for them, or if
   * the client has said something else before them, or offers something else. Throws a Fault if a result is missing.
   */
  continue({ callId, said, offer }: TurnRequest, given: GivenResults, lastSeq: number): ContinuedTurn | undefined {
    const turn = this.find(callId)
    if (turn === undefined || !isSameConversation(turn, said) || !isSameOffer(turn, offer)) return undefined
    const after = this.#answer(turn, given, lastSeq)
    return after === undefined ? undefined : { after, part: turn.part + 1, before: turn.usage }
  }

  /**
   * Gives the agent the results. `after` is the number of the last event before them. Returns the number after which the events of
   * the answer begin; undefined if the turn has got other results already. Throws a Fault if a result is missing.
   */
  #answer(turn: ToolTurn, { replies, choice }: GivenResults, after: number): number | undefined {
    const waiting = this.#turns.get(turn.calls[0]?.call_id ?? '')
    if (waiting === undefined) return undefined
    const ordered = waiting.calls.map(({ call_id: id }) => {
      const reply = replies.get(id)
      if (reply === undefined) throw toolResultMissing({ id })
      return reply
    })
    const results = digest(JSON.stringify(ordered))
    if (waiting.answered !== undefined) return waiting.answered.results === results ? waiting.answered.after : undefined
    waiting.answered = { results, after }
    this.#waiting.delete(waiting)
    waiting.settle.resolve({ replies: ordered, choice })
    return after
  }

  /** The execution has ended: it waits no longer. */
  forget(executionId: string): void {
    this.#parts.delete(executionId)
    for (const turn of this.#turns.values()) {
      if (turn.executionId === executionId) turn.settle.reject(clientToolsStopped({}))
    }
  }

  /** No turn waits any longer. */
  close(): void {
    this.#isClosed = true
    for (const turn of this.#turns.values()) turn.settle.reject(clientToolsStopped({}))
  }

  #endOne(): void {
    const turn = chooseCrowded([...this.#waiting])
    if (turn === undefined) return
    this.#waiting.delete(turn)
    turn.settle.reject(clientToolsCrowded({ limit: this.#limit }))
  }

  #remove({ calls }: ToolTurn): void {
    for (const { call_id: id } of calls) this.#turns.delete(id)
  }
}
