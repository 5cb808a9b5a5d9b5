import { describe, expect, it } from 'vitest'
import { raceSignal, raceTime } from './race.ts'

const never = new Promise<never>(() => {})

describe('raceSignal', () => {
  it('ends with the promise', async () => {
    await raceSignal(Promise.resolve(), new AbortController().signal)
  })

  it('ends with the signal', async () => {
    const controller = new AbortController()
    const ended = raceSignal(never, controller.signal)
    controller.abort()
    await ended
  })

  it('does not wait if the signal is aborted already', async () => {
    await raceSignal(never, AbortSignal.abort())
  })
})

describe('raceTime', () => {
  it('gives the value of a promise that is in time', async () => {
    expect(await raceTime(Promise.resolve('value'), 60_000)).toBe('value')
  })

  it('gives undefined when the time is over', async () => {
    expect(await raceTime(never, 1)).toBeUndefined()
  })

  it('passes a rejection on', async () => {
    await expect(raceTime(Promise.reject(new Error('failed')), 60_000)).rejects.toThrow('failed')
  })
})
