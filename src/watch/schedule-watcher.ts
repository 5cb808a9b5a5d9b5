/** Starts a run at the times of a schedule. A time that was missed is one run, and never two. */
import { type Clock, toTimestamp } from '../kit/clock.ts'
import { randomIds } from '../kit/ids.ts'
import { decideDue, type Schedule } from './decide/schedule.ts'
import type { WatchRecord } from './record/watch-record.shape.ts'
import { NEW_RUN, type WatchedRuns } from './watched-runs.ts'
import type { LookResult, Watch } from './watcher.ts'

/** The clock of the machine may be changed, and a laptop may sleep. */
const LOOK_MS = 30_000

export type ScheduleOptions = {
  readonly schedule: Schedule
  readonly repository: string
  /** Reads the goal, when it is needed. */
  readonly readGoal: () => Promise<string>
  readonly runs: WatchedRuns
  readonly clock: Clock
}

export function watchSchedule({ schedule, repository, readGoal, runs, clock }: ScheduleOptions): Watch {
  /** The record names the run before it is started: after a kill, the same run is started, or found. */
  async function startPending(watch: WatchRecord, save: (record: WatchRecord) => void): Promise<WatchRecord> {
    const { pending, ...rest } = watch
    if (pending === undefined) return watch
    const run = await runs.start({ ...NEW_RUN, runId: pending.run_id, goal: await readGoal(), repository })
    const done = { ...rest, since: pending.at, last_run_id: run.id }
    save(done)
    return done
  }

  return {
    async look(watch, save): Promise<LookResult> {
      const left = await startPending(watch, save)
      const now = clock.now()
      const due = decideDue(schedule, { since: new Date(left.since), now })
      if (due.is === 'later') {
        const waitMs = due.at === undefined ? LOOK_MS : Math.min(LOOK_MS, due.at.getTime() - now.getTime())
        const started = left === watch ? [] : [left.last_run_id ?? '']
        return { record: left, waitMs, started, working: 0, nextAt: due.at }
      }
      const pending = { run_id: randomIds.uuid(), at: toTimestamp(now) }
      save({ ...left, pending })
      const done = await startPending({ ...left, pending }, save)
      const next = decideDue(schedule, { since: now, now }).at
      return { record: done, waitMs: LOOK_MS, started: [done.last_run_id ?? ''], working: 0, nextAt: next }
    },
  }
}
