/** Reads `gemini -o stream-json` and the single object of `-o json`, with the names that earlier releases used too. */
import type { AgentEvent, Denial } from '../adapter/agent.ts'
import type { AgentFailure } from '../adapter/failure.ts'
import { countAt, type JsonRecord, objectAt, textAt, toText } from '../adapter/json-fields.ts'
import { type AgentOutput, emptySummary, initEvent, messageEvents, StreamedText } from '../adapter/output-reader.ts'
import { usageEvents } from '../adapter/token-usage.ts'
import { ToolLog } from '../adapter/tool-log.ts'
import {
  jsonOnStderr,
  NOT_ASKED,
  retryDelayOnStderr,
  unwrapApiError,
  usageOfDocument,
  usageOfStream,
} from './result.ts'

/** The types of errors of tools that are not offered in this mode, or that a policy denies. */
const DENIALS = ['tool_not_registered', 'policy_violation']
/** Tools that approval mode `auto` allows; all others need `none`. */
const EDITING_TOOLS = ['write_file', 'replace', 'web_fetch']

/** Gemini reports retries on stderr. */
const RETRY = /^Attempt (\d+) failed(?: with status (\d{3}))?\b.*Retrying with backoff/

export class GeminiOutput implements AgentOutput {
  readonly backend = 'gemini'
  readonly #summary = emptySummary()
  readonly #tools = new ToolLog()
  readonly #message = new StreamedText()
  readonly #denials: Denial[] = []

  summary() {
    // The text since the last tool call is the answer; earlier texts comment on the work.
    return { ...this.#summary, denials: this.#denials, text: this.#message.unfinished || this.#summary.text }
  }

  /** With `-o json` a failure is printed on stderr alone. */
  readStderr(stderrTail: string) {
    const document = jsonOnStderr(stderrTail)
    const message = textAt(objectAt(document, 'error'), 'message')
    return {
      sessionId: textAt(document, 'session_id'),
      retryAfterMs: retryDelayOnStderr(stderrTail),
      ...(message !== undefined && unwrapApiError(message)),
    }
  }

  readNotice(line: string): AgentEvent[] {
    const [, attempt, status] = RETRY.exec(line) ?? []
    if (attempt === undefined) return []
    const message = `retry ${attempt} after ${status ?? 'an error'}`
    this.#summary.lastRetry = { message, status: status === undefined ? undefined : Number(status) }
    return [{ type: 'progress', content: { stage: 'retry', message } }]
  }

  read(line: JsonRecord): AgentEvent[] | undefined {
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

  #readInit(line: JsonRecord): AgentEvent[] {
    const [model, sessionId] = [textAt(line, 'model'), textAt(line, 'session_id', 'sessionId')]
    this.#summary.model = model
    this.#summary.sessionId = sessionId
    return [initEvent({ model, sessionId })]
  }

  #readMessage(line: JsonRecord): AgentEvent[] {
    if ((textAt(line, 'role') ?? 'assistant') !== 'assistant') return []
    const text = textAt(line, 'content', 'text') ?? ''
    if (line['delta'] === true) {
      this.#message.add(text)
      return messageEvents(text, { isPartial: true })
    }
    const rest = this.#message.takeRest(text)
    this.#summary.text = text || this.#summary.text
    return messageEvents(rest, { isPartial: false })
  }

  #readToolUse(line: JsonRecord): AgentEvent[] {
    this.#summary.text = this.#message.unfinished || this.#summary.text
    this.#message.restart()
    const input = line['parameters'] ?? line['args'] ?? line['input']
    return [this.#tools.use({ ...readToolNames(line), input })]
  }

  #readToolResult(line: JsonRecord): AgentEvent[] {
    const error = objectAt(line, 'error')
    const output = toText(line['output'] ?? line['result'])
    const isError = textAt(line, 'status') === 'error' || error !== undefined
    const failure = isError ? (textAt(error, 'message') ?? output ?? 'the tool failed') : undefined
    if (DENIALS.includes(textAt(error, 'type') ?? ''))
      this.#denials.push(withNeeds(this.#tools.denialOf(readToolNames(line))))
    return [this.#tools.result({ ...readToolNames(line), output, failure })]
  }

  #readError(line: JsonRecord): AgentEvent[] {
    const message = textAt(line, 'message') ?? textAt(objectAt(line, 'error'), 'message') ?? ''
    if (textAt(line, 'severity') === 'warning') return [{ type: 'progress', content: { stage: 'warning', message } }]
    this.#summary.lastError = unwrapApiError(message)
    return []
  }

  #readResult(line: JsonRecord): AgentEvent[] {
    const stats = objectAt(line, 'stats')
    this.#summary.usage = usageOfStream(stats)
    this.#summary.outcome = this.#outcomeOf(line, stats)
    return usageEvents(this.#summary.usage)
  }

  #outcomeOf(line: JsonRecord, stats: JsonRecord | undefined): 'success' | AgentFailure {
    const error = objectAt(line, 'error')
    if (textAt(line, 'status') === 'error' || error !== undefined) {
      const message = textAt(error, 'message') || this.#summary.lastError?.message
      return unwrapApiError(message || 'gemini ended with an error')
    }
    const isSilent = this.summary().text === '' && this.#tools.isEmpty
    if (isSilent && countAt(stats, 'total_tokens') === 0) return NOT_ASKED
    return 'success'
  }

  #readDocument(line: JsonRecord): AgentEvent[] {
    const error = objectAt(line, 'error')
    const text = textAt(line, 'response') ?? ''
    this.#summary.sessionId = textAt(line, 'session_id', 'sessionId')
    this.#summary.text = text
    this.#summary.usage = usageOfDocument(objectAt(line, 'stats'))
    this.#summary.outcome = error ? unwrapApiError(textAt(error, 'message') ?? 'gemini ended with an error') : 'success'
    return [...messageEvents(text, { isPartial: false }), ...usageEvents(this.#summary.usage)]
  }
}

function readToolNames(line: JsonRecord) {
  return { id: textAt(line, 'tool_id', 'toolCallId'), name: textAt(line, 'tool_name', 'toolName') }
}

function isDocument(line: JsonRecord): boolean {
  return textAt(line, 'response') !== undefined || objectAt(line, 'error') !== undefined
}

function withNeeds(denial: Denial): Denial {
  return { ...denial, needs: EDITING_TOOLS.includes(denial.tool) ? 'edit' : 'everything' }
}
