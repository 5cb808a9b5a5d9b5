/** Reads `codex exec --json`, with the names that earlier releases used too. */
import { stripVTControlCharacters } from 'node:util'
import type { AgentEvent, Denial, Usage } from '../adapter/agent.ts'
import { initEvent } from '../adapter/events.ts'
import type { AgentFailure } from '../adapter/failure.ts'
import { type JsonRecord, objectAt, parseObject, textAt } from '../adapter/json-fields.ts'
import { type AgentOutput, emptySummary } from '../adapter/output-reader.ts'
import { usageEvents } from '../adapter/token-usage.ts'
import { ToolLog } from '../adapter/tool-log.ts'
import { denialIn, readItem } from './items.ts'
import { toUsage, usageOfTurn } from './usage.ts'

/** A notice about a retry. The final error looks the same, but is followed by `turn.failed`. */
const RETRY = /^Reconnecting\b/

/** What codex logs about a tool call that it did not start. */
const REJECTED = /tools::router: error=(?:(patch) rejected\b|approval policy is Never; reject command\b)/g

export class CodexOutput implements AgentOutput {
  readonly backend = 'codex'
  readonly #summary = emptySummary()
  readonly #prior: Usage | undefined
  readonly #tools = new ToolLog()
  readonly #denials: Denial[] = []

  constructor(prior: Usage | undefined) {
    this.#prior = prior
  }

  summary() {
    return { ...this.#summary, denials: this.#denials }
  }

  /** A rejected patch has no event at all. A process that stays up logs in color. */
  deniedOnStderr(stderrTail: string): Denial[] {
    return [...stripVTControlCharacters(stderrTail).matchAll(REJECTED)].map(([, patch]) =>
      patch === undefined ? { tool: 'command_execution', needs: 'everything' } : { tool: 'apply_patch' },
    )
  }

  read(line: JsonRecord): AgentEvent[] | undefined {
    switch (textAt(line, 'type')) {
      case 'thread.started':
        return this.#readStart(line)
      case 'turn.started':
        return [{ type: 'progress', content: { stage: 'turn_started' } }]
      case 'item.started':
      case 'item.updated':
      case 'item.completed':
        return this.#readItem(line)
      case 'turn.completed':
        return this.#readCompleted(line)
      case 'turn.failed':
        return this.#readFailed(line)
      case 'error':
        return this.#readError(line)
      case 'reasoning':
        return readItem({ item: line, isCompleted: true, tools: this.#tools })
      case 'event_msg':
        return this.#readCount(objectAt(line, 'payload'))
      default:
        return undefined
    }
  }

  #readStart(line: JsonRecord): AgentEvent[] {
    const id = textAt(line, 'thread_id')
    this.#summary.sessionId = id
    return [initEvent({ sessionId: id })]
  }

  #readItem(line: JsonRecord): AgentEvent[] {
    const item = objectAt(line, 'item') ?? {}
    const events = readItem({ item, isCompleted: textAt(line, 'type') === 'item.completed', tools: this.#tools })
    const denial = denialIn(item, this.#tools)
    if (denial !== undefined && textAt(line, 'type') === 'item.completed') this.#denials.push(denial)
    // The last message is the answer; earlier ones comment on the work.
    for (const event of events) if (event.type === 'message') this.#summary.text = event.content.text
    return events
  }

  #readCompleted(line: JsonRecord): AgentEvent[] {
    this.#summary.outcome = 'success'
    return this.#count(objectAt(line, 'usage'))
  }

  #readFailed(line: JsonRecord): AgentEvent[] {
    const message = textAt(objectAt(line, 'error'), 'message') || this.#summary.lastError?.message
    this.#summary.outcome = unwrapRejection(message || 'codex reports that the turn failed')
    return []
  }

  #readError(line: JsonRecord): AgentEvent[] {
    const message = textAt(line, 'message') ?? ''
    if (RETRY.test(message)) {
      this.#summary.lastRetry = unwrapRejection(message.replace(/^[^(]*\((.*)\)$/s, '$1'))
      return [{ type: 'progress', content: { stage: 'retry', message } }]
    }
    this.#summary.lastError = unwrapRejection(message)
    return []
  }

  /** How earlier releases counted tokens. */
  #readCount(payload: JsonRecord | undefined): AgentEvent[] {
    if (textAt(payload, 'type') !== 'token_count') return []
    const info = objectAt(payload, 'info') ?? payload
    return this.#count(objectAt(info, 'total_token_usage') ?? info)
  }

  #count(usage: JsonRecord | undefined): AgentEvent[] {
    const total = toUsage(usage)
    this.#summary.threadUsage = total
    this.#summary.usage = usageOfTurn(total, this.#prior)
    return usageEvents(this.#summary.usage)
  }
}

/** If the model service answers 400, codex passes on the body of the answer and nothing else. */
function unwrapRejection(message: string): AgentFailure {
  const body = parseObject(message)
  if (body === undefined) return { message }
  return { message: textAt(objectAt(body, 'error'), 'message') ?? textAt(body, 'detail') ?? message, status: 400 }
}
