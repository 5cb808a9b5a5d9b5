/** Notifies another program that a run waits or has ended. */
import { Fault } from '../kit/fault.ts'
import { toChildEnvironment } from '../kit/process/child-environment.ts'
import { runProcess } from '../kit/process/process.ts'
import { parseCheck } from '../kit/process/run-check.ts'
import { outlineRun } from '../runs/read-status.ts'
import type { RunContext } from '../runs/run-context.ts'
import { uninterrupted } from './drive-context.ts'
import type { RoundsResult } from './drive-rounds.ts'

const TIMEOUT_MS = 30_000
const OUTPUT_LIMIT_BYTES = 1024 * 1024

type Places = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly runs: RunContext
}

/** The command gets JSON on its standard input. Returns why it failed; undefined if it did not. */
export async function notifyProgram(
  command: string,
  { env, cwd, runs }: Places,
  { runId, end, state }: RoundsResult,
): Promise<string | undefined> {
  const { goal, delivered } = state
  const message = end.is === 'paused' ? { reason: end.reason, message: end.message } : {}
  const question = end.is === 'waits' ? await readQuestion(runs, runId) : undefined
  const stdin = `${JSON.stringify({ event: end.is, run_id: runId, goal, question, ...message, delivered })}\n`
  const limits = { timeoutMs: TIMEOUT_MS, signal: new AbortController().signal, sweep: 'always' } as const
  try {
    const { exit } = await runProcess(
      { argv: parseCheck(command), cwd, env: toChildEnvironment(env), stdin, ...limits },
      { stdoutLimitBytes: OUTPUT_LIMIT_BYTES },
    )
    return exit.code === 0 ? undefined : `it ended with ${exit.code ?? exit.signal}`
  } catch (error) {
    if (error instanceof Fault) return error.message
    throw error
  }
}

/** Undefined if the run waits for something else, or cannot be read now: the notification is sent anyway. */
async function readQuestion(runs: RunContext, runId: string): Promise<string | undefined> {
  try {
    return (await outlineRun(uninterrupted(runs), runId)).actions.at(-1)?.outcome?.pause?.question
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}
