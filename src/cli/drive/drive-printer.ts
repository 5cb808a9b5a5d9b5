/** Prints a driven run: lines for people, with a live view on a terminal, or JSON for programs. */
import type { Usage } from '../../agents/adapter/agent.ts'
import type { DriveUpdate } from '../../drive/drive-context.ts'
import { BLOCK_NAME } from '../../drive/prompt/outcome-block.ts'
import type { DriveState } from '../../drive/record/drive-state.ts'
import type { Clock } from '../../kit/clock.ts'
import { closesFence } from '../../kit/foreign-text.ts'
import { describeRecord } from '../output/drive-text.ts'
import { LiveLines } from '../output/live-lines.ts'
import { type Times, timesFor } from '../output/local-times.ts'
import { toOneLine, toPrintable } from '../output/printable.ts'
import { formatLines, type StyledLine, tableWidth } from '../output/text-table.ts'
import { describeAgentEvent } from '../prompt/describe-activity.ts'
import type { Terminal } from '../terminal.ts'
import { headerLines } from './drive-header.ts'

export type DrivePrinter = {
  update(update: DriveUpdate): void
  /** Takes the live view away, so that others can write. */
  clearLive(): Promise<void>
}

type AgentEvent = Extract<DriveUpdate, { is: 'agent' }>['event']

const REDRAW_MS = 250
/** What an agent writes and does is indented below its attempt. */
const INDENT = '  '

/** One JSON object per line. */
export function createJsonDrivePrinter({ out }: Terminal): DrivePrinter {
  const queue = new WriteQueue()
  return {
    update(update) {
      if (update.is !== 'usage') queue.add(() => out.write(`${JSON.stringify(toJson(update))}\n`))
    },
    clearLive: () => queue.idle(),
  }
}

function toJson(update: Exclude<DriveUpdate, { is: 'usage' }>): object {
  return update.is === 'recorded'
    ? { run_id: update.runId, ...update.event }
    : { run_id: update.runId, type: 'agent_event', attempt: update.attempt, event: update.event }
}

export function createTextDrivePrinter({ out }: Terminal, clock: Clock): DrivePrinter {
  const times = timesFor(out, () => clock.now())
  return out.canRedraw ? new LivePrinter(out, times) : createLinePrinter(out, times)
}

function createLinePrinter(out: Terminal['out'], times: Times): DrivePrinter {
  const queue = new WriteQueue()
  const text = new AgentText()
  return {
    update(update) {
      const lines = formatLines(toLines(update, { text, times, width: tableWidth(out) }), out)
      if (lines.length > 0) queue.add(() => out.write(`${lines.join('\n')}\n`))
    },
    clearLive: () => queue.idle(),
  }
}

type LineOptions = { readonly text: AgentText; readonly times: Times; readonly width: number }

/** The lines that an update adds: what the agent writes, its tool calls, and the records of drover. */
function toLines(update: DriveUpdate, { text, times, width }: LineOptions): StyledLine[] {
  if (update.is === 'recorded') return [...text.end().map(indent), ...describeRecord(update.event, update.state, times)]
  if (update.is === 'usage') return []
  const { event } = update
  if (event.type === 'message')
    return text.add(event.content.text, { isPartial: event.content.is_partial === true }).map(indent)
  const tool = toolLine(event)
  if (tool === undefined) return []
  const line = { text: toOneLine(tool, width - INDENT.length - 1), tone: 'dim' } as const
  return [...text.end().map(indent), { ...line, text: indent(line.text) }]
}

function indent(line: string): string {
  return `${INDENT}${line}`
}

/** Each tool call, and why one failed. */
function toolLine(event: AgentEvent): string | undefined {
  if (event.type === 'tool_use') return `→ ${describeAgentEvent(event)}`
  if (event.type !== 'tool_result' || event.content.is_error !== true) return undefined
  return `→ ${event.content.tool_name} failed: ${event.content.error_message ?? event.content.output ?? ''}`
}

/** A whole message is above already. */
function describeActivity(event: AgentEvent): string | undefined {
  return event.type === 'message' && event.content.is_partial !== true ? '' : describeAgentEvent(event)
}

