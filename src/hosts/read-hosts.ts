/** Reads the files and directories of hosts. A path that cannot be read is a result too, so one host does not hide others. */
import { digest } from '../kit/digest.ts'
import { Fault, isFault } from '../kit/fault.ts'
import { fileChanged, fileMissing, fileTooLarge, fileUnreadable } from '../kit/faults.ts'
import { readFileBytes } from '../kit/files/read-file.ts'
import { hostFolderReplaced } from './faults.ts'
import {
  type FoundDirectories,
  type FoundDirectory,
  type FoundFile,
  type FoundFiles,
  MANAGED_FILE_LIMIT_BYTES,
} from './found-files.ts'
import type { Host } from './host.ts'
import { listPaths } from './hosts.ts'
import { attempt, lastPart, lstatIfExists, type OpenWorktree, parentPath } from './worktree.ts'

export type FoundHosts = { files: FoundFiles; directories: FoundDirectories }

export function readHosts(hosts: readonly Host[], tree: OpenWorktree): FoundHosts {
  const paths = hosts.flatMap((host) => listPaths(host))
  const directories = hosts.flatMap((host) => host.directories)
  return {
    files: new Map(paths.map((path) => [path, findFile(path, tree)])),
    directories: new Map(directories.map((path) => [path, findDirectory(path, tree)])),
  }
}

export function findFile(path: string, tree: OpenWorktree): FoundFile {
  try {
    using folder = tree.enter(parentPath(path))
    return folder === undefined ? { is: 'absent' } : findIn({ place: folder.at(lastPart(path)), path }, tree)
  } catch (error) {
    return { is: isFault(error, hostFolderReplaced) ? 'unreachable' : 'unreadable', reason: describeProblem(error) }
  }
}

function findIn({ place, path }: { place: string; path: string }, { disk }: OpenWorktree): FoundFile {
  const found = attempt(path, () => lstatIfExists(place, disk))
  if (found === undefined) return { is: 'absent' }
  if (found.isSymbolicLink()) return { is: 'symlink' }
  if (found.isDirectory()) return { is: 'directory' }
  if (!found.isFile()) return { is: 'other' }
  try {
    const bytes = readFileBytes({ path: place, limitBytes: MANAGED_FILE_LIMIT_BYTES }, disk)
    return { is: 'regular', bytes, digest: digest(bytes), mode: Number(found.mode & 0o7777n) }
  } catch (error) {
    if (isFault(error, fileTooLarge)) return { is: 'oversize' }
    if (isFault(error, fileMissing)) return { is: 'absent' }
    throw error
  }
}

function findDirectory(path: string, tree: OpenWorktree): FoundDirectory {
  try {
    using parent = tree.enter(parentPath(path))
    if (parent === undefined) return { is: 'absent' }
    const found = attempt(path, () => lstatIfExists(parent.at(lastPart(path)), tree.disk))
    return found?.isDirectory() === true ? { is: 'directory' } : { is: 'absent' }
  } catch (error) {
    // A link further up counts like a link at the end: the directory is not part of the worktree.
    if (isFault(error, hostFolderReplaced)) return { is: 'absent' }
    return { is: 'unreadable', reason: describeProblem(error) }
  }
}

/** Leaves out the /proc path, which does not help the user. */
function describeProblem(error: unknown): string {
  if (isFault(error, fileChanged)) return 'it changed while it was being read'
  if (isFault(error, fileUnreadable)) return error.details.reason
  if (error instanceof Fault) return error.message
  throw error
}
