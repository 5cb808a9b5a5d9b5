/**
 * Shows until when a driver worked on an attempt, in case it is killed: it sets the time of the file that it locks.
 * Agents may be silent for minutes, so the records alone do not tell.
 */
import { statSync, utimesSync } from 'node:fs'
import { orUndefined } from '../kit/fault.ts'
import { type DriveContext, readDriveState } from './drive-context.ts'
import { driveLockPath } from './record/drive-journal.ts'

const BEAT_MS = 1000

type Beating = Pick<DriveContext, 'runs' | 'runId'>

export class AttemptBeat implements Disposable {
  readonly #path: string
  readonly #clock: Beating['runs']['clock']
  readonly #timer: NodeJS.Timeout

  constructor({ runs, runId }: Beating) {
    this.#path = driveLockPath(runs.store, runId)
    this.#clock = runs.clock
    this.#timer = setInterval(() => this.#beat(), BEAT_MS).unref()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  /** On a file system that refuses it, only the records tell. */
  #beat(): void {
    const now = this.#clock.now()
    orUndefined(() => utimesSync(this.#path, now, now))
  }
}

/** When a driver of this machine last worked on the attempt. Undefined if that was another machine. */
export function lastBeat(context: Beating & Pick<DriveContext, 'journal'>, attempt: number): string | undefined {
  const { moved } = readDriveState(context)
  if (moved !== undefined && moved.attempts >= attempt) return undefined
  const path = driveLockPath(context.runs.store, context.runId)
  return orUndefined(() => statSync(path).mtime.toISOString())
}
