/** Hands a run over to the server in the background. A server that is killed meanwhile is started again. Detaching from it does not stop the run. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config/config.shape.ts'
import { titleOfGoal } from '../../contract/goal-title.ts'
import type { DriveUpdate } from '../../drive/drive-context.ts'
import type { RoundsResult } from '../../drive/drive-rounds.ts'
import type { DriveEnd } from '../../drive/drive-run.ts'
import { recordOfUser } from '../../drive/driven-record-writer.ts'
import { isDriven, readDrive, readDriveEvents } from '../../drive/record/drive-journal.ts'
import { type DriveState, toDriveState } from '../../drive/record/drive-state.ts'
import { findDriven, saveDriven } from '../../drive/record/driven-records.ts'
import { driveBusy } from '../../drive/record/faults.ts'
import type { GivenOptions } from '../../drive/start/drive-options.ts'
import { type FoundDrive, lastingWorktree } from '../../drive/start/start-drive.ts'
import { Fault, isFault } from '../../kit/fault.ts'
import { reportChange } from '../../runs/change-run.ts'
import { openRun } from '../../runs/open-run.ts'
import { shortenKnownRunId } from '../../runs/resolve-run-id.ts'
import type { RunContext } from '../../runs/run-context.ts'
import type { LocalDrive, LocalStatus } from '../../service/local-protocol.ts'
import type { Invocation } from '../command.ts'
import { requireServer } from '../local/background-server.ts'
import { localServerLost, localServerNotStarted, serverNotRunning } from '../local/faults.ts'
import { askStatus } from '../local/local-server.ts'
import { callServer } from '../local/server-client.ts'
import { toPrintable } from '../output/printable.ts'
import { followUp, formatFollowUp } from '../output/what-follows.ts'
import { findUserPaths } from '../settings.ts'
import { driveNotHandedOver } from './faults.ts'

/** How often it is tried before the command gives up. */
const ATTEMPTS = 3
const LOST: readonly string[] = [localServerLost.code, serverNotRunning.code, localServerNotStarted.code]

/** The server was killed, or could not be started. */
export function isServerLost({ code }: Fault): boolean {
  return LOST.includes(code)
}

type HandOver = { found: FoundDrive; body: LocalDrive; config: Config }

/** Returns the server that drives the run. Throws `drive_not_handed_over`; then the next server that starts continues the run. */
async function handOver(invocation: Invocation, { found, body, config }: HandOver): Promise<LocalStatus> {
  const takeBack = await leaveToServer(invocation, found, body)
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendToServer(invocation, { body, config, isLeft: takeBack !== undefined })
    } catch (error) {
      if (!(error instanceof Fault) || !isServerLost(error)) {
        takeBack?.()
        throw error
      }
      const run = shortenKnownRunId(found.context, found.runId)
      if (attempt === ATTEMPTS) throw driveNotHandedOver({ run, problem: error.message }, error)
    }
  }
}

type Sent = Pick<HandOver, 'body' | 'config'> & { isLeft: boolean }

async function sendToServer(invocation: Invocation, { body, config, isLeft }: Sent): Promise<LocalStatus> {
  const server = await requireServer(invocation, config)
  try {
    await callServer(invocation, { method: 'POST', path: '/local/drive', body })
    return server
  } catch (error) {
    // A server that has just started continues by itself a run that is left to it.
    const isTaken = isLeft && (await isDrivenByServer(invocation, body.run_id, error))
    const status = isTaken ? await askStatus(invocation) : undefined
    if (status === undefined) throw error
    return status
  }
}

/** Returns how that is undone, for a run that is refused. Undefined if a process drives the run. */
async function leaveToServer(
  invocation: Invocation,
  { runId, context }: FoundDrive,
  { repository, notify, env }: LocalDrive,
): Promise<(() => void) | undefined> {
  if (await isDriven(context.store, runId)) return undefined
  const directory = findUserPaths(invocation).drivenRuns
  const before = findDriven(directory, runId)
  const record = recordOfUser(directory, { runId, repository, context, env })
  saveDriven(directory, { ...record, is_server_driven: true, ...(notify !== undefined && { notify }) })
  return () => void saveDriven(directory, { ...(before ?? record), is_server_driven: false })
}

