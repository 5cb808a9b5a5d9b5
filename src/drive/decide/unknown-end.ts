/** How long an attempt took whose driver was killed. Pure. */
import type { DriveEvent } from '../record/drive-event.shape.ts'
import type { Attempt } from '../record/drive-state.ts'

type Known = {
  readonly events: readonly DriveEvent[]
  /** When its driver was last seen to work. */
  readonly beat: string | undefined
  readonly now: Date
}

/** Until the last moment at which its driver is known to have lived: after that, nothing drove the run. */
export function knownDuration(
  { attempt, started_at }: Pick<Attempt, 'attempt' | 'started_at'>,
  { events, beat, now }: Known,
): number {
  const records = events.filter(({ data }) => 'attempt' in data && data.attempt === attempt).map(({ at }) => at)
  const start = Date.parse(started_at)
  const times = [...records, ...(beat === undefined ? [] : [beat])].map((at) => Date.parse(at))
  return Math.max(0, Math.min(Math.max(start, ...times), now.getTime()) - start)
}

/** When an attempt ended. That of a driver that was killed is recorded later. */
export function endOf({ started_at, ended }: Pick<Attempt, 'started_at' | 'ended'>): string | undefined {
  if (ended?.how !== 'unknown') return ended?.at
  return new Date(Date.parse(started_at) + ended.duration_ms).toISOString()
}
