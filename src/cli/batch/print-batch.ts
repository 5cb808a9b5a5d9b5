import type { Invocation } from '../command.ts'
import { type Outcome, outcomeTable, sayOutcome, sayTotals, sayWarnings } from './batch-text.ts'

export type BatchPrint = {
  outcomes: readonly Outcome[]
  /** For those who asked for JSON. */
  report: { total_duration_seconds: number }
  /** What one of them is called, and the headings of its number and name. */
  noun: string
  headings: { first: string; last: string }
  /** Line by line: the outputs have been printed as they came, and no table follows. */
  isLineByLine: boolean
}

/** Prints what came of a batch: all of it as JSON, or the outputs, a table and a line with the totals. */
export async function printBatch({ flags, runtime }: Invocation, print: BatchPrint): Promise<void> {
  const { outcomes, report, noun, headings, isLineByLine } = print
  const { out, err } = runtime.terminal
  if (flags.isOn('json')) {
    await out.write(`${JSON.stringify(report, null, 2)}\n`)
    return
  }
  await err.write(sayWarnings(outcomes))
  if (!isLineByLine) {
    if (!flags.isOn('quiet')) await out.write(outcomes.map((outcome) => sayOutcome(outcome, out)).join(''))
    await out.write(outcomeTable(outcomes, headings, out))
  }
  await out.write(sayTotals(outcomes, { noun, durationMs: report.total_duration_seconds * 1000 }))
}
