import { setTimeout as delay } from 'node:timers/promises'

const LIMIT_MS = 40_000
/**
 * Many conditions ask a server or start a program: the longer the wait and the question, the rarer the question. What it waits
 * for gets most of the processors.
 */
const DELAY_MS = { first: 5, growth: 1.2, longest: 20, perQuestion: 3 }

type Maybe<T> = T | undefined | false

/** Polls until the condition returns something truthy, and returns that. */
export async function until<T>(condition: () => Maybe<T> | Promise<Maybe<T>>): Promise<T> {
  const deadline = performance.now() + LIMIT_MS
  for (let delayMs = DELAY_MS.first; performance.now() < deadline; delayMs *= DELAY_MS.growth) {
    const asked = performance.now()
    const found = await condition()
    if (found) return found
    const tookMs = performance.now() - asked
    await delay(Math.max(Math.min(delayMs, DELAY_MS.longest), tookMs * DELAY_MS.perQuestion))
  }
  throw new Error(`still not true after ${LIMIT_MS / 1000} s: ${condition}`)
}
