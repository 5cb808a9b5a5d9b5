import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { until } from '../../test/support/until.ts'
import { createSlots, type Slot } from './concurrency-slots.ts'
import type { Priority } from './fair-queue.ts'

const never = new AbortController().signal

describe('createSlots', () => {
  it('admits as many as the limit, and the next when one leaves', async () => {
    const slots = createSlots({ limit: 2, queueLimit: 10 })
    const first = await slots.take(never)
    await slots.take(never)
    const third = slots.take(never)
    expect(slots.load()).toEqual({ running: 2, queued: 1 })
    first?.release()
    expect(await third).toBeDefined()
    expect(slots.load()).toEqual({ running: 2, queued: 0 })
  })

  it('serves the queue in order', async () => {
    const slots = createSlots({ limit: 1, queueLimit: 10 })
    const order: number[] = []
    const held = await slots.take(never)
    const waits = [1, 2, 3].map(async (name) => {
      const slot = await slots.take(never)
      order.push(name)
      slot?.release()
    })
    held?.release()
    await Promise.all(waits)
    expect(order).toEqual([1, 2, 3])
    expect(slots.load()).toEqual({ running: 0, queued: 0 })
  })

  it('lends a slot, and gives it back before what came later, even if the queue is full', async () => {
    const slots = createSlots({ limit: 1, queueLimit: 1 })
    const lent = (await slots.take(never)) as Slot
    lent.lend()
    const other = (await slots.take(never)) as Slot
    const order: string[] = []
    const later = slots.take(never).then(() => order.push('later'))
    const back = lent.claim().then(() => order.push('lent'))
    expect(slots.load()).toEqual({ running: 1, queued: 2 })
    other.release()
    await back
    lent.release()
    await later
    expect(order).toEqual(['lent', 'later'])
    expect(slots.load()).toEqual({ running: 1, queued: 0 })
  })

  it('does not give a slot back that was released while it was lent', async () => {
    const slots = createSlots({ limit: 1, queueLimit: 1 })
    const lent = (await slots.take(never)) as Slot
    lent.lend()
    const other = (await slots.take(never)) as Slot
    const back = lent.claim()
    lent.release()
    await back
    expect(slots.load()).toEqual({ running: 1, queued: 0 })
    other.release()
    await lent.claim()
    expect(slots.load()).toEqual({ running: 0, queued: 0 })
  })

  it('gives each client its turn: first the one that runs least, then the one whose last turn was longest ago', async () => {
    const order: string[] = []
    const slots = createSlots({ limit: 2, queueLimit: 10 })
    const inside: Slot[] = []
    const come = (client: string) =>
      void slots.take(never, client).then((slot) => {
        order.push(client)
        inside.push(slot as Slot)
      })
    for (const client of ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'c']) come(client)
    await new Promise(setImmediate)
    while (inside.length > 0) {
      inside.shift()?.release()
      await new Promise(setImmediate)
    }
    expect(order).toEqual(['a', 'a', 'b', 'a', 'c', 'b', 'a', 'a'])
  })

  it('serves a client by priority, and lets what is low wait for all others, but not for ever', async () => {
    const slots = createSlots({ limit: 1, queueLimit: 10 })
    const order: string[] = []
    const held = await slots.take(never)
    const come = (name: string, client: string, priority?: Priority) =>
      void slots.take(never, client, priority).then((slot) => {
        order.push(name)
        slot?.release()
      })
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    come('aged', 'a', 'low')
    vi.advanceTimersByTime(601_000)
    come('low', 'a', 'low')
    come('normal', 'b')
    come('another', 'b')
    come('high', 'b', 'high')
    held?.release()
    await until(() => order.length === 5)
    expect(order).toEqual(['aged', 'high', 'normal', 'another', 'low'])
  })

  it('lets a client wait up to its share of a queue that others have filled', async () => {
    const slots = createSlots({ limit: 1, queueLimit: 4 })
    const isRefused = async (client: string) =>
      await Promise.race([
        slots.take(never, client).then(
          () => false,
          () => true,
        ),
        new Promise((resolve) => setImmediate(resolve, false)),
      ])
    const come = async (count: number, client: string) => {
      const refused: unknown[] = []
      for (let at = 0; at < count; at += 1) refused.push(await isRefused(client))
      return refused
    }
    expect(await come(6, 'a')).toEqual([false, false, false, false, false, true])
    expect(await come(3, 'b')).toEqual([false, false, true])
    expect(await come(3, 'c')).toEqual([false, false, true])
    expect(await come(1, 'a')).toEqual([true])
    expect(slots.load()).toEqual({ running: 1, queued: 8 })
  })

  it('queues as many as the queue limit, and refuses one more', async () => {
    const slots = createSlots({ limit: 1, queueLimit: 1 })
    const held = await slots.take(never)
    const waiting = slots.take(never)
    await expect(slots.take(never)).rejects.toMatchObject({ code: 'queue_full', details: { running: 1, queued: 1 } })
    held?.release()
    expect(await waiting).toBeDefined()
  })

  it('refuses to queue when the queue limit is zero', async () => {
    const slots = createSlots({ limit: 1, queueLimit: 0 })
    await slots.take(never)
    await expect(slots.take(never)).rejects.toMatchObject({ code: 'queue_full' })
  })

  it('removes a cancelled prompt from the queue, and serves the next', async () => {
    const slots = createSlots({ limit: 1, queueLimit: 10 })
    const held = await slots.take(never)
    const leaving = new AbortController()
    const left = slots.take(leaving.signal)
    const behind = slots.take(never)
    leaving.abort()
    expect(await left).toBeUndefined()
    expect(slots.load()).toEqual({ running: 1, queued: 1 })
    held?.release()
    expect(await behind).toBeDefined()
  })

  it('admits nothing that was cancelled before', async () => {
    const slots = createSlots({ limit: 1, queueLimit: 10 })
    expect(await slots.take(AbortSignal.abort())).toBeUndefined()
    expect(slots.load()).toEqual({ running: 0, queued: 0 })
  })

  it('counts a slot once, however often it is released', async () => {
    const slots = createSlots({ limit: 2, queueLimit: 0 })
    const slot = await slots.take(never)
    await slots.take(never)
    slot?.release()
    slot?.release()
    expect(slots.load()).toEqual({ running: 1, queued: 0 })
  })

  it('never exceeds the limit and serves everyone, in any order of events', async () => {
    const steps = fc.array(fc.constantFrom('come', 'leave', 'end'), { maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, async (limit, moves) => {
        const slots = createSlots({ limit, queueLimit: Number.POSITIVE_INFINITY })
        const inside: Slot[] = []
        const queue: { controller: AbortController; entered: Promise<void> }[] = []
        let most = 0
        for (const move of moves) {
          if (move === 'come') {
            const controller = new AbortController()
            const entered = slots.take(controller.signal).then((slot) => void (slot && inside.push(slot)))
            queue.push({ controller, entered })
          } else if (move === 'leave') queue.pop()?.controller.abort()
          else inside.shift()?.release()
          await new Promise(setImmediate)
          most = Math.max(most, slots.load().running)
          expect(slots.load().queued === 0 || slots.load().running === limit).toBe(true)
        }
        expect(most).toBeLessThanOrEqual(limit)
        while (slots.load().running > 0) {
          inside.shift()?.release()
          await new Promise(setImmediate)
        }
        expect(slots.load()).toEqual({ running: 0, queued: 0 })
      }),
    )
  })
})
