/** The events of a driven run: the records of its driver, numbered, then what is added, and every change of its state. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, toTimestamp } from '../../kit/clock.ts'
import { raceSignal } from '../../kit/race.ts'
import type { DriveEvent } from '../record/drive-event.shape.ts'
import type { DrivenRun, DrivenRunEvent, DrivenState } from './driven-run.shape.ts'

/** A driver in another process is noticed this late. */
const POLL_MS = 200
/** The end of a driver that was killed changes no file. */
const LOOK_MS = 2000

/** After these states no event follows. */
const FINAL: readonly DrivenState[] = ['ended', 'merged', 'discarded', 'continued']

export type EventSource = {
  readonly clock: Clock
  /** Changes whenever the run or its records do. */
  mark(): string
  /** Those after a number. */
  readEvents(after: number): Promise<readonly DriveEvent[]>
  readRun(): Promise<DrivenRun>
  /** Resolves at the next change that this process makes. */
  changed(): Promise<void>
}

export function isFinalState(state: DrivenState): boolean {
  return FINAL.includes(state)
}

/** The events after a number, several at a time, until the run has ended or the signal is aborted. */
export async function* followEvents(
  source: EventSource,
  { after, signal }: { after: number; signal: AbortSignal },
): AsyncGenerator<DrivenRunEvent[], void, undefined> {
  let last = after
  let shown = ''
  let seen = { mark: '', at: Number.NEGATIVE_INFINITY }
  while (!signal.aborted) {
    const changed = source.changed()
    const mark = source.mark()
    if (mark !== seen.mark || performance.now() - seen.at >= LOOK_MS) {
      seen = { mark, at: performance.now() }
      // Read before the events: all events of a run that has ended are there.
      const { state, driven_by: drivenBy } = await source.readRun()
      const recorded = numbered(await source.readEvents(last), last)
      const data = { state, ...(drivenBy !== undefined && { driven_by: drivenBy }) }
      const isNew = JSON.stringify(data) !== shown
      const news = isNew ? [{ at: toTimestamp(source.clock.now()), type: 'state', data }] : []
      shown = JSON.stringify(data)
      last = recorded.at(-1)?.seq ?? last
      if (recorded.length + news.length > 0) yield [...recorded, ...news]
      if (isFinalState(state)) return
    }
    await raceSignal(Promise.race([changed, sleep(POLL_MS)]), signal)
  }
}

/** Clients do not need the state of every file. */
function numbered(events: readonly DriveEvent[], after: number): DrivenRunEvent[] {
  return events.map(({ type, at, data }, index) => {
    const { tree: _, ...rest } = data as { tree?: unknown }
    return { seq: after + index + 1, at, type, data: rest }
  })
}
