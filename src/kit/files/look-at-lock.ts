import { Fault } from '../fault.ts'
import { lockBusy, lockMissing } from '../faults.ts'
import { takeLock } from './lock.ts'

/** Free is also a lock that others hold shared: it keeps nobody from reading. A problem is told without advice. */
export type LockState = { is: 'absent' } | { is: 'free' } | { is: 'held' } | { is: 'unusable'; problem: string }

/** How a lock stands at this moment. Creates and changes nothing, and is in nobody's way for longer than the look takes. */
export async function lookAtLock(path: string): Promise<LockState> {
  try {
    const lock = await takeLock({ path, mode: 'shared', waitMs: 0 })
    lock.release()
    return { is: 'free' }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    if (error.code === lockMissing.code) return { is: 'absent' }
    return error.code === lockBusy.code ? { is: 'held' } : { is: 'unusable', problem: problemIn(error) }
  }
}

/** The message would bring what to do for whoever wanted the lock; whoever only looks knows better. */
function problemIn({ details, message }: Fault): string {
  const { problem, reason } = details as { problem?: string; reason?: string }
  return problem ?? reason ?? message
}
