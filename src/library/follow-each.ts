/** The events of something, one at a time, until its end. It does not end when its reader stops. */
import { toDroverError } from './drover-error.ts'
import type { Instance } from './instance.ts'
import { refuseUnknownOptions } from './known-options.ts'
import type { FollowOptions } from './types.ts'

type From = { after: number; signal: AbortSignal }

export async function* followEach<E>(
  instance: Instance,
  options: FollowOptions = {},
  open: (from: From) => Promise<AsyncGenerator<readonly E[], void, undefined>>,
): AsyncGenerator<E, void, undefined> {
  const stopped = new AbortController()
  const signal = AbortSignal.any([instance.signal, stopped.signal, ...(options.signal ? [options.signal] : [])])
  try {
    refuseUnknownOptions('follow', options)
    for await (const events of await open({ after: options.after ?? 0, signal })) yield* events
  } catch (error) {
    throw toDroverError(error)
  } finally {
    stopped.abort()
  }
}
