import { describe, expect, it } from 'vitest'
import { actionOf, attemptAt } from '../../../test/support/drive-fixture.ts'
import type { DriveEvent } from '../record/drive-event.shape.ts'
import { endOf, knownDuration } from './unknown-end.ts'

const at = (second: number) => `2026-01-31T10:00:${String(second).padStart(2, '0')}.000Z`
const opened = (second: number, attempt: number): DriveEvent => ({
  ...{ type: 'session_opened', at: at(second) },
  data: { attempt, session_id: 'one' },
})
const RESUMED = { type: 'drive_resumed', at: at(50), data: { options: {} } } as DriveEvent

describe('an attempt whose driver was killed', () => {
  it.each<[string, DriveEvent[], string | undefined, number]>([
    ['its last record', [opened(2, 1), opened(4, 2), RESUMED], undefined, 4],
    ['the last beat of its driver', [opened(4, 2)], at(9), 9],
    ['its start, if an older driver is known only', [], at(0), 0],
    ['its start, if nothing is known', [opened(2, 1), RESUMED], undefined, 0],
    ['the continuation, if the clock was set back', [opened(4, 2)], '2027-01-31T10:00:00.000Z', 59],
  ])('took until %s', (_, events, beat, seconds) => {
    const start = 1
    const known = { events, beat, now: new Date(at(59)) }
    const taken = knownDuration({ attempt: 2, started_at: at(start) }, known)
    expect(taken).toBe(Math.max(0, seconds - start) * 1000)
  })

  it('has not taken less than nothing if the clock was set back before it was continued', () => {
    const known = { events: [opened(9, 2)], beat: at(9), now: new Date(at(1)) }
    expect(knownDuration({ attempt: 2, started_at: at(5) }, known)).toBe(0)
  })

  it('ended then, although that was recorded later', () => {
    const attempt = attemptAt(actionOf('implement'), {}, { how: 'unknown', duration_ms: 5000 })
    expect(endOf({ ...attempt, started_at: at(1) })).toBe(at(6))
    expect(endOf({ started_at: at(1) })).toBeUndefined()
  })
})
