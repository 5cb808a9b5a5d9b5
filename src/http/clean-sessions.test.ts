import { describe, expect, it, vi } from 'vitest'
import type { Log } from '../kit/log.ts'
import type { SessionStore } from '../sessions/session-store.ts'
import { keepSessionsClean } from './clean-sessions.ts'

const DAY_MS = 24 * 60 * 60 * 1000

function retention(days: number, answer: () => string[] = () => []) {
  const asked: string[] = []
  const logged: string[] = []
  const store = {
    deleteUnusedSince: async (moment: string, { isDryRun }: { isDryRun: boolean }) => {
      asked.push(`${moment}${isDryRun ? ' (dry run)' : ''}`)
      return answer()
    },
  } as unknown as SessionStore
  const write = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`)
  const log: Log = { debug: write, info: write, warn: write, error: write, with: () => log }
  const clock = { now: () => new Date('2026-03-31T12:00:00Z') }
  return { asked, logged, settings: { store, clock, log, days } }
}

describe('keepSessionsClean', () => {
  it('deletes at the start what was not used for so many days, and says so', async () => {
    const { asked, logged, settings } = retention(30, () => ['a', 'b'])
    const { stop } = await keepSessionsClean(settings)
    stop()
    expect(asked).toEqual(['2026-03-01T12:00:00.000Z'])
    expect(logged).toEqual(['sessions past their retention were deleted {"sessions":2,"days":30}'])
  })

  it('does so again every day, until it is stopped', async () => {
    vi.useFakeTimers()
    try {
      const { asked, settings } = retention(1)
      const { stop } = await keepSessionsClean(settings)
      await vi.advanceTimersByTimeAsync(2 * DAY_MS)
      expect(asked).toHaveLength(3)
      stop()
      await vi.advanceTimersByTimeAsync(2 * DAY_MS)
      expect(asked).toHaveLength(3)
    } finally {
      vi.useRealTimers()
    }
  })

  it('keeps everything for 0 days', async () => {
    const { asked, settings } = retention(0)
    await keepSessionsClean(settings)
    expect(asked).toEqual([])
  })

  it('lets the server go on when the store fails', async () => {
    const { logged, settings } = retention(1, () => {
      throw new Error('the disk is full')
    })
    const { stop } = await keepSessionsClean(settings)
    stop()
    expect(logged).toEqual(['old sessions could not be deleted {"reason":"the disk is full"}'])
  })
})
