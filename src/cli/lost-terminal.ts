/** A terminal that was closed, or that the shell has taken back, fails with EIO. That is the end of the input. */
import type { EventEmitter } from 'node:events'
import { errorCode } from '../kit/fault.ts'

export function isLoss(error: unknown): boolean {
  return errorCode(error) === 'EIO'
}

/** Calls `onLost` until the result is disposed of. `input` is the stream of the terminal, or what reads from it. */
export function watchForLoss(input: EventEmitter, onLost: () => void): Disposable {
  const onError = (error: Error) => {
    if (!isLoss(error)) throw error
    onLost()
  }
  input.on('error', onError)
  return { [Symbol.dispose]: () => input.off('error', onError) }
}
