import type { Invocation } from '../command.ts'
import { toPrintable } from '../output/printable.ts'
import { type BatchOutcome, formatOutcome, formatTotals, formatWarnings, outcomeTable } from './batch-text.ts'

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
