import { runInterrupted } from './faults.ts'
import type { RunContext } from './run-context.ts'

/** Work that throws the reason of the signal once that has fired was waiting until then, and has changed nothing. */
export async function interruptible<T>({ signal }: RunContext, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw signal.aborted && error === signal.reason ? runInterrupted({}, error) : error
  }
}
