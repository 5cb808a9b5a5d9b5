import { describe, expect, it } from 'vitest'
import type { Config } from '../config/config.shape.ts'
import { systemClock } from '../kit/clock.ts'
import { SILENT_LOG } from '../kit/log.ts'
import type { ServedDrover } from './served.ts'
import { Ending, type Face, startServerLife } from './start-and-stop.ts'

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
