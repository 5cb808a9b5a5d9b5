/** Formats the results of several prompts as text. Pure. */
import { type PromptResult, type PromptStatus, toPromptStatus } from '../../prompts/prompt-result.ts'
import { formatDuration } from '../output/format-time.ts'
import { toMessage, toOneLine, toPrintable, toShown } from '../output/printable.ts'
import { wrapOn } from '../output/terminal-wrap.ts'
import { formatHeadedTable } from '../output/text-table.ts'
import { totalTokens } from '../output/usage-text.ts'
import type { Channel } from '../terminal.ts'
import type { BatchItem } from './item-progress.ts'

export type BatchOutcome = {
  item: BatchItem
  /** Undefined for an item that never started. */
  result: PromptResult | undefined
  /** Only shown for a dry run. */
  workdir?: string | undefined
}

const STATUS_TEXTS: Readonly<Record<PromptStatus | 'skipped', string>> = {
  completed: 'OK',
  failed: 'FAILED',
  canceled: 'CANCELED',
  skipped: 'SKIPPED',
}

const NAME_COLUMNS = 80

/** The output of one item under its name, followed by its failure. */
export function formatOutcome({ item, result, workdir }: BatchOutcome, out: Channel): string {
  if (result === undefined) return ''
  const name = item.name === item.backend ? item.name : `${toOneLine(item.name, NAME_COLUMNS)} (${item.backend})`
  const heading = `${item.mark} ${name}${workdir === undefined ? '' : ` in ${toPrintable(workdir)}`}`
  const failure = formatFailure(result)
  const parts = [
    out.style('bold', heading),
    ...(result.output === '' ? [] : [wrapOn(out, toShown(result.output, out).replace(/\n$/, ''))]),
    ...(failure === undefined ? [] : [out.style('red', wrapOn(out, failure))]),
  ]
  return `${parts.join('\n')}\n\n`
}

export function formatFailure(result: PromptResult): string | undefined {
  const status = toPromptStatus(result)
  if (status === 'completed') return undefined
  return status === 'canceled' ? 'canceled' : `failed: ${toPrintable(failureReason(result))}`
}

export function failureReason({ error, exit_code: exitCode }: PromptResult): string {
  return error ?? `exit code ${exitCode}`
}

/** One row per item. */
export function outcomeTable(
  outcomes: readonly BatchOutcome[],
  { first, last }: { first: string; last: string },
  out: Channel,
) {
  const headings = [first, 'BACKEND', 'STATUS', 'DURATION', 'TOKENS', last]
  const rows = outcomes.map(({ item, result }, at) => [
    String(at + 1),
    item.backend,
    STATUS_TEXTS[result === undefined ? 'skipped' : toPromptStatus(result)],
    result === undefined ? '-' : formatDuration(result.duration_ms),
    result === undefined ? '-' : String(totalTokens(result.token_usage)),
    item.name,
  ])
  return `${formatHeadedTable([headings, ...rows], out).join('\n')}\n`
}

/** `3 tasks: 2 completed, 1 failed; 4.1 s, 456 tokens` */
export function formatTotals(
  outcomes: readonly BatchOutcome[],
  { noun, durationMs }: { noun: string; durationMs: number },
): string {
  const results = outcomes.flatMap(({ result }) => (result === undefined ? [] : [result]))
  const count = (status: PromptStatus) => results.filter((result) => toPromptStatus(result) === status).length
  const parts = [
    `${count('completed')} completed`,
    ...(count('failed') > 0 ? [`${count('failed')} failed`] : []),
    ...(count('canceled') > 0 ? [`${count('canceled')} canceled`] : []),
    ...(results.length < outcomes.length ? [`${outcomes.length - results.length} skipped`] : []),
  ]
  const tokens = results.reduce((sum, { token_usage: usage }) => sum + totalTokens(usage), 0)
  const total = `${outcomes.length} ${noun}${outcomes.length === 1 ? '' : 's'}`
  return `${total}: ${parts.join(', ')}; ${formatDuration(durationMs)}, ${tokens} tokens\n`
}

/** Prints each warning once, with the items it belongs to: a hundred tasks may have the same warning. */
export function formatWarnings(
  outcomes: readonly { item: { mark: string }; result: PromptResult | undefined }[],
): string {
  const marks = new Map<string, string[]>()
  for (const { item, result } of outcomes) {
    for (const warning of result?.warnings ?? []) marks.set(warning, [...(marks.get(warning) ?? []), item.mark])
  }
  return [...marks].map(([warning, marked]) => `drover: warning: ${marked.join(' ')} ${toMessage(warning)}\n`).join('')
}
