/** Follows a run that a server of the user drives. Detaching does not stop the run. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { DriveUpdate } from '../../drive/drive-context.ts'
import type { RoundsResult } from '../../drive/drive-rounds.ts'
import type { DriveEnd } from '../../drive/drive-run.ts'
import { isDriven, readDriveEvents } from '../../drive/record/drive-journal.ts'
import { type DriveState, toDriveState } from '../../drive/record/drive-state.ts'
import { driveBusy } from '../../drive/record/faults.ts'
import { Fault, isFault } from '../../kit/fault.ts'
import { reportChange } from '../../runs/change-run.ts'
import { openRun } from '../../runs/open-run.ts'
import type { RunContext } from '../../runs/run-context.ts'
import type { Invocation } from '../command.ts'
import { callServer } from '../local/server-client.ts'

const POLL_MS = 100

/** Whether the error says that another process drives the run, and that process is the server of this user. */
export async function isDrivenByServer(invocation: Invocation, runId: string, error: unknown): Promise<boolean> {
  if (!isFault(error, driveBusy)) return false
  const path = `/api/v1/runs/${runId}`
  const run = await callServer(invocation, { method: 'GET', path }).catch(() => undefined)
  return run?.['driven_by'] === 'this_server'
}

/** How many records of a round were reported. */
export type Shown = { runId: string; count: number }

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
