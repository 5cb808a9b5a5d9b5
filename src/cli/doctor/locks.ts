import { inspectLock, type LockStatus } from '../../kit/files/lock.ts'
import { defineCheck, type Finding } from './check.ts'

export const lockUsable = defineCheck({
  code: 'lock_usable',
  group: 'Locks',
  name: 'lock',
  status: 'ok',
  means:
    'A lock can be taken, or is held by a living process. A process that dies, however it dies, holds none any more.',
})

export const lockUnusable = defineCheck({
  code: 'lock_unusable',
  group: 'Locks',
  name: 'lock',
  status: 'error',
  means: 'What lies at the place of a lock is no lock, or may not be used; whoever needs the lock is refused.',
  todo: 'delete it if no drover is running; it is made anew when it is needed',
})

/** What a lock is for, and where it is. */
type NamedLock = { guards: string; path: string }

export async function checkLocks(locks: readonly NamedLock[]): Promise<Finding[]> {
  return await Promise.all(locks.map(async (lock) => judgeLock(lock, await inspectLock(lock.path))))
}

function judgeLock({ guards, path }: NamedLock, state: LockStatus): Finding {
  if (state.status === 'unusable') {
    return lockUnusable({ detail: `${guards}: ${path} cannot be used as a lock: ${state.problem}` })
  }
  return lockUsable({
    detail: state.status === 'held' ? `${guards}: held by a process that is at work` : `${guards}: free`,
  })
}
