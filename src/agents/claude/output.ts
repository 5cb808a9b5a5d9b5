/** Reads `claude -p --output-format stream-json`, and the objects of other formats and earlier releases. */
import type { AgentEvent, Denial, Usage } from '../adapter/agent.ts'
import { countAt, isShallow, type JsonRecord, objectAt, objectsAt, textAt, toText } from '../adapter/json-fields.ts'
import {
  type AgentOutput,
  emptySummary,
  initEvent,
  messageEvents,
  StreamedText,
  thinkingEvents,
} from '../adapter/output-reader.ts'
import { addUsage, NO_USAGE, usageEvents } from '../adapter/token-usage.ts'
import { ToolLog } from '../adapter/tool-log.ts'
import {
  formatRetry,
  readContext,
  readCost,
  readDelay,
  readDenials,
  readOutcome,
  readUsage,
  toUsage,
  withNeed,
  withoutEarlier,
} from './result.ts'

/** How claude answers a call of a tool that `--disallowedTools` has taken away. */
const DISABLED_TOOL = /No such tool available: .* is not enabled/

/** The model of messages that claude writes itself, for instance about an API error. */
const SYNTHETIC = '<synthetic>'

export class ClaudeOutput implements AgentOutput {
  readonly backend = 'claude'
  readonly #summary = emptySummary()
  readonly #tools = new ToolLog()
  readonly #message = new StreamedText()
  readonly #thinking = new StreamedText()
  /** Calls of tools that were taken away; claude does not count them as denied. */
  readonly #deniedCalls: Denial[] = []
  readonly #requests = new RequestUsage()
  readonly #wantsDeltas: boolean
  readonly #earlier: JsonRecord | undefined
  #hasMessage = false
  /** The last notice about a retry. */
  #retry: JsonRecord | undefined
  /** The last notice about the limits of the plan. */
  #limits: JsonRecord | undefined

  /** `earlier`: what the counts of the result include, but this turn did not use. */
  constructor({
    wantsDeltas = true,
    earlier,
  }: { wantsDeltas?: boolean | undefined; earlier?: JsonRecord | undefined } = {}) {
    this.#wantsDeltas = wantsDeltas
    this.#earlier = earlier
  }

  summary() {
    const { outcome, text } = this.#summary
    // A failed answer is as long as it was when it was cut off.
    return outcome === 'success' ? this.#summary : { ...this.#summary, text: this.#message.unfinished || text }
  }

  usageSoFar(): Usage | undefined {
    return this.#requests.sum()
  }

