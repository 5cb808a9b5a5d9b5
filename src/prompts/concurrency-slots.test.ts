import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSlots, type Slot } from './concurrency-slots.ts'

const never = new AbortController().signal

describe('createSlots', () => {
  it('lets as many in as the limit says, and the next one when one leaves', async () => {
    const slots = createSlots({ limit: 2, queueLimit: 10 })
    const first = await slots.take(never)
    await slots.take(never)
    const third = slots.take(never)
    expect(slots.load()).toEqual({ running: 2, queued: 1 })
    first?.release()
    expect(await third).toBeDefined()
    expect(slots.load()).toEqual({ running: 2, queued: 0 })
  })

  it('serves those who wait in the order in which they came', async () => {
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

  it('takes as many into the queue as its limit says, and refuses one more', async () => {
    const slots = createSlots({ limit: 1, queueLimit: 1 })
    const held = await slots.take(never)
    const waiting = slots.take(never)
    await expect(slots.take(never)).rejects.toMatchObject({ code: 'queue_full', details: { running: 1, queued: 1 } })
    held?.release()
    expect(await waiting).toBeDefined()
  })

  it('lets nobody wait when the queue has no room at all', async () => {
    const slots = createSlots({ limit: 1, queueLimit: 0 })
    await slots.take(never)
    await expect(slots.take(never)).rejects.toMatchObject({ code: 'queue_full' })
  })

  it('lets go of one who is cancelled in the queue, and serves the one behind', async () => {
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

  it('takes nobody who was cancelled before', async () => {
    const slots = createSlots({ limit: 1, queueLimit: 10 })
    expect(await slots.take(AbortSignal.abort())).toBeUndefined()
    expect(slots.load()).toEqual({ running: 0, queued: 0 })
  })

  it('counts a slot once, however often it is given back', async () => {
    const slots = createSlots({ limit: 2, queueLimit: 0 })
    const slot = await slots.take(never)
    await slots.take(never)
    slot?.release()
    slot?.release()
    expect(slots.load()).toEqual({ running: 1, queued: 0 })
  })

  it('never lets more in than the limit, and forgets nobody, whatever comes, leaves and ends', async () => {
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
