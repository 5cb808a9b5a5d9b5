/** A request that is longer than the screen is shown page by page, and the question follows its last line. Pure. */
import type { Key } from '../key-reader.ts'
import { cutToColumns } from '../output/printable.ts'

/** Rows for the question, or for the line that says that more follows. */
const ROWS_BELOW = 2

/** How many lines may be added at once: none of them scrolls away before the next key. */
export function pageHeight({ rows }: { rows: number }): number {
  return Math.max(1, rows - ROWS_BELOW)
}

type Progress = { shown: number; total: number }

/** It fits into one row, so that it can be erased. */
export function formatMore({ shown, total }: Progress, columns: number): string {
  return cutToColumns(`-- ${shown} of ${total} lines; Space = next page, Enter = next line, n = no -- `, columns - 1)
}

export type PagerKey = 'page' | 'line' | 'deny' | 'cancel'

/** Undefined: the key means nothing here. No key allows anything before the end was shown. The end of the input denies. */
export function toPagerKey(key: Key | undefined): PagerKey | undefined {
  if (key === undefined) return 'deny'
  return key.isCtrl ? CTRL_STEPS[key.name] : (STEPS[key.name] ?? STEPS[key.text.toLowerCase()])
}

const CTRL_STEPS: Readonly<Record<string, PagerKey>> = { c: 'cancel', d: 'deny' }
const STEPS: Readonly<Record<string, PagerKey>> = {
  space: 'page',
  pagedown: 'page',
  return: 'line',
  enter: 'line',
  down: 'line',
  n: 'deny',
  escape: 'deny',
}
