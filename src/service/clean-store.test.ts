import { describe, expect, it, vi } from 'vitest'
import { until } from '../../test/support/until.ts'
import type { Stores } from '../executions/store/stores.ts'
import type { Log } from '../kit/log.ts'
import { startStoreCleanup } from './clean-store.ts'

const DAY_MS = 24 * 60 * 60 * 1000

function retention(days: number, answer: () => string[] = () => []) {
  const asked: string[] = []
  const logged: string[] = []
  const removed: { endedBefore: string; maxBytes: number }[] = []
  const stores = {
    sessions: {
      deleteUnusedSince: async (moment: string, { isDryRun }: { isDryRun: boolean }) => {
        asked.push(`${moment}${isDryRun ? ' (dry run)' : ''}`)
        return answer()
      },
    },
    executions: {
      removeOld: async (limits: { endedBefore: string; maxBytes: number }) => {
        removed.push(limits)
        return removed.length === 1 ? 3 : 0
      },
    },
  } as unknown as Stores
  const write = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`)
  const log: Log = { debug: write, info: write, warn: write, error: write, with: () => log }
  const clock = { now: () => new Date('2026-03-31T12:00:00Z') }
  return {
    asked,
    removed,
    logged,
    settings: { stores, clock, log, sessionDays: days, executionDays: 7, maxExecutionMb: 2 },
  }
}

describe('startStoreCleanup', () => {
  it('deletes unused sessions in the background, and logs how many', async () => {
    const { asked, logged, settings } = retention(30, () => ['a', 'b'])
    const { stop } = startStoreCleanup(settings)
    expect(asked).toEqual([])
    await until(() => logged.length === 2)
    await stop()
    expect(asked).toEqual(['2026-03-01T12:00:00.000Z'])
    expect(logged).toEqual([
      'deleted executions past their retention {"executions":3,"days":7}',
      'deleted sessions past their retention {"sessions":2,"days":30}',
    ])
  })

  it('deletes nothing while another process does it for all of them', async () => {
    const { asked, removed, settings } = retention(30)
    let isLeader = false
    const leads = async () => isLeader
    vi.useFakeTimers()
    try {
      const { stop } = startStoreCleanup({ ...settings, stores: { ...settings.stores, leads } })
      await vi.advanceTimersByTimeAsync(60_000)
      expect([asked, removed]).toEqual([[], []])
      isLeader = true
      await vi.advanceTimersByTimeAsync(60_000)
      expect(removed).toHaveLength(1)
      await stop()
    } finally {
      vi.useRealTimers()
    }
  })

  it('runs again every day until it is stopped', async () => {
    vi.useFakeTimers()
    try {
      const { asked, settings } = retention(1)
      const { stop } = startStoreCleanup(settings)
      await vi.advanceTimersByTimeAsync(2 * DAY_MS)
      expect(asked).toHaveLength(3)
      await stop()
      await vi.advanceTimersByTimeAsync(2 * DAY_MS)
      expect(asked).toHaveLength(3)
    } finally {
      vi.useRealTimers()
    }
  })

  it('deletes nothing if the retention is 0 days', async () => {
    const { asked, removed, settings } = retention(0)
    const { stop } = startStoreCleanup(settings)
    await until(() => removed.length === 1)
    await stop()
    expect(asked).toEqual([])
  })

  it('only logs a failure of the store', async () => {
    const { logged, settings } = retention(1, () => {
      throw new Error('the disk is full')
    })
    const { stop } = startStoreCleanup(settings)
    await until(() => logged.length === 2)
    await stop()
    expect(logged).toContain('old sessions could not be deleted {"reason":"the disk is full"}')
  })
})
