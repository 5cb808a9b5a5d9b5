/** How many agents run at once in this process. Who comes first is served first, and leaving the queue costs nothing. */
import { queueFull } from './faults.ts'

export type Slots = {
  /** Waits for a turn; undefined when the signal fires first. The caller gives the slot back exactly once. */
  take(signal: AbortSignal): Promise<Slot | undefined>
  load(): { running: number; queued: number }
  /** How many may run at once. */
  limit: number
}

export type Slot = { waitedMs: number; giveBack(): void }

type Waiting = { admit: () => void }

export function createSlots({ limit, queueLimit }: { limit: number; queueLimit: number }): Slots {
  const queue = new Set<Waiting>()
  let running = 0

  const giveBack = () => {
    const [next] = queue
    if (next === undefined) running -= 1
    else next.admit()
  }

  const wait = (signal: AbortSignal) =>
    new Promise<boolean>((resolve) => {
      const leave = () => settle(false)
      const waiting = { admit: () => settle(true) }
      const settle = (admitted: boolean) => {
        queue.delete(waiting)
        signal.removeEventListener('abort', leave)
        resolve(admitted)
      }
      queue.add(waiting)
      signal.addEventListener('abort', leave, { once: true })
    })

  return {
    limit,
    load: () => ({ running, queued: queue.size }),
    async take(signal) {
      if (signal.aborted) return undefined
      const since = performance.now()
      if (running >= limit) {
        if (queue.size >= queueLimit) throw queueFull({ running, queued: queue.size })
        if (!(await wait(signal))) return undefined
      } else running += 1
      return createSlot(performance.now() - since, giveBack)
    },
  }
}

function createSlot(waitedMs: number, giveBack: () => void): Slot {
  let isHeld = true
  return {
    waitedMs,
    giveBack: () => {
      if (isHeld) giveBack()
      isHeld = false
    },
  }
}
