import { toLockPath } from '../../../config/edit-config.ts'
import { findPaths } from '../../../config/paths.ts'
import { changesLock } from '../../../hosts/change/change-lock.ts'
import { inspectLock, type LockStatus } from '../../../kit/files/lock.ts'
import type { CheckContext } from './doctor-check.ts'
import { defineFinding, type Finding } from './finding.ts'

export const lockUsable = defineFinding({
  code: 'lock_usable',
  group: 'Locks',
  name: 'lock',
  status: 'ok',
  means: 'A lock is free, or a running process holds it. The lock of a process that has died is free.',
})

export const lockUnusable = defineFinding({
  code: 'lock_unusable',
  group: 'Locks',
  name: 'lock',
  status: 'error',
  means: 'The path of a lock is not a lock file, or cannot be opened. Commands that need the lock fail.',
  todo: 'delete it if no drover is running; it is created again when it is needed',
})

type NamedLock = { guards: string; path: string }

export async function checkLocks({ configEnvironment, repository }: CheckContext): Promise<Finding[]> {
  const locks = [{ guards: 'changes of the configuration', path: toLockPath(findPaths(configEnvironment).config) }]
  const found = await repository
  if (found.is === 'found') locks.push({ guards: 'changes of hosts', path: changesLock(found.value) })
  return await Promise.all(locks.map(async (lock) => assessLock(lock, await inspectLock(lock.path))))
}

function assessLock({ guards, path }: NamedLock, lock: LockStatus): Finding {
  if (lock.status === 'unusable') {
    return lockUnusable({ detail: `${guards}: ${path} cannot be used as a lock: ${lock.problem}` })
  }
  return lockUsable({ detail: `${guards}: ${lock.status === 'held' ? 'held by a running process' : 'free'}` })
}
