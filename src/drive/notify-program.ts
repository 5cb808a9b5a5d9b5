/** Notifies another program how a drive ended. */
import type { RunVerdict } from '../contract/run-verdict.shape.ts'
import { Fault } from '../kit/fault.ts'
import { toChildEnvironment } from '../kit/process/child-environment.ts'
import { runProcess } from '../kit/process/process.ts'
import { parseCheck } from '../kit/process/run-check.ts'
import { outlineRun } from '../runs/read-status.ts'
import type { RunContext } from '../runs/run-context.ts'
import { asOwner } from '../runs/run-worktree.ts'
import { uninterrupted } from './drive-context.ts'
import { lastRound, readVerdict } from './read-verdict.ts'
import type { DriveState } from './record/drive-state.ts'

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
  runId: string,
): Promise<string | undefined> {
  const limits = { timeoutMs: TIMEOUT_MS, signal: new AbortController().signal, sweep: 'always' } as const
  try {
    const stdin = `${JSON.stringify(await readNotice(runs, runId))}\n`
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

type Notice = {
  readonly verdict: RunVerdict
  readonly run_id: string
  readonly goal: string
  readonly question?: string | undefined
  readonly delivered?: DriveState['delivered']
}

/** About the last round of the run. */
async function readNotice(runs: RunContext, firstId: string): Promise<Notice> {
  const drive = lastRound(runs.store, firstId)
  const context = uninterrupted(asOwner(runs, drive.run_id))
  const run = await outlineRun(context, drive.run_id)
  return {
    verdict: await readVerdict(context, { run, drive }),
    run_id: run.id,
    goal: drive.goal,
    question: run.state === 'paused' ? run.actions.at(-1)?.outcome?.pause?.question : undefined,
    delivered: drive.delivered,
  }
}