  read(line: JsonRecord): AgentEvent[] | undefined {
    switch (textAt(line, 'type')) {
      case 'system':
        return this.#readSystem(line)
      case 'stream_event':
        return isOfSubAgent(line) ? [] : this.#readStreamed(objectAt(line, 'event'))
      case 'content_block_delta':
        return this.#readStreamed(line)
      case 'assistant':
        return this.#readAssistant(line)
      case 'user':
        return objectsAt(objectAt(line, 'message'), 'content').flatMap((block) => this.#readToolResult(block))
      case 'tool_result':
        return this.#readToolResult(line)
      case 'result':
        return this.#readResult(line)
      case 'message_stop':
        return this.#readStop()
      case 'error':
        return this.#readError(line)
      case 'rate_limit_event':
        this.#limits = objectAt(line, 'rate_limit_info')
        return []
      case undefined:
        return textAt(line, 'result') === undefined ? undefined : this.#readResult(line)
      default:
        return undefined
    }
  }

  #readSystem(line: JsonRecord): AgentEvent[] {
    const subtype = textAt(line, 'subtype')
    if (subtype === 'api_retry') {
      this.#retry = line
      this.#summary.lastRetry = {
        message: formatRetry(line),
        status: countAt(line, 'error_status'),
        retryAfterMs: readDelay(line),
      }
      return [{ type: 'progress', content: { stage: 'retry', message: formatRetry(line) } }]
    }
    if (subtype !== 'init' && subtype !== undefined) return []
    const [model, sessionId, workdir] = [textAt(line, 'model'), textAt(line, 'session_id'), textAt(line, 'cwd')]
    this.#summary.model = model
    this.#summary.sessionId = sessionId
    return [initEvent({ model, sessionId, workdir })]
  }

  #readStreamed(event: JsonRecord | undefined): AgentEvent[] {
    if (textAt(event, 'type') === 'message_delta') this.#requests.noteEnd(objectAt(event, 'usage'))
    const delta = objectAt(event, 'delta')
    if (textAt(event, 'type') !== 'content_block_delta') {
      // A new block starts a new text; so does a retry, which is not announced.
      if (textAt(event, 'type') === 'content_block_start') this.#restart()
      return []
    }
    if (!this.#wantsDeltas) return []
    const [text, thinking] = [textAt(delta, 'text'), textAt(delta, 'thinking')]
    if (text) this.#message.add(text)
    if (thinking) this.#thinking.add(thinking)
    return [...this.#messageEvents(text, { isPartial: true }), ...thinkingEvents(thinking, { isPartial: true })]
  }

  #restart(): void {
    this.#message.restart()
    this.#thinking.restart()
  }

  #readAssistant(line: JsonRecord): AgentEvent[] {
    const message = objectAt(line, 'message') ?? line
    const content = message['content']
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : objectsAt(message, 'content')
    if (textAt(message, 'model') === SYNTHETIC) {
      this.#summary.lastError = { message: toText(content) ?? '' }
      return []
    }
    this.#summary.model ??= textAt(message, 'model')
    const isHidden = isOfSubAgent(line)
    if (!isHidden) this.#requests.note(message)
    return blocks.flatMap((block) => this.#readBlock(block, { isHidden }))
  }

  /** The text of a sub-agent is meant for the main agent and is hidden; its tool calls are reported. */
  #readBlock(block: JsonRecord, { isHidden }: { isHidden: boolean }): AgentEvent[] {
    const type = textAt(block, 'type')
    if (type === 'tool_use') {
      return [this.#tools.use({ id: textAt(block, 'id'), name: textAt(block, 'name'), input: block['input'] })]
    }
    if (isHidden) return []
    const text = textAt(block, type === 'thinking' ? 'thinking' : 'text') ?? ''
    if (type === 'thinking') return thinkingEvents(this.#thinking.takeRest(text), { isPartial: false })
    if (type !== 'text') return []
    this.#summary.text = text || this.#summary.text
    return this.#messageEvents(this.#message.takeRest(text), { isPartial: false })
  }

  #readToolResult(block: JsonRecord): AgentEvent[] {
    if (textAt(block, 'type') !== 'tool_result') return []
    const output = toText(block['content'])
    const failure = block['is_error'] === true ? (output ?? 'the tool failed') : undefined
    const id = textAt(block, 'tool_use_id')
    if (failure !== undefined && DISABLED_TOOL.test(failure))
      this.#deniedCalls.push(this.#tools.denialOf({ id, name: '' }))
    return [this.#tools.result({ id, output, failure })]
  }

  #readResult(whole: JsonRecord): AgentEvent[] {
    const summary = this.#summary
    const line = withoutEarlier(whole, this.#earlier)
    summary.sessionId = textAt(line, 'session_id') ?? summary.sessionId
    summary.turnCount = countAt(line, 'num_turns')
    summary.costUsd = readCost(line)
    summary.context = readContext(line, summary.model, this.#requests.last())
    summary.usage = readUsage(line)
    summary.denials = [...this.#deniedCalls.map(withNeed), ...readDenials(line)]
    summary.outcome = readOutcome(line, { lastError: summary.lastError, retry: this.#retry, limits: this.#limits })
    if (summary.outcome !== 'success') return usageEvents(summary.usage)
    const structured = line['structured_output']
    summary.text =
      (isShallow(structured) ? JSON.stringify(structured) : undefined) ?? textAt(line, 'result') ?? summary.text
    // Without a stream of messages, and with a schema for it, the answer is in the result alone.
    const isMissing = !this.#hasMessage || structured !== undefined
    const missing = isMissing ? this.#messageEvents(summary.text, { isPartial: false }) : []
    return [...missing, ...usageEvents(summary.usage)]
  }

  /** The last line of earlier releases. */
  #readStop(): AgentEvent[] {
    this.#summary.hasStopped = true
    return []
  }

  #readError(line: JsonRecord): AgentEvent[] {
    const message = textAt(line, 'message') ?? textAt(objectAt(line, 'error'), 'message') ?? textAt(line, 'error')
    this.#summary.lastError = { message: message ?? '' }
    return []
  }

  #messageEvents(text: string | undefined, { isPartial }: { isPartial: boolean }): AgentEvent[] {
    if (!text) return []
    this.#hasMessage = true
    return messageEvents(text, { isPartial })
  }
}

function isOfSubAgent(line: JsonRecord): boolean {
  return textAt(line, 'parent_tool_use_id') !== undefined
}

/** Counts the tokens of a turn while it runs, as claude reports them with the messages of each model request. */
class RequestUsage {
  #finished: Usage | undefined
  #current: { id: string | undefined; usage: Usage } | undefined

  /** Notes a message. The messages of one request have the same id and repeat its counts. */
  note(message: JsonRecord): void {
    const counts = objectAt(message, 'usage')
    if (counts === undefined) return
    const id = textAt(message, 'id')
    const usage = toUsage(counts)
    const isSame = this.#current !== undefined && this.#current.id === id
    if (!isSame) this.#finished = this.sum()
    // The count of the output may be the one from the start of the answer.
    const output_tokens = Math.max(usage.output_tokens, isSame ? (this.#current?.usage.output_tokens ?? 0) : 0)
    this.#current = { id, usage: { ...usage, output_tokens } }
  }

  /** Notes the end of an answer that came in pieces: only now all of its output is counted. */
  noteEnd(counts: JsonRecord | undefined): void {
    const output_tokens = countAt(counts, 'output_tokens')
    if (this.#current === undefined || output_tokens === undefined) return
    this.#current = { ...this.#current, usage: { ...this.#current.usage, output_tokens } }
  }

  last(): Usage | undefined {
    return this.#current?.usage
  }

  /** Undefined before the first message. */
  sum(): Usage | undefined {
    if (this.#current === undefined) return this.#finished
    return addUsage(this.#finished ?? NO_USAGE, this.#current.usage)
  }
}
