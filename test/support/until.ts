import { setTimeout as delay } from 'node:timers/promises'

const LIMIT_MS = 40_000
/** Many conditions ask a server or start a program: the longer the wait, the rarer the question. */
const DELAY_MS = { first: 5, growth: 1.2, longest: 20 }

type Maybe<T> = T | undefined | false

/** Polls until the condition returns something truthy, and returns that. */
export async function until<T>(condition: () => Maybe<T> | Promise<Maybe<T>>): Promise<T> {
  const deadline = performance.now() + LIMIT_MS
  for (let delayMs = DELAY_MS.first; performance.now() < deadline; delayMs *= DELAY_MS.growth) {
    const found = await condition()
    if (found) return found
    await delay(Math.min(delayMs, DELAY_MS.longest))
  }
  throw new Error(`still not true after ${LIMIT_MS / 1000} s: ${condition}`)
}
