/** Shows a running prompt on a terminal: the answer as it arrives, a line per tool call, and a progress line in between. */
import type { AgentEvent, Backend } from '../../agents/adapter/agent.ts'
import { describeDecision, describeMessage } from '../../agents/describe-for-people.ts'
import { formatDuration } from '../output/format-amounts.ts'
import { MarkdownStream } from '../output/markdown-stream.ts'
import { toOneLine, toPrintable, toShown } from '../output/printable.ts'
import { lineWidth } from '../output/text-table.ts'
import { WordWrap } from '../output/wrap-words.ts'
import type { Channel, Terminal, Written } from '../terminal.ts'
import { describeAgentEvent, TokenCounter } from './describe-activity.ts'

export type StreamOptions = {
  rendersMarkdown: boolean
  /** Lines break between words. */
  wrapsWords: boolean
  /** The tool calls are part of the output, and there is no progress line. */
  isLog?: boolean
}

export class StreamedAnswer {
  readonly #terminal: Terminal
  readonly #isLog: boolean
  readonly #progress: ProgressLine
  /** Undefined if the text is printed as the agent wrote it. */
  readonly #markdown: MarkdownStream | undefined
  readonly #wrap: WordWrap | undefined
  #isAtLineStart = true

  constructor(terminal: Terminal, { rendersMarkdown, wrapsWords, isLog = false }: StreamOptions) {
    this.#terminal = terminal
    this.#isLog = isLog
    this.#progress = new ProgressLine(terminal.err, () => this.#isAtLineStart)
    this.#markdown = rendersMarkdown ? new MarkdownStream(terminal.out.style) : undefined
    this.#wrap = wrapsWords ? new WordWrap(() => terminal.out.columns) : undefined
  }

  async begin(backend: Backend): Promise<void> {
    await this.#progress.begin(backend)
  }

  async event(event: AgentEvent): Promise<Written> {
    this.#progress.note(event)
    if (event.type === 'message') return await this.#printMessage(event.content)
    if (ENDS_LINE.includes(event.type)) await this.#endLine()
    const line = toolLine(event, this.#isLog)
    if (line !== undefined) await this.#printToolLine(line)
    if (!this.#isLog) await this.#progress.draw()
    return 'written'
  }

  async pause(): Promise<void> {
    await this.#progress.pause()
  }

  /** Also called if the prompt fails before its end. */
  async end(): Promise<void> {
    await this.#progress.end()
    await this.#endLine()
  }

  async #printMessage({ text, is_partial: isPartial }: { text: string; is_partial?: boolean }): Promise<Written> {
    await this.#progress.clear()
    if (isPartial !== true) await this.#endLine()
    const printable = this.#isLog ? toShown(text, this.#terminal.out) : toPrintable(text)
    const rendered = this.#markdown?.write(printable) ?? printable
    return await this.#write(this.#wrap?.write(rendered) ?? rendered)
  }

  async #printToolLine(line: string): Promise<void> {
    const { out, err } = this.#terminal
    if (this.#isLog) {
      await this.#endLine()
      await this.#write(`${out.style('dim', toOneLine(line, lineWidth(out)))}\n`)
      return
    }
    if (!err.isTty) return
    await this.#progress.clear()
    await err.write(`${err.style('dim', toOneLine(line, err.columns - 1))}\n`)
  }

  /** Prints what was held back, and ends an unfinished line. */
  async #endLine(): Promise<void> {
    const rendered = this.#markdown?.end() ?? ''
    const held = this.#wrap === undefined ? rendered : this.#wrap.write(rendered) + this.#wrap.end()
    if (held === '' && this.#isAtLineStart) return
    await this.#progress.clear()
    await this.#write(`${held}\n`)
  }

  async #write(text: string): Promise<Written> {
    if (text !== '') this.#isAtLineStart = text.endsWith('\n')
    return await this.#terminal.out.write(text)
  }
}

const ENDS_LINE: readonly AgentEvent['type'][] = [
  ...(['tool_use', 'thinking', 'approval_request', 'approval_decision', 'user_message'] as const),
]

/** What stays on the screen: each tool call, who decided about it, why one failed, and what the agent was told. */
function toolLine(event: AgentEvent, isLog: boolean): string | undefined {
  if (event.type === 'tool_use') return `→ ${describeAgentEvent(event)}`
  if (event.type === 'user_message') return `→ ${describeMessage(event.content)}`
  if (event.type === 'approval_decision') {
    // The user of this terminal has just seen the question and the answer.
    const isSeen = !isLog && event.content.by.via === 'terminal'
    return isSeen ? undefined : `→ ${describeDecision(event.content)}`
  }
  if (event.type !== 'tool_result' || event.content.is_error !== true) return undefined
  return `→ ${event.content.tool_name} failed: ${event.content.error_message ?? event.content.output ?? ''}`
}

const CLEAR_LINE = '\r\u001b[K'
const REDRAW_INTERVAL_MS = 250
/** The line comes back when no text has arrived for this long. */
const QUIET_MS = 1000

/** One line on a terminal that shows what the agent is doing, for how long, and its tokens. It is redrawn in place. */
class ProgressLine {
  readonly #channel: Channel
  readonly #isAtLineStart: () => boolean
  #tokens: TokenCounter | undefined
  #startedAt = 0
  #clearedAt = 0
  #activity = ''
  #isShown = false
  #isPaused = false
  #timer: NodeJS.Timeout | undefined

  /** The line is drawn only while the cursor is at the beginning of a line. */
  constructor(channel: Channel, isAtLineStart: () => boolean) {
    this.#channel = channel
    this.#isAtLineStart = isAtLineStart
  }

  async begin(backend: Backend): Promise<void> {
    this.#startedAt = performance.now()
    this.#activity = `starting ${backend}`
    this.#tokens = new TokenCounter(backend)
    this.#timer = setInterval(() => this.#tick(), REDRAW_INTERVAL_MS).unref()
    await this.draw()
  }

  note(event: AgentEvent): void {
    this.#isPaused = false
    this.#tokens?.note(event)
    this.#activity = describeAgentEvent(event) ?? this.#activity
  }

  async draw(): Promise<void> {
    if (this.#isPaused || !this.#channel.canRedraw || !this.#isAtLineStart()) return
    this.#isShown = true
    await this.#channel.write(`${CLEAR_LINE}${this.#channel.style('dim', this.#format())}`)
  }

  async clear(): Promise<void> {
    this.#clearedAt = performance.now()
    if (!this.#isShown) return
    this.#isShown = false
    await this.#channel.write(CLEAR_LINE)
  }

  /** Until the next event. */
  async pause(): Promise<void> {
    this.#isPaused = true
    await this.clear()
  }

  async end(): Promise<void> {
    clearInterval(this.#timer)
    await this.clear()
  }

  #tick(): void {
    const isQuiet = performance.now() - this.#clearedAt >= QUIET_MS
    // A terminal that has gone away is noticed by the next text.
    if (this.#isShown || isQuiet) this.draw().catch(() => undefined)
  }

  /** `12.3 s · ~340 tok · Bash npm test`, cut at the edge of the terminal. */
  #format(): string {
    const elapsed = performance.now() - this.#startedAt
    const tokens = this.#tokens?.format() ?? ''
    const parts = [elapsed < 1000 ? '' : formatDuration(elapsed), tokens, this.#activity]
    return toOneLine(parts.filter((part) => part !== '').join(' · '), this.#channel.columns - 1)
  }
}
