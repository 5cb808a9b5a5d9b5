/** The results of several prompts in words. Pure. */
import { type PromptResult, type PromptStatus, statusOf } from '../../prompts/prompt-result.ts'
import { formatDuration } from '../output/format-time.ts'
import { toOneLine, toPrintable, toShown } from '../output/printable.ts'
import { dropColumns, formatTable, tableWidth } from '../output/text-table.ts'
import { totalTokens } from '../output/usage-text.ts'
import type { Channel } from '../terminal.ts'
import type { FollowedItem } from './item-course.ts'

export type Outcome = {
  item: FollowedItem
  /** Undefined for an item that was never begun. */
  result: PromptResult | undefined
  /** Where it would work, said of a dry run. */
  workdir?: string | undefined
}

const WORDS: Readonly<Record<PromptStatus | 'skipped', string>> = {
  completed: 'OK',
  failed: 'FAILED',
  canceled: 'CANCELLED',
  skipped: 'SKIPPED',
}

const NAME_COLUMNS = 80

/** What one item said, under its name, and what went wrong with it. */
export function sayOutcome({ item, result, workdir }: Outcome, out: Channel): string {
  if (result === undefined) return ''
  const called = item.name === item.backend ? item.name : `${toOneLine(item.name, NAME_COLUMNS)} (${item.backend})`
  const heading = `${item.mark} ${called}${workdir === undefined ? '' : ` in ${toPrintable(workdir)}`}`
  const trouble = troubleOf(result)
  const parts = [
    out.style('bold', heading),
    ...(result.output === '' ? [] : [toShown(result.output, out).replace(/\n$/, '')]),
    ...(trouble === undefined ? [] : [out.style('red', trouble)]),
  ]
  return `${parts.join('\n')}\n\n`
}

/** Why there is no good answer. */
export function troubleOf(result: PromptResult): string | undefined {
  const status = statusOf(result)
  if (status === 'completed') return undefined
  return status === 'canceled' ? 'cancelled' : `failed: ${toPrintable(reasonOf(result))}`
}

export function reasonOf({ error, exit_code: exitCode }: PromptResult): string {
  return error ?? `exit code ${exitCode}`
}

/** One line an item, under the headings. */
export function outcomeTable(
  outcomes: readonly Outcome[],
  { first, last }: { first: string; last: string },
  out: Channel,
) {
  const headings = [first, 'BACKEND', 'STATUS', 'DURATION', 'TOKENS', last]
  const rows = outcomes.map(({ item, result }, at) => [
    String(at + 1),
    item.backend,
    WORDS[result === undefined ? 'skipped' : statusOf(result)],
    result === undefined ? '-' : formatDuration(result.duration_ms),
    result === undefined ? '-' : String(totalTokens(result.token_usage)),
    item.name,
  ])
  const [heading = '', ...lines] = formatTable(dropColumns([headings, ...rows], tableWidth(out)), tableWidth(out))
  return `${[out.style('bold', heading), ...lines].join('\n')}\n`
}

/** `3 tasks: 2 completed, 1 failed; 4.1 s, 456 tokens`. */
export function sayTotals(
  outcomes: readonly Outcome[],
  { noun, durationMs }: { noun: string; durationMs: number },
): string {
  const results = outcomes.flatMap(({ result }) => (result === undefined ? [] : [result]))
  const count = (status: PromptStatus) => results.filter((result) => statusOf(result) === status).length
  const parts = [
    `${count('completed')} completed`,
    ...(count('failed') > 0 ? [`${count('failed')} failed`] : []),
    ...(count('canceled') > 0 ? [`${count('canceled')} cancelled`] : []),
    ...(results.length < outcomes.length ? [`${outcomes.length - results.length} skipped`] : []),
  ]
  const tokens = results.reduce((sum, { token_usage: usage }) => sum + totalTokens(usage), 0)
  const things = `${outcomes.length} ${noun}${outcomes.length === 1 ? '' : 's'}`
  return `${things}: ${parts.join(', ')}; ${formatDuration(durationMs)}, ${tokens} tokens\n`
}

/** Each once, with the items it belongs to: a hundred tasks have the same warning a hundred times. */
export function sayWarnings(outcomes: readonly { item: { mark: string }; result: PromptResult | undefined }[]): string {
  const marks = new Map<string, string[]>()
  for (const { item, result } of outcomes) {
    for (const warning of result?.warnings ?? []) marks.set(warning, [...(marks.get(warning) ?? []), item.mark])
  }
  return [...marks].map(([warning, of]) => `drover: warning: ${of.join(' ')} ${toPrintable(warning)}\n`).join('')
}
