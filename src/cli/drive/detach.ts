/** `drover drive --detach`: leaves a run to the server in the background, and says how to watch it. */
import type { Config } from '../../config/config.shape.ts'
import { titleOfGoal } from '../../contract/goal-title.ts'
import type { GivenOptions } from '../../drive/start/drive-options.ts'
import { type FoundDrive, lastingWorktree } from '../../drive/start/start-drive.ts'
import { shortenKnownRunId } from '../../runs/resolve-run-id.ts'
import type { LocalDrive, LocalStatus } from '../../service/local-protocol.ts'
import type { Invocation } from '../command.ts'
import { toPrintable } from '../output/printable.ts'
import { followUp, formatFollowUp } from '../output/what-follows.ts'
import { handOver } from './hand-over.ts'

type Detached = {
  found: FoundDrive
  given: GivenOptions
  isDemo: boolean
  notify: string | undefined
  config: Config
}

export async function detachDrive(
  invocation: Invocation,
  { found, given, isDemo, notify, config }: Detached,
): Promise<number> {
  const { flags, runtime } = invocation
  const { runId, begin } = found
  const env = Object.entries(runtime.env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const body: LocalDrive = {
    run_id: runId,
    repository: lastingWorktree(found),
    begin,
    given,
    is_demo: isDemo,
    ...(notify !== undefined && { notify }),
    env: Object.fromEntries(env),
    cwd: runtime.cwd,
  }
  const server = await handOver(invocation, { found, body, config })
  const { out } = runtime.terminal
  const place = begin.place.kind === 'worktree' ? { branch: begin.place.branch } : {}
  if (flags.isOn('json')) {
    await out.write(`${JSON.stringify({ type: 'detached', run_id: runId, pid: server.pid, ...place })}\n`)
    return 0
  }
  const name = shortenKnownRunId(found.context, runId)
  const title = `Run ${runId}: ${toPrintable(titleOfGoal(begin.goal))}`
  const next = ['follow-background', 'status', 'answer-background', 'stop'] as const
  const lines = [title, driverLine(server), '', 'Next:']
  await out.write(
    `${[...lines, ...next.flatMap((id) => formatFollowUp(followUp(id, { RUN: name }), out))].join('\n')}\n`,
  )
  return 0
}

function driverLine({ pid, is_background: isBackground }: LocalStatus): string {
  return isBackground
    ? `Running in the background (pid ${pid}). "drover down" stops it.`
    : `Running in your server (pid ${pid}). "drover open" shows it in the console.`
}
