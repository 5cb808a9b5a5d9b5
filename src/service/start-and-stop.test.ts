import { describe, expect, it, vi } from 'vitest'
import { until } from '../../test/support/until.ts'
import type { Config } from '../config/config.shape.ts'
import type { Stores } from '../executions/store/stores.ts'
import { systemClock } from '../kit/clock.ts'
import { type Log, SILENT_LOG } from '../kit/log.ts'
import type { ServedDrover } from './served.ts'
import { Ending, type Face, startServerLife, startStoreCleanup } from './start-and-stop.ts'

/** Notes what happens, in order. `work` is what the worker has to finish. */
async function live({ work = Promise.resolve(), takesWork = true, hasQueue = false, hasFace = true } = {}) {
  const steps: string[] = []
  const note = (step: string) => async () => void steps.push(step)
  const ending = new Ending()
  const { shutdown, drainDeadline } = ending.signals
  shutdown.addEventListener('abort', () => steps.push('shutdown'))
  drainDeadline.addEventListener('abort', () => steps.push('deadline'))
  const drover = {
    opened: { sessions: { owner: note('owner') }, ...(hasQueue && { queue: {} }) },
    trySandbox: note('sandbox tried'),
    begin: note('begin'),
    worker: {
      stop: async () => {
        steps.push('worker stops')
        await work
        steps.push('worker stopped')
      },
    },
    warm: { close: note('warm closed') },
    background: { idle: async () => {} },
    runs: { close: note('runs closed') },
    records: { close: note('records closed') },
    closeTelemetry: note('telemetry closed'),
  } as unknown as ServedDrover
  const parts = { drover, ending, config: {} as Config, clock: systemClock, log: SILENT_LOG }
  const face: Face = {
    open: note('open'),
    drain: async (_, endAgents) => {
      steps.push('drained')
      await endAgents()
    },
  }
  const life = await startServerLife({ ...parts, ...(hasFace && { face }), cleansStore: false, takesWork })
  return { life, steps }
}

describe('the life of a server', () => {
  it('takes work when its clients can reach it, under its own name if there are other machines', async () => {
    expect((await live({ hasQueue: true })).steps).toEqual(['owner', 'sandbox tried', 'open', 'begin'])
    expect((await live({ takesWork: false })).steps).toEqual(['open'])
  })

  it('ends in one order: no new work, answers, agents, what is left to store', async () => {
    const { life, steps } = await live()
    steps.length = 0
    await life.stop({ drainMs: 60_000, endProcesses: async () => void steps.push('processes ended') })
    expect(steps.slice(0, 2)).toEqual(['shutdown', 'worker stops'])
    expect(steps.filter((step) => /drained|deadline|processes/.test(step))).toEqual([
      'drained',
      'deadline',
      'processes ended',
    ])
    expect(steps.slice(-3)).toEqual(['runs closed', 'records closed', 'telemetry closed'])
  })

  it('of a worker lets its work finish, and ends the agents only when that takes too long', async () => {
    const quick = await live({ hasFace: false })
    await quick.life.stop({ drainMs: 60_000, endProcesses: async () => void quick.steps.push('processes ended') })
    expect(quick.steps).not.toContain('processes ended')
    const work = Promise.withResolvers<void>()
    const slow = await live({ work: work.promise, hasFace: false })
    await slow.life.stop({ drainMs: 1, endProcesses: async () => work.resolve() })
    expect(slow.steps).toContain('deadline')
    expect(slow.steps.slice(-3)).toEqual(['runs closed', 'records closed', 'telemetry closed'])
  })
})

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
