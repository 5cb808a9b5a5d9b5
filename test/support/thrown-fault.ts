import { Fault } from '../../src/kit/fault.ts'

/** The fault that `work` throws; undefined if it throws nothing. Any other error is a bug, and passed on. */
export function thrownFault(work: () => unknown): Fault | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
}