/** What the server needs in order to drive a run as this command would. */
export function toLocalDrive(
  { runtime }: Invocation,
  { found, given, isDemo, notify }: Omit<Detached, 'config'>,
): LocalDrive {
  const env = Object.entries(runtime.env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return {
    run_id: found.runId,
    repository: lastingWorktree(found),
    begin: found.begin,
    given,
    is_demo: isDemo,
    ...(notify !== undefined && { notify }),
    env: Object.fromEntries(env),
    cwd: runtime.cwd,
  }
}

type Detached = {
  found: FoundDrive
  given: GivenOptions
  isDemo: boolean
  notify: string | undefined
  config: Config
}

/** `drover drive --detach`: leaves a run to the server in the background, and says how to watch it. */
export async function detachDrive(
  invocation: Invocation,
  { found, given, isDemo, notify, config }: Detached,
): Promise<number> {
  const { flags, runtime } = invocation
  const { runId, begin } = found
  const body = toLocalDrive(invocation, { found, given, isDemo, notify })
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
  const lines = [title, driverLine(server), ...uncheckedLines(found, name), '', 'Next:']
  await out.write(
    `${[...lines, ...next.flatMap((id) => formatFollowUp(followUp(id, { RUN: name }), out))].join('\n')}\n`,
  )
  return 0
}

/** What a check needs is known only when it runs. */
function uncheckedLines({ context, runId, begin }: FoundDrive, name: string): string[] {
  const { checks, baseline } = (begin.isNew === true ? readDrive(context.store, runId)?.options : undefined) ?? {}
  if (checks === undefined || checks.length === 0 || baseline === 'skip') return []
  return [`Its checks have not run yet: "drover status ${name}" shows how they end.`]
}

function driverLine({ pid, is_background: isBackground }: LocalStatus): string {
  return isBackground
    ? `Running in the background (pid ${pid}). "drover down" stops it.`
    : `Running in your server (pid ${pid}). "drover open" shows it in the console.`
}

/** Follows a run that a server of the user drives. Detaching does not stop the run. */
const POLL_MS = 100

/** Whether the error says that another process drives the run, and that process is the server of this user. */
export async function isDrivenByServer(invocation: Invocation, runId: string, error: unknown): Promise<boolean> {
  if (!isFault(error, driveBusy)) return false
  const path = `/api/v1/runs/${runId}`
  const run = await callServer(invocation, { method: 'GET', path }).catch(() => undefined)
  return run?.['driven_by'] === 'this_server'
}

/** How many records of a round were reported. */
type Shown = { runId: string; count: number }

/** Reports all records that were not shown, then new ones, until the run rests. Undefined if the person left. */
export async function attach(
  context: RunContext,
  { runId, shown }: { runId: string; shown: Shown },
  onUpdate: (update: DriveUpdate) => void,
): Promise<RoundsResult | undefined> {
  const { store, signal } = context
  while (!signal.aborted) {
    // Asked before the records are read: those of a driver that has ended are all there. It began with one of these rounds.
    const isOver = !(await isDriven(store, runId)) && !(await isDriven(store, shown.runId))
    const state = report(context, shown, onUpdate)
    if (state?.next_run_id !== undefined) Object.assign(shown, { runId: state.next_run_id, count: 0 })
    else if (isOver && state !== undefined) return { runId: shown.runId, end: await readEnd(context, state), state }
    else await sleep(POLL_MS, undefined, { signal }).catch(() => undefined)
  }
  return undefined
}

function report({ store }: RunContext, shown: Shown, onUpdate: (update: DriveUpdate) => void): DriveState | undefined {
  const events = readEvents(store, shown.runId)
  for (const event of events.slice(shown.count)) {
    shown.count += 1
    const state = toDriveState(events.slice(0, shown.count))
    if (state !== undefined) onUpdate({ is: 'recorded', runId: shown.runId, event, state })
  }
  return toDriveState(events)
}

/** A further round is announced before it has records. */
function readEvents(store: RunContext['store'], runId: string) {
  try {
    return readDriveEvents(store, runId)
  } catch (error) {
    if (error instanceof Fault && error.kind === 'not_found') return []
    throw error
  }
}

async function readEnd(context: RunContext, { run_id: runId, paused, delivered }: DriveState): Promise<DriveEnd> {
  const run = await openRun(context, runId, (each) => reportChange(each))
  if (delivered !== undefined) return { is: 'ended' }
  if (run.state === 'paused' || run.state === 'stopped') return { is: 'waits', run }
  return paused === undefined ? { is: 'interrupted' } : { is: 'paused', ...paused }
}
