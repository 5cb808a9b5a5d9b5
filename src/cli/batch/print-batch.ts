import type { JsonObject } from '../../kit/json-value.ts'
import { withoutUndefined } from '../../kit/json-value.ts'
import { type PromptResult, type PromptStatus, toPromptStatus } from '../../prompts/prompt-result.ts'
import { countTokens } from '../../prompts/tokens.ts'
import type { Invocation } from '../command.ts'
import { formatDuration, formatPaid, formatTokenCount } from '../output/format-amounts.ts'
import { toMessage, toOneLine, toPrintable, toShown } from '../output/printable.ts'
import { formatHeadedTable } from '../output/text-table.ts'
import { wrapOn } from '../output/wrap-words.ts'
import { describeCancel, type SharedUsage, sharedUsage } from '../prompt/prompt-printer.ts'
import type { Channel } from '../terminal.ts'
import type { TaskInFile } from './task-file.shape.ts'

export type BatchOutput = {
  outcomes: readonly BatchOutcome[]
  /** Printed with --json. */
  report: { total_duration_seconds: number }
  /** `task` or `step`. */
  noun: string
  headings: { first: string; last: string }
  /** Each output was printed as soon as it was known, so no table follows. */
  isLineByLine: boolean
}

/** Prints the results of a batch: the report as JSON, or the outputs, a table and the totals. */
export async function printBatch({ flags, runtime }: Invocation, output: BatchOutput): Promise<void> {
  const { outcomes, report, noun, headings, isLineByLine } = output
  const { out, err } = runtime.terminal
  if (flags.isOn('json')) {
    await out.write(`${JSON.stringify(report, null, 2)}\n`)
    return
  }
  await err.write(formatWarnings(outcomes))
  if (!isLineByLine) {
    if (!flags.isOn('quiet')) await out.write(outcomes.map((outcome) => formatOutcome(outcome, out)).join(''))
    await out.write(outcomeTable(outcomes, headings, out))
  }
  await out.write(formatTotals(outcomes, { noun, durationMs: report.total_duration_seconds * 1000 }))
}

type DryRunOutput = {
  outcomes: readonly BatchOutcome[]
  /** Printed with --json. */
  report: unknown
  /** The directory that results would be written to. */
  directory: string | undefined
}

/** Prints the commands that a batch would start. `--quiet` changes nothing, because there is nothing else to print. */
export async function printDryRun(
  { flags, runtime }: Invocation,
  { outcomes, report, directory }: DryRunOutput,
): Promise<void> {
  const { out, err } = runtime.terminal
  if (flags.isOn('json')) {
    await out.write(`${JSON.stringify(report, null, 2)}\n`)
    return
  }
  await err.write(formatWarnings(outcomes))
  await out.write(outcomes.map((outcome) => formatOutcome(outcome, out)).join(''))
  const unwritten = directory === undefined ? '' : `, and nothing was written to ${toPrintable(directory)}`
  await err.write(`Dry run: nothing was started${unwritten}.\n`)
}

export type BatchItem = { mark: string; name: string; backend: string }

type BatchOutcome = {
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
  return toPrintable(status === 'canceled' ? describeCancel(result) : `failed: ${failureReason(result)}`)
}

export function failureReason({ error, exit_code: exitCode }: PromptResult): string {
  return error ?? `exit code ${exitCode}`
}

/** One row per item. The column for costs is there if one is known. */
export function outcomeTable(
  outcomes: readonly BatchOutcome[],
  { first, last }: { first: string; last: string },
  out: Channel,
) {
  const hasCost = outcomes.some(({ result }) => result !== undefined && formatPaid(result) !== undefined)
  const headings = [first, 'BACKEND', 'STATUS', 'DURATION', 'TOKENS', ...(hasCost ? ['COST'] : []), last]
  const rows = outcomes.map(({ item, result }, at) => [
    String(at + 1),
    item.backend,
    STATUS_TEXTS[result === undefined ? 'skipped' : toPromptStatus(result)],
    result === undefined ? '-' : formatDuration(result.duration_ms),
    (result && formatTokenCount(result.token_usage, result.backend)) ?? '-',
    ...(hasCost ? [formatPaid(result ?? {}) ?? '-'] : []),
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
  const tokens = results.reduce((sum, { token_usage: usage, backend }) => sum + countTokens(usage, backend), 0)
  const total = `${outcomes.length} ${noun}${outcomes.length === 1 ? '' : 's'}`
  const effort = `${formatDuration(durationMs)}${tokens === 0 ? '' : `, ${tokens} tokens`}`
  return `${total}: ${parts.join(', ')}; ${effort}\n`
}

type Marked = { item: { mark: string }; result: PromptResult | undefined }

/** Prints each warning once, with the items it belongs to: a hundred tasks may have the same warning. */
export function formatWarnings(
  outcomes: readonly Marked[],
  joinMarks = (marks: readonly string[]) => marks.join(' '),
): string {
  const marks = new Map<string, string[]>()
  for (const { item, result } of outcomes) {
    for (const warning of result?.warnings ?? []) marks.set(warning, [...(marks.get(warning) ?? []), item.mark])
  }
  const lines = [...marks].map(([warning, marked]) => `drover: warning: ${joinMarks(marked)} ${toMessage(warning)}\n`)
  return lines.join('')
}

/** When an item started and ended; empty if it never started. */
export type Span = { start_time?: string; end_time?: string }

type Timed = PromptResult & Span & SharedUsage & { duration_seconds: number }

type Totals = { total_duration_seconds: number; start_time: string; end_time: string }

type TaskEntry = {
  /** From 0, as in the file. */
  index: number
  task_id?: string
  task_name?: string
  tags?: readonly string[]
  meta?: JsonObject
} & Timed

/** The JSON reports of `parallel`, `chain` and `compare`. */
export function withTimes<Result extends PromptResult>(result: Result, span: Span): Result & Timed {
  return { ...result, ...sharedUsage(result), duration_seconds: result.duration_ms / 1000, ...span }
}

/** The result of one task together with the user's own fields of the task. */
export function toTaskEntry(
  index: number,
  { id, name, tags, meta }: TaskInFile,
  { result, span }: { result: PromptResult; span: Span },
): TaskEntry {
  return {
    index,
    ...withoutUndefined({ task_id: id, task_name: name, tags, meta }),
    ...withTimes(result, span),
  }
}

/** Replaces the duration in milliseconds by seconds and timestamps. */
export function withTotals<Result extends { total_duration_ms: number; results: unknown }, Entry>(
  result: Result,
  span: Required<Span>,
  results: readonly Entry[],
): Omit<Result, 'total_duration_ms' | 'results'> & Totals & { results: readonly Entry[] } {
  const { total_duration_ms: durationMs, results: _, ...rest } = result
  return { ...rest, total_duration_seconds: durationMs / 1000, ...span, results }
}
