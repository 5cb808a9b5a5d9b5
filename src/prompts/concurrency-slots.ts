/** Limits how many agents run at once in this process. First come, first served. */
import { queueFull } from './faults.ts'

export type Slots = {
  /** Waits for a free slot; undefined when the signal fires first. The caller must release the slot. */
  take(signal: AbortSignal): Promise<Slot | undefined>
  load(): { running: number; queued: number }
  /** How many agents may run at once. */
  limit: number
}

export type Slot = { waitedMs: number; release(): void }

type Waiting = { admit: () => void }

export function createSlots({ limit, queueLimit }: { limit: number; queueLimit: number }): Slots {
  const queue = new Set<Waiting>()
  let running = 0

  const release = () => {
    const [next] = queue
    if (next === undefined) running -= 1
    else next.admit()
  }

  const wait = (signal: AbortSignal) =>
    new Promise<boolean>((resolve) => {
      const leave = () => finish(false)
      const waiting = { admit: () => finish(true) }
      const finish = (admitted: boolean) => {
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
      return createSlot(performance.now() - since, release)
    },
  }
}

function createSlot(waitedMs: number, release: () => void): Slot {
  let isHeld = true
  return {
    waitedMs,
    release: () => {
      if (isHeld) release()
      isHeld = false
    },
  }
}
