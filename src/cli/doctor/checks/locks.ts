import { toLockPath } from '../../../config/edit-config.ts'
import { findPaths } from '../../../config/paths.ts'
import { changesLock } from '../../../hosts/change/change-lock.ts'
import { inspectLock, type LockStatus } from '../../../kit/files/lock.ts'
import type { CheckContext } from './doctor-check.ts'
import { defineFindings, type Finding, ok, problem } from './finding.ts'

export const LOCK = defineFindings('Locks', 'lock', {
  lock_usable: ok('A lock is free, or a running process holds it. The lock of a process that has died is free.'),
  lock_unusable: problem(
    'The path of a lock is not a lock file, or cannot be opened. Commands that need the lock fail.',
    'delete it if no drover is running; it is created again when it is needed',
  ),
})

export async function checkLocks({ configEnvironment, repository }: CheckContext): Promise<Finding[]> {
  const locks = [{ guards: 'changes of the configuration', path: toLockPath(findPaths(configEnvironment).config) }]
  const found = await repository
  if (found.is === 'found') locks.push({ guards: 'changes of hosts', path: changesLock(found.value) })
  return await Promise.all(locks.map(async (lock) => assessLock(lock, await inspectLock(lock.path))))
}

function assessLock({ guards, path }: { guards: string; path: string }, lock: LockStatus): Finding {
  if (lock.status === 'unusable') {
    return LOCK.lock_unusable({ detail: `${guards}: ${path} cannot be used as a lock: ${lock.problem}` })
  }
  return LOCK.lock_usable({ detail: `${guards}: ${lock.status === 'held' ? 'held by a running process' : 'free'}` })
}
