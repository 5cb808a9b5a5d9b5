/** Shows the progress of several agents on stderr: live lines on a terminal, one line per event elsewhere. */
import type { AgentEvent } from '../../agents/adapter/agent.ts'
import { type PromptResult, type PromptStatus, toPromptStatus } from '../../prompts/prompt-result.ts'
import type { BatchWatcher } from '../../prompts/run-batch.ts'
import { formatDuration } from '../output/format-amounts.ts'
import { LiveLines } from '../output/live-lines.ts'
import { countColumns, toMessage, toOneLine } from '../output/printable.ts'
import { formatTable } from '../output/text-table.ts'
import { describeAgentEvent, TokenCounter } from '../prompt/describe-activity.ts'
import { RetryTimer } from '../prompt/retry-notice.ts'
import type { Channel } from '../terminal.ts'
import { formatCheckLine } from './comparison-text.ts'
import { type BatchItem, failureReason } from './print-batch.ts'

export type ProgressReporter = {
  watcher: BatchWatcher
  /** The agents should send partial text, because it is shown as progress. */
  wantsDeltas: boolean
  /** Removes live lines and waits until everything is written. */
  end(): Promise<void>
}

const REDRAW_INTERVAL_MS = 200
const NAME_COLUMNS = 80
const REASON_COLUMNS = 300

type Note = Parameters<Required<BatchWatcher>['noted']>[0]

/** How to log in to an agent, if drover sees no login. */
export type FindLogin = (backend: string) => string | undefined

/** Only notes, and which items only try again. */
export function createSilentReporter(
  items: readonly BatchItem[],
  channel: Channel,
  findLogin: FindLogin,
): ProgressReporter {
  const writing = createQueue()
  const noted = (note: Note) => writing.add(() => channel.write(`${formatNote(note)}\n`))
  const event = watchRetries(items, { say: (line) => writing.add(() => channel.write(line)), findLogin })
  return { watcher: { noted, event }, wantsDeltas: false, end: writing.done }
}

type Watched = { say: (line: string) => void; findLogin: FindLogin }

function watchRetries(items: readonly BatchItem[], { say, findLogin }: Watched): Required<BatchWatcher>['event'] {
  const notices = items.map(() => new RetryTimer(say))
  return (index, event) => {
    const item = items[index]
    if (item === undefined) return
    notices[index]?.note(event, `${item.mark} ${formatName(item)}`, () => findLogin(item.backend))
  }
}

/** It may name files, and an agent may have put control characters and line breaks into their names. */
function formatNote({ message, isWarning }: Note): string {
  return `drover: ${isWarning ? 'warning: ' : ''}${toMessage(message)}`
}

/** One line when an item starts and one when it ends. */
export function createLineReporter(
  items: readonly BatchItem[],
  channel: Channel,
  findLogin: FindLogin,
): ProgressReporter {
  const writing = createQueue()
  const write = (line: string) => writing.add(() => channel.write(`${line}\n`))
  const writeLine = (index: number, format: (item: BatchItem) => string) => {
    const item = items[index]
    if (item !== undefined) write(format(item))
  }
  return {
    watcher: {
      started: (index) => writeLine(index, (item) => `${item.mark} started: ${formatName(item)}`),
      event: watchRetries(items, { say: (line) => writing.add(() => channel.write(line)), findLogin }),
      ended: (index, result) => writeLine(index, (item) => formatEnd(item, result)),
      checked: (name, check) => write(formatCheckLine(name, check)),
      noted: (note) => write(formatNote(note)),
    },
    wantsDeltas: false,
    end: writing.done,
  }
}

/** Only failures, for --quiet. */
export function createFailureReporter(items: readonly BatchItem[], channel: Channel): ProgressReporter {
  const { watcher, ...rest } = createLineReporter(items, channel, () => undefined)
  const ended: BatchWatcher['ended'] = (item, result) => hasFailed(result) && watcher.ended?.(item, result)
  return { ...rest, watcher: { ended, ...(watcher.noted !== undefined && { noted: watcher.noted }) } }
}

/** Redraws one line per running item and one with the counts. Failures stay above them. */
export function createLiveReporter(items: readonly BatchItem[], channel: Channel): ProgressReporter {
  const lines = new LiveLines(channel)
  const progress = new ItemProgress(items)
  const drawing = createQueue()
  const draw = (above: readonly string[] = []) => drawing.add(() => lines.draw(progress.toLines(channel), above))
  const timer = setInterval(() => draw(), REDRAW_INTERVAL_MS)
  draw()
  return {
    watcher: {
      started: progress.started,
      event: progress.event,
      ended: (item, result) => {
        progress.ended(item, result)
        const failed = hasFailed(result) ? items[item] : undefined
        if (failed !== undefined) draw([formatEnd(failed, result)])
      },
      checking: (name, command) => {
        progress.checking(name, command)
        draw()
      },
      checked: (name, check) => {
        progress.checked()
        draw([formatCheckLine(name, check)])
      },
      noted: (note) => draw([formatNote(note)]),
    },
    wantsDeltas: true,
    async end() {
      clearInterval(timer)
      await drawing.done()
      await lines.clear()
    },
  }
}

function hasFailed(result: PromptResult): boolean {
  return toPromptStatus(result) === 'failed'
}

const STATUS_TEXTS: Readonly<Record<PromptStatus, string>> = {
  completed: 'finished',
  failed: 'failed',
  canceled: 'canceled',
}

/** `[2] failed after 1.5 s: beta (codex): the reason` */
function formatEnd(item: BatchItem, result: PromptResult): string {
  const status = toPromptStatus(result)
  const reason = status === 'failed' ? `: ${toOneLine(failureReason(result), REASON_COLUMNS)}` : ''
  return `${item.mark} ${STATUS_TEXTS[status]} after ${formatDuration(result.duration_ms)}: ${formatName(item)}${reason}`
}

