import { setTimeout as delay } from 'node:timers/promises'

/** Waits for the promise or for the signal, whichever comes first. */
export async function raceSignal(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const aborted = Promise.withResolvers<void>()
  const abort = () => aborted.resolve()
  signal.addEventListener('abort', abort, { once: true })
  await Promise.race([promise, aborted.promise])
  signal.removeEventListener('abort', abort)
}

/** Waits for the promise, but no longer than `ms`: then it returns undefined. */
export async function raceTime<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const timer = new AbortController()
  const tooLong = delay(ms, undefined, { signal: timer.signal }).catch(() => undefined)
  try {
    return await Promise.race([promise, tooLong])
  } finally {
    timer.abort()
  }
}
