import { setTimeout as delay } from 'node:timers/promises'

const LIMIT_MS = 40_000

type Maybe<T> = T | undefined | false

/** Polls until the condition returns something truthy, and returns that. */
export async function until<T>(condition: () => Maybe<T> | Promise<Maybe<T>>): Promise<T> {
  const deadline = performance.now() + LIMIT_MS
  while (performance.now() < deadline) {
    const found = await condition()
    if (found) return found
    await delay(5)
  }
  throw new Error(`still not true after ${LIMIT_MS / 1000} s: ${condition}`)
}