function formatName({ name, backend }: BatchItem): string {
  return name === backend ? name : `${toOneLine(name, NAME_COLUMNS)} (${backend})`
}

/** Writes in order, because the batch does not wait for its watchers. A failed write must not stop the batch. */
function createQueue() {
  let last: Promise<unknown> = Promise.resolve()
  return {
    add(work: () => Promise<unknown>): void {
      last = last.then(work).catch(() => undefined)
    },
    async done(): Promise<void> {
      await last
    },
  }
}

type WatchedMoment = 'started' | 'event' | 'ended' | 'checking' | 'checked'

/** Collects the progress of several agents and formats it as lines for a terminal. */
class ItemProgress implements Required<Pick<BatchWatcher, WatchedMoment>> {
  readonly #items: readonly BatchItem[]
  readonly #running = new Map<number, { startedAt: number; tokens: TokenCounter; activity: string }>()
  #check: string | undefined
  readonly #ended = { completed: 0, failed: 0, canceled: 0 }

  constructor(items: readonly BatchItem[]) {
    this.#items = items
  }

  started = (item: number) => {
    const tokens = new TokenCounter(this.#items[item]?.backend ?? '')
    this.#running.set(item, { startedAt: performance.now(), tokens, activity: 'starting' })
  }

  event = (item: number, event: AgentEvent) => {
    const running = this.#running.get(item)
    if (running === undefined) return
    running.tokens.note(event)
    running.activity = describeAgentEvent(event) ?? running.activity
  }

  ended = (item: number, result: PromptResult) => {
    this.#running.delete(item)
    this.#ended[toPromptStatus(result)] += 1
  }

  checking = (name: string, command: string) => {
    this.#check = `${name}: checking with ${command}`
  }

  checked = () => {
    this.#check = undefined
  }

  /** One line per running item, as far as they fit, and one with the counts. */
  toLines(size: { columns: number; rows: number }): string[] {
    const rows = [...this.#running].map(([item, { startedAt, activity, tokens }]) => {
      const { mark, name, backend } = this.#items[item] ?? { mark: '', name: '', backend: '' }
      const time = formatDuration(performance.now() - startedAt)
      return { mark, name, backend: name === backend ? '' : backend, time, tokens: tokens.format(), activity }
    })
    const last = this.#check === undefined ? this.#formatCounts() : toOneLine(this.#check, size.columns - 1)
    return [...layOutItems(rows, { ...size, rows: size.rows - 1 }), last]
  }

  #formatCounts(): string {
    const { completed, failed, canceled } = this.#ended
    const done = completed + failed + canceled
    const waiting = this.#items.length - done - this.#running.size
    const parts = [`${done} of ${this.#items.length} done`, `${this.#running.size} running`]
    if (waiting > 0) parts.push(`${waiting} waiting`)
    if (failed > 0) parts.push(`${failed} failed`)
    if (canceled > 0) parts.push(`${canceled} canceled`)
    return parts.join(', ')
  }
}

export type ItemRow = {
  mark: string
  name: string
  /** Empty if the name is the backend. */
  backend: string
  time: string
  tokens: string
  activity: string
}

type Column = keyof ItemRow

const GAP_COLUMNS = 2
const MAX_NAME_COLUMNS = 32
const MIN_NAME_COLUMNS = 6
const MIN_ACTIVITY_COLUMNS = 12

/** The first layout with enough space for names and activities is used. */
const LAYOUTS: readonly (readonly Column[])[] = [
  ['mark', 'name', 'backend', 'time', 'tokens', 'activity'],
  ['mark', 'name', 'time', 'tokens', 'activity'],
  ['mark', 'name', 'time', 'activity'],
]
const NARROW_LAYOUT: readonly Column[] = ['mark', 'time', 'activity']

/** Names are shortened first; time and activity always stay. At most `rows` lines; the last one says how many items are not shown. */
export function layOutItems(items: readonly ItemRow[], { columns, rows }: { columns: number; rows: number }): string[] {
  const available = Math.max(1, rows - 1)
  const shown = items.length <= available ? items : items.slice(0, available - 1)
  const more = shown.length < items.length ? [`and ${items.length - shown.length} more`] : []
  return [...toTable(shown, columns - 1), ...more]
}

function toTable(items: readonly ItemRow[], width: number): string[] {
  const fits = (layout: readonly Column[]) => nameSpace(items, { layout, width }) >= MIN_NAME_COLUMNS
  const layout = LAYOUTS.find(fits) ?? NARROW_LAYOUT
  const nameColumns = Math.min(MAX_NAME_COLUMNS, nameSpace(items, { layout, width }))
  const cell = (item: ItemRow, column: Column) => (column === 'name' ? toOneLine(item.name, nameColumns) : item[column])
  const used = layout.filter((column) => column === 'activity' || items.some((item) => item[column] !== ''))
  return formatTable(
    items.map((item) => used.map((column) => cell(item, column))),
    width,
  )
}

/** The columns that are left for names. */
function nameSpace(items: readonly ItemRow[], { layout, width }: { layout: readonly Column[]; width: number }): number {
  const others = layout.filter((column) => column !== 'name' && column !== 'activity')
  const taken = others.reduce((sum, column) => sum + columnWidth(items, column), 0)
  return width - taken - GAP_COLUMNS - MIN_ACTIVITY_COLUMNS
}

function columnWidth(items: readonly ItemRow[], column: Column): number {
  const widest = Math.max(0, ...items.map((item) => countColumns(item[column])))
  return widest === 0 ? 0 : widest + GAP_COLUMNS
}
