/** `--notify`: tells another program, and the terminal, how a drive ended. */
import { notifyProgram } from '../../drive/notify-program.ts'
import { parseCheck } from '../../kit/process/run-check.ts'
import type { RunContext } from '../../runs/run-context.ts'
import type { Invocation } from '../command.ts'
import { notifyFailed } from './faults.ts'

const BELL = '\u0007'

/** Refuses a command that cannot be run, before anything is paid for. */
export function parseNotify(text: string | undefined): string | undefined {
  if (text !== undefined) parseCheck(text)
  return text
}

/** A failure is only a warning: the run is not affected. */
export async function notify(
  { runtime }: Invocation,
  { command, runs }: { command: string | undefined; runs: RunContext },
  runId: string,
): Promise<void> {
  const { err } = runtime.terminal
  if (err.isTty) await err.write(BELL)
  if (command === undefined) return
  const problem = await notifyProgram(command, { ...runtime, runs }, runId)
  if (problem !== undefined) await err.write(`drover: warning: ${notifyFailed({ command, problem }).message}\n`)
}
