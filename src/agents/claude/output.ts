/** Reads `claude -p --output-format stream-json`, and the shapes of other formats and earlier releases. */
import type { AgentEvent } from '../agent.ts'
import { initEvent, messageEvents, thinkingEvents } from '../agent-events.ts'
import { countAt, type JsonObject, objectAt, objectsAt, textAt, toText } from '../json-fields.ts'
import { type Dialect, noFindings } from '../output-reader.ts'
import { StreamedText } from '../streamed-text.ts'
import { ToolLog } from '../tool-log.ts'
import { usageEvents } from '../usage.ts'
import { endingOf, sayRetry, usageOf } from './result.ts'

/** The model of messages that claude writes itself, to tell of an API error for instance. */
const SYNTHETIC = '<synthetic>'

export class ClaudeOutput implements Dialect {
  readonly backend = 'claude'
  readonly #found = noFindings()
  readonly #tools = new ToolLog()
  readonly #message = new StreamedText()
  readonly #thinking = new StreamedText()
  #hasSpoken = false

  findings() {
    const { ending, text } = this.#found
    // What was cut off in the middle is all there is of an answer that failed.
    return ending === 'success' ? this.#found : { ...this.#found, text: this.#message.unfinished || text }
  }

  read(line: JsonObject): AgentEvent[] | undefined {
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
      case undefined:
        return textAt(line, 'result') === undefined ? undefined : this.#readResult(line)
      default:
        return undefined
    }
  }

  #readSystem(line: JsonObject): AgentEvent[] {
    const subtype = textAt(line, 'subtype')
    if (subtype === 'api_retry') return [{ type: 'progress', content: { stage: 'retry', message: sayRetry(line) } }]
    if (subtype !== 'init' && subtype !== undefined) return []
    const [model, sessionId, workdir] = [textAt(line, 'model'), textAt(line, 'session_id'), textAt(line, 'cwd')]
    this.#found.model = model
    this.#found.sessionId = sessionId
    return [initEvent({ model, sessionId, workdir })]
  }

  #readStreamed(event: JsonObject | undefined): AgentEvent[] {
    const delta = objectAt(event, 'delta')
    if (textAt(event, 'type') !== 'content_block_delta') {
      // A block that begins leaves the one before it as it is; a retry begins anew without saying so.
      if (textAt(event, 'type') === 'content_block_start') this.#restart()
      return []
    }
    const [text, thinking] = [textAt(delta, 'text'), textAt(delta, 'thinking')]
    if (text) this.#message.add(text)
    if (thinking) this.#thinking.add(thinking)
    return [...this.#say(text, { isPartial: true }), ...thinkingEvents(thinking, { isPartial: true })]
  }

  #restart(): void {
    this.#message.restart()
    this.#thinking.restart()
  }

  #readAssistant(line: JsonObject): AgentEvent[] {
    const message = objectAt(line, 'message') ?? line
    const content = message['content']
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : objectsAt(message, 'content')
    if (textAt(message, 'model') === SYNTHETIC) {
      this.#found.trouble = { message: toText(content) ?? '' }
      return []
    }
    this.#found.model ??= textAt(message, 'model')
    const isHidden = isOfSubAgent(line)
    return blocks.flatMap((block) => this.#readBlock(block, { isHidden }))
  }

  /** What a sub-agent says is for the agent that asked it; what it does is done all the same. */
  #readBlock(block: JsonObject, { isHidden }: { isHidden: boolean }): AgentEvent[] {
    const type = textAt(block, 'type')
    if (type === 'tool_use') {
      return [this.#tools.use({ id: textAt(block, 'id'), name: textAt(block, 'name'), input: block['input'] })]
    }
    if (isHidden) return []
    const text = textAt(block, type === 'thinking' ? 'thinking' : 'text') ?? ''
    if (type === 'thinking') return thinkingEvents(this.#thinking.settle(text), { isPartial: false })
    if (type !== 'text') return []
    this.#found.text = text || this.#found.text
    return this.#say(this.#message.settle(text), { isPartial: false })
  }

  #readToolResult(block: JsonObject): AgentEvent[] {
    if (textAt(block, 'type') !== 'tool_result') return []
    const output = toText(block['content'])
    const failure = block['is_error'] === true ? (output ?? 'the tool failed') : undefined
    return [this.#tools.result({ id: textAt(block, 'tool_use_id'), output, failure })]
  }

  #readResult(line: JsonObject): AgentEvent[] {
    const found = this.#found
    found.sessionId = textAt(line, 'session_id') ?? found.sessionId
    found.turnCount = countAt(line, 'num_turns')
    found.usage = usageOf(line)
    found.ending = endingOf(line, found.trouble)
    if (found.ending !== 'success') return usageEvents(found.usage)
    found.text = textAt(line, 'result') ?? found.text
    // Without a stream of messages the result is the first that is heard of the answer.
    const unsaid = this.#hasSpoken ? [] : this.#say(found.text, { isPartial: false })
    return [...unsaid, ...usageEvents(found.usage)]
  }

  /** The last line of earlier releases. */
  #readStop(): AgentEvent[] {
    this.#found.hasStopped = true
    return []
  }

  #readError(line: JsonObject): AgentEvent[] {
    const message = textAt(line, 'message') ?? textAt(objectAt(line, 'error'), 'message') ?? textAt(line, 'error')
    this.#found.trouble = { message: message ?? '' }
    return []
  }

  #say(text: string | undefined, { isPartial }: { isPartial: boolean }): AgentEvent[] {
    if (!text) return []
    this.#hasSpoken = true
    return messageEvents(text, { isPartial })
  }
}

function isOfSubAgent(line: JsonObject): boolean {
  return textAt(line, 'parent_tool_use_id') !== undefined
}
