/** Opens and reads `drive.jsonl`, the record of a driven run, and `drive.stop`, which asks its driver to leave a pull request. */
import { existsSync, rmSync } from 'node:fs'
import { EventFile, type EventFileOptions, readEventFile } from '../../journal/event-file.ts'
import { runNotFound } from '../../journal/faults.ts'
import { encodeLine, NO_RECORDS } from '../../journal/hash-chain.ts'
import {
  driveLockPathIn,
  drivePathIn,
  driveStopPathIn,
  findRun,
  keptDrivePathIn,
  type RunStore,
} from '../../journal/run-store.ts'
import { Fault, isFault } from '../../kit/fault.ts'
import { lockBusy, lockMissing } from '../../kit/faults.ts'
import { takeLock } from '../../kit/files/lock.ts'
import { replaceFile } from '../../kit/files/write-file.ts'
import { checker } from '../../kit/schema.ts'
import { validateDriveEvent } from './checks.generated.js'
import type { DriveEvent } from './drive-event.shape.ts'
import { type DriveState, toDriveState } from './drive-state.ts'
import { driveBusy } from './faults.ts'

/** Every event that is written to or read from `drive.jsonl` is checked with this. */
const checkDriveEvent = checker<DriveEvent>('driveEvent', validateDriveEvent)

/** Becomes the only driver of a run. Throws `drive_busy` if there is one, and `drive_records_tampered`. */
export async function openDriveJournal(store: RunStore, runId: string): Promise<EventFile<DriveEvent>> {
  const { path } = findRun(store, runId)
  const file = await EventFile.open(optionsFor(store, runId), driveLockPathIn(path))
  if (file === undefined) throw driveBusy({ run_id: runId })
  return file
}

/** Whether a process drives the run. */
export async function isDriven(store: RunStore, runId: string): Promise<boolean> {
  const path = driveLockPath(store, runId)
  try {
    const lock = await takeLock({ path, mode: 'shared', waitMs: 0 })
    lock.release()
    return false
  } catch (error) {
    if (!(error instanceof Fault) || ![lockBusy.code, lockMissing.code].includes(error.code)) throw error
    return error.code === lockBusy.code
  }
}

/** The file that the driver locks. */
export function driveLockPath(store: RunStore, runId: string): string {
  return driveLockPathIn(findRun(store, runId).path)
}

/** The records of a driven run, oldest first. It locks and changes nothing. */
export function readDriveEvents(store: RunStore, runId: string): readonly DriveEvent[] {
  return readEventFile(optionsFor(store, runId))
}

/** The first record of a run. */
export function encodeFirstEvent(runId: string, event: DriveEvent): Buffer {
  return encodeLine(checkDriveEvent(event), runId, NO_RECORDS)
}

/** The state of a driven run; undefined if it was never driven, or does not exist. It locks and changes nothing. */
export function readDrive(store: RunStore, runId: string): DriveState | undefined {
  try {
    return toDriveState(readEventFile(optionsFor(store, runId)))
  } catch (error) {
    if (isFault(error, runNotFound)) return undefined
    throw error
  }
}

/** Only the driver may write the records of a run, so it is asked. */
export function requestStop(store: RunStore, runId: string): void {
  replaceFile({ path: stopPath(store, runId), bytes: Buffer.alloc(0), mode: 0o600 })
}

/** Returns a function that never throws, even if the run is removed meanwhile: a timer calls it. */
export function stopRequests(store: RunStore, runId: string): () => boolean {
  const path = stopPath(store, runId)
  return () => existsSync(path)
}

/** A driver that begins was not meant. */
export function forgetStop(store: RunStore, runId: string): void {
  rmSync(stopPath(store, runId), { force: true })
}

function stopPath(store: RunStore, runId: string): string {
  return driveStopPathIn(findRun(store, runId).path)
}

function optionsFor(store: RunStore, runId: string): EventFileOptions<DriveEvent> {
  const directory = findRun(store, runId).path
  return {
    runId,
    path: drivePathIn(directory),
    keptPath: keptDrivePathIn(directory),
    disk: store.disk,
    check: checkDriveEvent,
    lastEvent: (at, problem) => {
      const message = `drive.jsonl ${problem} while the run was driven; look at the work before you use it`
      return { type: 'paused', at, data: { reason: 'tampered', message } }
    },
  }
}