/** What happened stays above. The last lines are the header and what the agent does now. */
class LivePrinter implements DrivePrinter {
  readonly #out: Terminal['out']
  readonly #live: LiveLines
  readonly #times: Times
  readonly #queue = new WriteQueue()
  readonly #text = new AgentText()
  #state: DriveState | undefined
  #activity = ''
  #usage: Usage | undefined
  #recordedAt = performance.now()
  #timer: NodeJS.Timeout | undefined

  constructor(out: Terminal['out'], times: Times) {
    this.#out = out
    this.#times = times
    this.#live = new LiveLines(out)
  }

  update(update: DriveUpdate): void {
    this.#timer ??= setInterval(() => this.#draw([]), REDRAW_MS).unref()
    const lines = toLines(update, { text: this.#text, times: this.#times, width: this.#out.columns })
    if (update.is === 'recorded') {
      this.#state = update.state
      this.#activity = ''
      if (SPENDS.includes(update.event.type)) {
        this.#recordedAt = performance.now()
        this.#usage = undefined
      }
    } else if (update.is === 'usage') this.#usage = update.usage
    else {
      this.#activity = describeActivity(update.event) ?? this.#activity
      if (update.event.type === 'token_usage') this.#usage = update.event.content
    }
    if (lines.length > 0) this.#draw(lines)
  }

  async clearLive(): Promise<void> {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#queue.add(() => this.#live.clear())
    await this.#queue.idle()
  }

  #draw(above: readonly StyledLine[]): void {
    this.#queue.add(() => this.#live.draw(this.#now(), formatLines(above, this.#out)))
  }

  /** The header, and below it the line that the agent writes, or else what it does. */
  #now(): string[] {
    const state = this.#state
    if (state === undefined || state.delivered !== undefined || state.paused !== undefined) return []
    const sinceMs = performance.now() - this.#recordedAt
    const header = headerLines({ state, sinceMs, usage: this.#usage }, this.#out)
    const now = this.#text.current() || this.#activity
    if (now === '') return header
    return [...header, indent(toOneLine(now, this.#out.columns - INDENT.length - 1))]
  }
}

/** After these records, time that is not in the records yet starts over. */
const SPENDS: readonly string[] = ['drive_started', 'drive_resumed', 'attempt_started', 'attempt_ended', 'check_ran']

/** Writes one after the other; a reader that has gone away is noticed by the command itself. */
class WriteQueue {
  #last: Promise<unknown> = Promise.resolve()

  add(write: () => Promise<unknown>): void {
    this.#last = this.#last.then(write).catch(() => undefined)
  }

  async idle(): Promise<void> {
    await this.#last
  }
}

const OPENING = new RegExp(`^ {0,3}(\`{3,}|~{3,})[ \\t]*${BLOCK_NAME}[ \\t]*$`)

/** The text of an agent as lines for people. The block with the outcome is left out: drover shows what it says. */
export class AgentText {
  /** The line that is not complete yet. */
  #rest = ''
  /** The fence of the outcome block that the text is in. */
  #fence: string | undefined

  /** Takes a piece of text, or a whole message. Returns the lines that are complete. */
  add(text: string, { isPartial }: { isPartial: boolean }): string[] {
    const before = isPartial ? [] : this.end()
    const lines = `${this.#rest}${toPrintable(text)}`.split('\n')
    this.#rest = lines.pop() ?? ''
    const shown = this.#withoutOutcome(lines)
    return [...before, ...shown, ...(isPartial ? [] : this.end())]
  }

  /** The line that is being written; empty between lines and in the outcome block. */
  current(): string {
    return this.#fence === undefined && !/^ {0,3}[`~]/.test(this.#rest) ? this.#rest : ''
  }

  /** Returns what is left. The next text begins a new line. */
  end(): string[] {
    const lines = this.#rest === '' ? [] : this.#withoutOutcome([this.#rest])
    this.#rest = ''
    this.#fence = undefined
    return lines
  }

  #withoutOutcome(lines: readonly string[]): string[] {
    return lines.filter((line) => {
      if (this.#fence !== undefined) {
        if (closesFence(line, this.#fence)) this.#fence = undefined
        return false
      }
      this.#fence = OPENING.exec(line)?.[1]
      return this.#fence === undefined && line.trim() !== ''
    })
  }
}
