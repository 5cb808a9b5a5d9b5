/** Fits the lines of running items to a terminal. Names are shortened first; time and activity always stay. Pure. */
import { countColumns, toOneLine } from '../output/printable.ts'
import { formatTable } from '../output/text-table.ts'

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

/** At most `rows` lines; the last one says how many items are not shown. */
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
