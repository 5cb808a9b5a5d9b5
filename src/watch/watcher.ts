/** Looks again and again: one process for each watcher of a user, with longer pauses after failures. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, toTimestamp } from '../kit/clock.ts'
import { Fault } from '../kit/fault.ts'
import { type Lock, takeIfFree } from '../kit/files/lock.ts'
import { ensurePrivateDirectory } from '../kit/files/private-directory.ts'
import { watchBusy } from './decide/faults.ts'
import type { WatchRecord } from './record/watch-record.shape.ts'
import { findWatch, lockPath, saveWatch } from './record/watch-records.ts'

export type LookResult = {
  readonly record: WatchRecord
  /** How long until the next look. */
  readonly waitMs: number
  /** The runs that were started. */
  readonly started: readonly string[]
  /** How many of its runs still work. */
  readonly working: number
  /** Why it takes nothing now. */
  readonly problem?: WatchRecord['problem']
  /** The next time of a schedule. */
  readonly nextAt?: Date | undefined
}

/** What a watcher does each time. It may save the record in between. */
export type Watch = {
  look(record: WatchRecord, save: (record: WatchRecord) => void): Promise<LookResult>
}

/** What it watches. */
export type WatchTarget = Pick<
  WatchRecord,
  'id' | 'kind' | 'repository' | 'repo' | 'label' | 'schedule' | 'timezone' | 'goal_file'
>

export type WatcherOptions = {
  readonly watched: WatchTarget
  readonly watch: Watch
  /** The directory of all watchers of the user. */
  readonly directory: string
  readonly intervalMs: number
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Called after each look. `said`: what people have to know, a failure each time, and everything else once. */
  readonly onLook: (looked: Looked) => void | Promise<void>
}

type Looked = { readonly record: WatchRecord; readonly started: readonly string[]; readonly said: string | undefined }

/** Many changes at once are one look. */
const SHORTEST_MS = 2000

export class WatcherLoop {
  readonly #options: WatcherOptions
  #record: WatchRecord
  #hasLooked = false
  #poked = Promise.withResolvers<void>()

  constructor(options: WatcherOptions) {
    this.#options = options
    this.#record = { version: 1, ...options.watched, pid: process.pid, since: toTimestamp(options.clock.now()) }
  }

  /** Looks soon, unless it waits after a failure. */
  poke(): void {
    this.#poked.resolve()
  }

  /** Until the signal is aborted, or once, or until its runs are over. Throws `watch_busy`, and what went wrong if it looks once. */
  async run({ until = 'aborted' }: { until?: 'aborted' | 'once' | 'over' } = {}): Promise<void> {
    const lock = await this.#lock()
    const { signal, directory, watched } = this.#options
    try {
      this.#save({ ...this.#record, ...findWatch(directory, watched.id), ...watched, pid: process.pid })
      for (let failures = 0; !signal.aborted; ) {
        this.#poked = Promise.withResolvers()
        const { pauseMs, working, hasFailed } = await this.#look(failures, until !== 'aborted')
        failures = hasFailed ? failures + 1 : 0
        if (until === 'once' || (until === 'over' && working === 0)) return
        await this.#pause(pauseMs, failures > 0)
      }
    } finally {
      lock.release()
    }
  }

  async #look(
    failures: number,
    throwsFaults: boolean,
  ): Promise<{ pauseMs: number; working: number; hasFailed: boolean }> {
    const { watch, clock, intervalMs, onLook, signal } = this.#options
    let [started, working]: [readonly string[], number] = [[], 0]
    let [pauseMs, hasFailed] = [waitMs({ intervalMs, failures: failures + 1 }), false]
    const { problem: last, ...before } = this.#record
    this.#record = before
    try {
      const { record, problem, nextAt, ...looked } = await watch.look(before, (changed) => this.#save(changed))
      ;({ started, working, waitMs: pauseMs } = looked)
      const next = nextAt ?? new Date(clock.now().getTime() + pauseMs)
      this.#note({ ...record, ...(problem !== undefined && { problem }) }, next)
    } catch (error) {
      if (signal.aborted) return { pauseMs: 0, working, hasFailed }
      if (!(error instanceof Fault) || throwsFaults) throw error
      const { code, message } = error
      hasFailed = true
      this.#note({ ...this.#record, problem: { code, message } }, new Date(clock.now().getTime() + pauseMs))
    }
    const { problem } = this.#record
    const isKnown = this.#hasLooked && !hasFailed && problem?.message === last?.message
    this.#hasLooked = true
    await onLook({ record: this.#record, started, said: isKnown ? undefined : problem?.message })
    return { pauseMs, working, hasFailed }
  }

  #note(record: WatchRecord, next: Date): void {
    this.#save({ ...record, looked_at: toTimestamp(this.#options.clock.now()), next_at: toTimestamp(next) })
  }

  #save(record: WatchRecord): void {
    this.#record = record
    saveWatch(this.#options.directory, record)
  }

  async #pause(ms: number, hasFailed: boolean): Promise<void> {
    const over = new AbortController()
    const signal = AbortSignal.any([this.#options.signal, over.signal])
    const rest = (time: number) => sleep(time, undefined, { signal }).catch(() => undefined)
    const leastMs = hasFailed ? ms : Math.min(ms, SHORTEST_MS)
    await rest(leastMs)
    await Promise.race([rest(ms - leastMs), this.#poked.promise])
    over.abort()
  }

  async #lock(): Promise<Lock> {
    const { directory, watched } = this.#options
    ensurePrivateDirectory({ path: directory })
    const lock = await takeIfFree({ path: lockPath(directory, watched.id), mode: 'exclusive', waitMs: 0 })
    if (lock !== undefined) return lock
    throw watchBusy({ what: watched.repo ?? watched.schedule ?? '', pid: findWatch(directory, watched.id)?.pid })
  }
}

const LONGEST_MS = 15 * 60_000

/**
 * How long a watcher waits before it looks again. Doubles with each failure, so that many watchers do not storm a service
 * that is down or refuses more.
 */
export function waitMs({ intervalMs, failures }: { intervalMs: number; failures: number }): number {
  return Math.max(intervalMs, Math.min(LONGEST_MS, intervalMs * 2 ** Math.min(failures, 10)))
}
