/** Reads `gemini -o stream-json`, the single object of `-o json`, and the names that earlier releases had. */
import type { AgentEvent, ProcessEnd } from '../agent.ts'
import { initEvent, messageEvents } from '../agent-events.ts'
import type { Trouble } from '../failure.ts'
import { countAt, type JsonObject, objectAt, textAt, toText } from '../json-fields.ts'
import { type Dialect, noFindings } from '../output-reader.ts'
import { StreamedText } from '../streamed-text.ts'
import { ToolLog } from '../tool-log.ts'
import { usageEvents } from '../usage.ts'
import { exitTrouble, jsonOnStderr, NOT_ASKED, unwrapApiError, usageOfDocument, usageOfStream } from './result.ts'

export class GeminiOutput implements Dialect {
  readonly backend = 'gemini'
  readonly #found = noFindings()
  readonly #tools = new ToolLog()
  readonly #message = new StreamedText()

  findings() {
    // The text since the last use of a tool is the answer; texts before it accompany the work.
    return { ...this.#found, text: this.#message.unfinished || this.#found.text }
  }

  /** With `-o json` a failure is told on stderr alone; with any format the exit code may hold the HTTP status. */
  troubleOf(end: ProcessEnd) {
    const told = jsonOnStderr(end.stderrTail)
    const message = textAt(objectAt(told, 'error'), 'message')
    return {
      sessionId: textAt(told, 'session_id'),
      ...exitTrouble(end.code),
      ...(message !== undefined && unwrapApiError(message)),
    }
  }

  read(line: JsonObject): AgentEvent[] | undefined {
    switch (textAt(line, 'type')) {
      case 'init':
        return this.#readInit(line)
      case 'message':
        return this.#readMessage(line)
      case 'tool_use':
        return this.#readToolUse(line)
      case 'tool_result':
        return this.#readToolResult(line)
      case 'error':
        return this.#readError(line)
      case 'result':
        return this.#readResult(line)
      case undefined:
        return isDocument(line) ? this.#readDocument(line) : undefined
      default:
        return undefined
    }
  }

  #readInit(line: JsonObject): AgentEvent[] {
    const [model, sessionId] = [textAt(line, 'model'), textAt(line, 'session_id', 'sessionId')]
    this.#found.model = model
    this.#found.sessionId = sessionId
    return [initEvent({ model, sessionId })]
  }

  #readMessage(line: JsonObject): AgentEvent[] {
    if ((textAt(line, 'role') ?? 'assistant') !== 'assistant') return []
    const text = textAt(line, 'content', 'text') ?? ''
    if (line['delta'] === true) {
      this.#message.add(text)
      return messageEvents(text, { isPartial: true })
    }
    const rest = this.#message.settle(text)
    this.#found.text = text || this.#found.text
    return messageEvents(rest, { isPartial: false })
  }

  #readToolUse(line: JsonObject): AgentEvent[] {
    this.#found.text = this.#message.unfinished || this.#found.text
    this.#message.restart()
    const input = line['parameters'] ?? line['args'] ?? line['input']
    return [this.#tools.use({ ...namesOf(line), input })]
  }

  #readToolResult(line: JsonObject): AgentEvent[] {
    const error = objectAt(line, 'error')
    const output = toText(line['output'] ?? line['result'])
    const isError = textAt(line, 'status') === 'error' || error !== undefined
    const failure = isError ? (textAt(error, 'message') ?? output ?? 'the tool failed') : undefined
    return [this.#tools.result({ ...namesOf(line), output, failure })]
  }

  #readError(line: JsonObject): AgentEvent[] {
    const message = textAt(line, 'message') ?? textAt(objectAt(line, 'error'), 'message') ?? ''
    if (textAt(line, 'severity') === 'warning') return [{ type: 'progress', content: { stage: 'warning', message } }]
    this.#found.trouble = unwrapApiError(message)
    return []
  }

  #readResult(line: JsonObject): AgentEvent[] {
    const stats = objectAt(line, 'stats')
    this.#found.usage = usageOfStream(stats)
    this.#found.ending = this.#endingOf(line, stats)
    return usageEvents(this.#found.usage)
  }

  #endingOf(line: JsonObject, stats: JsonObject | undefined): 'success' | Trouble {
    const error = objectAt(line, 'error')
    if (textAt(line, 'status') === 'error' || error !== undefined) {
      const message = textAt(error, 'message') || this.#found.trouble?.message
      return unwrapApiError(message || 'gemini ended with an error')
    }
    const isSilent = this.findings().text === '' && this.#tools.isEmpty
    if (isSilent && countAt(stats, 'total_tokens') === 0) return NOT_ASKED
    return 'success'
  }

  #readDocument(line: JsonObject): AgentEvent[] {
    const error = objectAt(line, 'error')
    const text = textAt(line, 'response') ?? ''
    this.#found.sessionId = textAt(line, 'session_id', 'sessionId')
    this.#found.text = text
    this.#found.usage = usageOfDocument(objectAt(line, 'stats'))
    this.#found.ending = error ? unwrapApiError(textAt(error, 'message') ?? 'gemini ended with an error') : 'success'
    return [...messageEvents(text, { isPartial: false }), ...usageEvents(this.#found.usage)]
  }
}

function namesOf(line: JsonObject) {
  return { id: textAt(line, 'tool_id', 'toolCallId'), name: textAt(line, 'tool_name', 'toolName') }
}

function isDocument(line: JsonObject): boolean {
  return textAt(line, 'response') !== undefined || objectAt(line, 'error') !== undefined
}
