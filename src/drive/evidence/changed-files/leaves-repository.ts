import { isAbsolute, join, normalize } from 'node:path/posix'

/** Whether a symbolic link leads out of the repository. An absolute one does, wherever the repository is. Pure. */
export function leavesRepository(path: string, target: string): boolean {
  if (isAbsolute(target)) return true
  const place = normalize(join(path, '..', target))
  return place === '..' || place.startsWith('../')
}
