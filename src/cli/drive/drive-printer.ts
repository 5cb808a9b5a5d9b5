/** Prints a driven run: lines for people, with a live view on a terminal, or JSON for programs. */
import type { Usage } from '../../agents/adapter/agent.ts'
import { titleOfGoal } from '../../contract/goal-title.ts'
import { beforeWork } from '../../drive/decide/before-work.ts'
import { spentBy } from '../../drive/decide/spending.ts'
import type { DriveUpdate } from '../../drive/drive-context.ts'
import { BLOCK_NAME } from '../../drive/prompt/outcome-block.ts'
import type { Attempt, DriveState } from '../../drive/record/drive-state.ts'
import type { Clock } from '../../kit/clock.ts'
import { closesFence } from '../../kit/foreign-text.ts'
import { formatMicro } from '../../kit/wording.ts'
import { countTokens } from '../../prompts/tokens.ts'
import { describeRecord } from '../output/drive-text.ts'
import { formatDuration, type Times, timesFor } from '../output/format-amounts.ts'
import { LiveLines } from '../output/live-lines.ts'
import { countColumns, toOneLine, toPrintable } from '../output/printable.ts'
import { formatLines, type StyledLine, tableWidth } from '../output/text-table.ts'
import { describeAgentEvent } from '../prompt/describe-activity.ts'
import type { Channel, Terminal } from '../terminal.ts'

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

/** The header of the live view: the goal, and where the run is. Pure. */
export type HeaderFacts = {
  readonly state: DriveState
  /** Since the last record. */
  readonly sinceMs: number
  /** What the running attempt has reported so far. */
  readonly usage: Usage | undefined
}

const RULE = '─'

/** The goal on a rule, and below it the facts, on as many lines as they need. */
export function headerLines(facts: HeaderFacts, { style, columns }: Pick<Channel, 'style' | 'columns'>): string[] {
  const width = columns - 1
  const goal = toOneLine(titleOfGoal(facts.state.goal), Math.max(1, width - 6))
  const rest = RULE.repeat(Math.max(0, width - countColumns(goal) - 4))
  const title = `${style('dim', RULE.repeat(2))} ${style('bold', goal)} ${style('dim', rest)}`
  return [title, ...joinParts(headerParts(facts), width).map((line) => style('dim', line))]
}

function headerParts({ state, sinceMs, usage }: HeaderFacts): string[] {
  const { attempts, options } = state
  const last = attempts.at(-1)
  const { tokens, cost_microusd, priced_microusd: priced, time_ms } = spentBy(state)
  const isRunning = last !== undefined && last.ended === undefined
  const check = runningCheck(state)
  const used = isRunning && usage !== undefined ? tokens + countTokens(usage, last.backend) : tokens
  const time = isRunning || check !== undefined ? time_ms + sinceMs : time_ms
  return [
    ...(last === undefined ? [] : actionParts(last)),
    ...(state.place.folder === undefined ? [] : [`in ${toOneLine(state.place.folder, 40)}`]),
    ...checkParts(state, check),
    ofLimit(formatDuration(time), limitText(options.max_time_ms, formatDuration)),
    `${ofLimit(String(used), limitText(options.max_tokens, String))} tokens`,
    ...(cost_microusd === 0 && options.max_cost_microusd === undefined
      ? []
      : [
          ofLimit(
            cost_microusd === 0 ? '$0' : formatMicro(cost_microusd, priced !== undefined),
            limitText(options.max_cost_microusd, (cost) => formatMicro(cost)),
          ),
        ]),
  ]
}

function actionParts({ action_number, actions_left, action_kind, backend }: Attempt): string[] {
  return [`action ${action_number} of ${action_number + actions_left}`, `${action_kind} by ${backend}`]
}

function limitText(limit: number | undefined, format: (value: number) => string): string | undefined {
  return limit === undefined ? undefined : format(limit)
}

function ofLimit(used: string, limit: string | undefined): string {
  return limit === undefined ? used : `${used} of ${limit}`
}

/** What is checked now, in the worktree, before the work, or in a clean checkout of the commit. */
function checkParts(state: DriveState, check: string | undefined): string[] {
  if (check !== undefined) return [`check ${toOneLine(check, 60)}`]
  const before = beforeWork(state)
  if (before?.do === 'baseline') return [`check ${toOneLine(before.command, 60)} before the work`]
  return isCheckingDelivery(state) ? ['checks in a clean checkout'] : []
}

function isCheckingDelivery({ attempts, submitted, options, place, delivery_check: check }: DriveState): boolean {
  const last = attempts.at(-1)
  const isOver = last?.action_kind === 'summarize' && submitted.some(({ action_id }) => action_id === last.action_id)
  return isOver && check === undefined && place.kind === 'worktree' && options.checks.length > 0
}

/** The check that drover runs now: the first one without a result after work that answered. */
function runningCheck({ attempts, options }: DriveState): string | undefined {
  const last = attempts.at(-1)
  if (last?.action_kind !== 'implement' || last.ended?.outcome === undefined || last.evidence !== undefined)
    return undefined
  return options.checks.find((command) => !last.checks.some((check) => check.command === command))
}

/** Parts that do not fit go on the next line. */
function joinParts(parts: readonly string[], width: number): string[] {
  const lines: string[] = []
  for (const part of parts) {
    const joined = lines.length === 0 ? part : `${lines.at(-1)} · ${part}`
    if (lines.length === 0 || countColumns(joined) > width) lines.push(part)
    else lines[lines.length - 1] = joined
  }
  return lines
}
