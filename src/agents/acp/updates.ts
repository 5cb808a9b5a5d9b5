/** Turns the updates of one turn into events. Unknown updates are skipped. Pure, apart from what it remembers. */

import type { AcpProfile } from '../adapter/acp-profile.ts'
import type { AgentEvent, ContextUsage, Denial, Usage } from '../adapter/agent.ts'
import { type JsonRecord, objectAt, objectsAt, textAt } from '../adapter/json-fields.ts'
import { messageEvents, thinkingEvents } from '../adapter/output-reader.ts'
import { ToolLog } from '../adapter/tool-log.ts'
import {
  hasWholeInput,
  readOutputPiece,
  readTerminalId,
  readToolFailure,
  readToolInput,
  readToolName,
  readToolOutput,
} from './tool-calls.ts'
import { contextIn, sumUsage, usageOfChunk } from './usage.ts'

export type TurnSummary = {
  /** The last message of the turn. */
  text: string
  lastChunk: string
  /** The sum of the counts that came after each model request. */
  perRequest: Usage | undefined
  context: ContextUsage | undefined
  /** The agent has written, thought or used a tool. */
  hasBegun: boolean
  lastNotice: string | undefined
}

/** What is known about a tool call. It is reported once its input is known. */
type KnownCall = {
  call: JsonRecord
  isReported: boolean
  isDone: boolean
  output: string
  /** The terminal of the client in which it runs. */
  terminalId: string | undefined
}

/** What is known first-hand about a command that drover ran for the agent. */
type FindEvidence = (terminalId: string) => { output: string; exitCode: number | undefined } | undefined

/** Looks at each piece once: the whole may have megabytes, and is asked for with every frame. */
class Message {
  text = ''
  hasText = false
  lastPiece = ''

  add(piece: string): void {
    this.text += piece
    this.lastPiece = piece
    this.hasText ||= piece.trim() !== ''
  }
}

export class TurnUpdates {
  readonly #profile: AcpProfile
  readonly #findEvidence: FindEvidence
  readonly #tools = new ToolLog()
  readonly #calls = new Map<string, KnownCall>()
  /** The message that is being written, and the last one before a tool call. */
  #message = new Message()
  #last = new Message()
  #perRequest: Usage | undefined
  #context: ContextUsage | undefined
  #hasBegun = false
  #lastNotice: string | undefined

  constructor(profile: AcpProfile, findEvidence: FindEvidence = () => undefined) {
    this.#profile = profile
    this.#findEvidence = findEvidence
  }

  /** The events in the `update` of a `session/update`. Never throws. */
  read(update: JsonRecord): AgentEvent[] {
    switch (textAt(update, 'sessionUpdate')) {
      case 'agent_message_chunk':
        return this.#readMessage(update)
      case 'agent_thought_chunk':
        return this.#readThought(update)
      case 'tool_call':
      case 'tool_call_update':
        return this.#readCall(update)
      case 'plan':
        return readPlan(update)
      case 'usage_update':
        this.#context = contextIn(update) ?? this.#context
        return []
      // Not in the protocol: grok says so before it sends a request again.
      case 'retry_state':
        return readRetry(update)
      default:
        return []
    }
  }

  /** The tool call of a request for permission, with everything that was reported about it before. */
  callOf(reported: JsonRecord): JsonRecord {
    const known = this.#calls.get(textAt(reported, 'toolCallId') ?? '')
    return merge(known?.call ?? {}, reported)
  }

  /** The agent waits for permission: the call is reported now, whatever is known of it. */
  announce(reported: JsonRecord): AgentEvent[] {
    // Its content describes the request, not the call.
    const { content: _, ...call } = reported
    const known = this.#note(call)
    return known === undefined ? [] : this.#report(known)
  }

  denialOf(reported: JsonRecord, needs?: Denial['needs']): Denial {
    const call = this.callOf(reported)
    return this.#tools.denialOf({ id: textAt(call, 'toolCallId'), name: readToolName(call) }, needs)
  }

