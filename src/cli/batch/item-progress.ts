/** Collects the progress of several agents and formats it as lines for a terminal. */
import type { AgentEvent } from '../../agents/adapter/agent.ts'
import { type PromptResult, toPromptStatus } from '../../prompts/prompt-result.ts'
import type { BatchWatcher } from '../../prompts/run-batch.ts'
import { formatDuration } from '../output/format-amounts.ts'
import { countColumns, toOneLine } from '../output/printable.ts'
import { formatTable } from '../output/text-table.ts'
import { describeAgentEvent, TokenCounter } from '../prompt/describe-activity.ts'

export type BatchItem = { mark: string; name: string; backend: string }

type Watched = 'started' | 'event' | 'ended' | 'checking' | 'checked'

export class ItemProgress implements Required<Pick<BatchWatcher, Watched>> {
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
