import type { Invocation } from '../command.ts'
import { toPrintable } from '../output/printable.ts'
import { type Outcome, sayOutcome, sayWarnings } from './batch-text.ts'

type DryRun = {
  outcomes: readonly Outcome[]
  /** For those who asked for JSON. */
  report: unknown
  /** Where results would be written to. */
  directory: string | undefined
}

/** Prints what several prompts would start, also with `--quiet`: there is nothing else to print. */
export async function printDryRun(
  { flags, runtime }: Invocation,
  { outcomes, report, directory }: DryRun,
): Promise<void> {
  const { out, err } = runtime.terminal
  if (flags.isOn('json')) {
    await out.write(`${JSON.stringify(report, null, 2)}\n`)
    return
  }
  await err.write(sayWarnings(outcomes))
  await out.write(outcomes.map((outcome) => sayOutcome(outcome, out)).join(''))
  const unwritten = directory === undefined ? '' : `, and nothing was written to ${toPrintable(directory)}`
  await err.write(`Dry run: nothing was started${unwritten}.\n`)
}