  /** Reports what was held back. */
  finish(): AgentEvent[] {
    return [...this.#calls.values()].flatMap((known) => this.#report(known))
  }

  summary(): TurnSummary {
    return {
      text: (this.#message.hasText ? this.#message : this.#last).text,
      lastChunk: this.#message.lastPiece,
      perRequest: this.#perRequest,
      context: this.#context,
      hasBegun: this.#hasBegun,
      lastNotice: this.#lastNotice,
    }
  }

  #readMessage(update: JsonRecord): AgentEvent[] {
    const usage = usageOfChunk(update)
    if (usage !== undefined) this.#perRequest = sumUsage(this.#perRequest, usage)
    const text = textAt(objectAt(update, 'content'), 'text') ?? ''
    if (text === '') return []
    if (this.#profile.notices?.test(text)) {
      this.#lastNotice = text.trim()
      return [{ type: 'progress', content: { stage: 'notice', message: text.trim() } }]
    }
    this.#hasBegun = true
    this.#message.add(text)
    return messageEvents(text, { isPartial: true })
  }

  #readThought(update: JsonRecord): AgentEvent[] {
    const text = textAt(objectAt(update, 'content'), 'text') ?? ''
    if (text === '') return []
    this.#hasBegun = true
    return thinkingEvents(text, { isPartial: true })
  }

  #readCall(update: JsonRecord): AgentEvent[] {
    const known = this.#note(update)
    if (known === undefined || known.isDone) return []
    this.#hasBegun = true
    known.output += readOutputPiece(update)
    const status = textAt(known.call, 'status')
    const isDone = status === 'completed' || status === 'failed'
    const isKnown = this.#profile.hasNoInput === true || hasWholeInput(known.call)
    const reported = isDone || isKnown ? this.#report(known) : []
    if (!isDone) return reported
    known.isDone = true
    return [...reported, this.#resultOf(known, status)]
  }

  /** Some agents send an update before the call itself. */
  #note(update: JsonRecord): KnownCall | undefined {
    const id = textAt(update, 'toolCallId')
    if (id === undefined) return undefined
    const known = this.#calls.get(id) ?? {
      call: {},
      isReported: false,
      isDone: false,
      output: '',
      terminalId: undefined,
    }
    known.terminalId ??= readTerminalId(update)
    known.call = merge(known.call, update)
    this.#calls.set(id, known)
    return known
  }

  #report(known: KnownCall): AgentEvent[] {
    if (known.isReported) return []
    known.isReported = true
    if (this.#message.hasText) this.#last = this.#message
    this.#message = new Message()
    const { call } = known
    return [this.#tools.use({ id: textAt(call, 'toolCallId'), name: readToolName(call), input: readToolInput(call) })]
  }

  /** A command that failed is a failure, also where the agent calls it completed. */
  #resultOf({ call, output: pieces, terminalId }: KnownCall, status: string): AgentEvent {
    const ran = terminalId === undefined ? undefined : this.#findEvidence(terminalId)
    if (ran?.exitCode !== undefined) {
      const failure = ran.exitCode === 0 ? undefined : `exit code ${ran.exitCode}`
      return this.#tools.result({ id: textAt(call, 'toolCallId'), output: ran.output, failure })
    }
    const output = readToolOutput(call) ?? (pieces === '' ? undefined : pieces)
    const failure = readToolFailure(call, { status, output })
    return this.#tools.result({ id: textAt(call, 'toolCallId'), output, failure })
  }
}

/** Later fields replace earlier ones; an empty input does not. */
function merge(call: JsonRecord, update: JsonRecord): JsonRecord {
  const input = objectAt(update, 'rawInput')
  const isEmpty = input === undefined || Object.keys(input).length === 0
  const { rawInput: _, ...rest } = update
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null && value !== undefined))
  const meta = { ...objectAt(call, '_meta'), ...objectAt(update, '_meta') }
  return { ...call, ...given, _meta: meta, ...(isEmpty ? {} : { rawInput: input }) }
}

function readRetry(update: JsonRecord): AgentEvent[] {
  const message = textAt(update, 'reason')
  if (textAt(update, 'type') !== 'retrying' || message === undefined) return []
  return [{ type: 'progress', content: { stage: 'retry', message } }]
}

function readPlan(update: JsonRecord): AgentEvent[] {
  const entries = objectsAt(update, 'entries')
  const done = entries.filter((entry) => textAt(entry, 'status') === 'completed').length
  const current = entries.find((entry) => textAt(entry, 'status') === 'in_progress') ?? entries[0]
  const message = textAt(current, 'content')
  if (entries.length === 0) return []
  const percent = Math.round((100 * done) / entries.length)
  return [{ type: 'progress', content: { stage: 'plan', percent, ...(message !== undefined && { message }) } }]
}
