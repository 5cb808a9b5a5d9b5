/** `--notify`: tells another program, and the terminal, that a run waits or has ended. */

import type { DriveResult } from '../../drive/drive-rounds.ts'
import { Fault } from '../../kit/fault.ts'
import { isPassedOn } from '../../kit/process/environment-variables.ts'
import { runProcess } from '../../kit/process/process.ts'
import { parseCheck } from '../../kit/process/run-check.ts'
import type { Invocation } from '../command.ts'
import { notifyFailed } from './faults.ts'

const TIMEOUT_MS = 30_000
const OUTPUT_LIMIT_BYTES = 1024 * 1024
const BELL = '\u0007'

type NotifyCommand = { argv: readonly [string, ...string[]]; text: string } | undefined

/** Refuses a command that cannot be run, before anything is paid for. */
export function parseNotify(text: string | undefined): NotifyCommand {
  return text === undefined ? undefined : { argv: parseCheck(text), text }
}

/** A failure is only a warning: the run is not affected. */
export async function notify({ runtime }: Invocation, command: NotifyCommand, result: DriveResult): Promise<void> {
  const { err } = runtime.terminal
  if (err.isTty) await err.write(BELL)
  if (command === undefined) return
  const problem = await tell(command.argv, runtime, result)
  if (problem !== undefined)
    await err.write(`drover: warning: ${notifyFailed({ command: command.text, problem }).message}\n`)
}

async function tell(
  argv: readonly [string, ...string[]],
  { env, cwd }: Invocation['runtime'],
  { runId, end, state }: DriveResult,
): Promise<string | undefined> {
  const { goal, delivered } = state
  const message = end.is === 'paused' ? { reason: end.reason, message: end.message } : {}
  const stdin = `${JSON.stringify({ event: end.is, run_id: runId, goal, ...message, delivered })}\n`
  const passed = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isPassedOn(entry[0]),
  )
  const limits = { timeoutMs: TIMEOUT_MS, signal: new AbortController().signal, sweep: 'always' } as const
  try {
    const { exit } = await runProcess(
      { argv, cwd, env: Object.fromEntries(passed), stdin, ...limits },
      { stdoutLimitBytes: OUTPUT_LIMIT_BYTES },
    )
    return exit.code === 0 ? undefined : `it ended with ${exit.code ?? exit.signal}`
  } catch (error) {
    if (error instanceof Fault) return error.message
    throw error
  }
}
