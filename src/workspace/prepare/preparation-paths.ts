/** The paths that are brought into a worktree from the tree of the user. */
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { problemOfRepositoryPath } from '../../kit/repository-path.ts'
import { preparationPathInvalid } from '../faults.ts'

/** Throws `preparation_path_invalid`. Pure. */
export function checkPreparationPath(path: string): void {
  const problem = problemOfRepositoryPath(path)
  if (problem !== undefined) throw preparationPathInvalid({ path, problem })
}

/** Throws `preparation_path_invalid` if a part of the path is a link, which may lead anywhere. True if there is something. */
export function isPlainPath(root: string, path: string): boolean {
  checkPreparationPath(path)
  const parts = path.split('/')
  for (const at of parts.keys()) {
    const found = lstatSync(join(root, ...parts.slice(0, at + 1)), { throwIfNoEntry: false })
    if (found === undefined) return false
    if (found.isSymbolicLink()) throw preparationPathInvalid({ path, problem: 'it is a link, or leads through one' })
    if (at < parts.length - 1 && !found.isDirectory()) return false
  }
  return true
}
