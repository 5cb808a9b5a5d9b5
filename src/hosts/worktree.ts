/**
 * A worktree, held by its open root, and the folders in it. A path is walked one folder at a time and never through a
 * link, so that nothing outside the worktree is read or changed, whatever is swapped meanwhile: Node has no `openat`, but
 * on Linux the path /proc/self/fd/N/name does the same. Elsewhere a folder is named by its path after it was looked at,
 * which leaves a gap as long as one call of the system.
 */
import * as fs from 'node:fs'
import { Fault } from '../kit/fault.ts'
import { type Disk, type FileIdentity, fileKind, isSameFile, systemReason } from '../kit/files/disk.ts'
import { openDirectory, syncDirectory } from '../kit/files/durability.ts'
import { hostFolderReplaced, hostPathBlocked } from './faults.ts'

/** The calls that change a worktree. A test passes a disk that fails, interferes or stops at a call. */
export type TreeDisk = Disk & Pick<typeof fs, 'rmdirSync'> & { readdirSync(path: string): string[] }

export const realTreeDisk: TreeDisk = fs

export type Folder = Disposable & {
  /** The path by which a file in it is reached. */
  at(name: string): string
  /** Makes the names in it durable. */
  sync(): void
}

export type Worktree = Disposable & {
  readonly root: string
  readonly disk: TreeDisk
  /** Whether the path of the root still leads to what was opened. */
  isInPlace(): boolean
  /**
   * Opens a folder by its path from the root, `''` being the root itself. Undefined when it, or one above it, is missing;
   * throws `host_folder_replaced` when one of them is something else.
   */
  enter(path: string): Folder | undefined
}

/** Everybody can look into the folders that are made, whatever the umask. */
const FOLDER_MODE = 0o755

export function openWorktree(root: string, disk: TreeDisk): Worktree {
  const descriptor = attempt(root, () => openDirectory({ path: root, links: 'refuse' }, disk))
  const opened = disk.fstatSync(descriptor, { bigint: true })
  const pathOf = hasDescriptorPaths(descriptor, opened, disk) ? descriptorPath : (_: number, path: string) => path
  const toFolder = (folder: { descriptor: number; path: string }): Folder => ({
    at: (name) => `${pathOf(folder.descriptor, folder.path)}/${name}`,
    sync: () => void syncDirectory(folder.descriptor, disk),
    [Symbol.dispose]: () => disk.closeSync(folder.descriptor),
  })
  const enter = (path: string) => {
    const again = () => openDirectory({ path: pathOf(descriptor, root), links: 'follow' }, disk)
    let here = { descriptor: attempt(root, again), path: root }
    let walked = ''
    for (const name of splitPath(path)) {
      using parent = toFolder(here)
      walked = walked === '' ? name : `${walked}/${name}`
      const next = openFolder({ place: parent.at(name), path: walked }, disk)
      if (next === undefined) return undefined
      here = { descriptor: next, path: `${here.path}/${name}` }
    }
    return toFolder(here)
  }
  return {
    root,
    disk,
    enter,
    isInPlace: () => isSameFile(opened, look(root, disk)),
    [Symbol.dispose]: () => disk.closeSync(descriptor),
  }
}

/** Makes a folder in one that exists. */
export function makeFolder(tree: Worktree, path: string): void {
  using parent = tree.enter(parentOf(path))
  if (parent === undefined) throw hostPathBlocked({ path: parentOf(path), problem: 'it is gone' })
  const place = parent.at(nameOf(path))
  attempt(path, () => tree.disk.mkdirSync(place, { mode: FOLDER_MODE }))
  attempt(path, () => {
    const descriptor = openDirectory({ path: place, links: 'refuse' }, tree.disk)
    try {
      tree.disk.fchmodSync(descriptor, FOLDER_MODE)
    } finally {
      tree.disk.closeSync(descriptor)
    }
  })
}

/** Removes a folder if it is empty; gives the reason why it is still there. */
export function removeFolder(tree: Worktree, path: string): string | undefined {
  try {
    using parent = tree.enter(parentOf(path))
    if (parent !== undefined && look(parent.at(nameOf(path)), tree.disk) !== undefined) {
      tree.disk.rmdirSync(parent.at(nameOf(path)))
    }
    return undefined
  } catch (error) {
    return reasonOf(error)
  }
}

/** What is at a path, if anything; a link is not followed. */
export function look(path: string, disk: TreeDisk): fs.BigIntStats | undefined {
  return disk.lstatSync(path, { bigint: true, throwIfNoEntry: false })
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Does what may fail for a reason of the system, and says what it was about. */
export function attempt<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw hostPathBlocked({ path, problem: systemReason(error) }, error)
  }
}

/** Why something failed, in words; a bug goes on up. */
export function reasonOf(error: unknown): string {
  return error instanceof Fault ? error.message : systemReason(error)
}

function splitPath(path: string): string[] {
  const names = path === '' ? [] : path.split('/')
  if (names.some((name) => ['', '.', '..'].includes(name))) {
    throw hostPathBlocked({ path, problem: 'it is no path inside the repository' })
  }
  return names
}

function openFolder({ place, path }: { place: string; path: string }, disk: TreeDisk): number | undefined {
  const found = attempt(path, () => look(place, disk))
  if (found === undefined) return undefined
  if (!found.isDirectory()) throw hostFolderReplaced({ path, kind: fileKind(found) })
  const descriptor = attempt(path, () => openDirectory({ path: place, links: 'refuse' }, disk))
  // Where links can be opened in spite of that, only its identity tells that this is the folder that was looked at.
  if (isSameFile(found, disk.fstatSync(descriptor, { bigint: true }))) return descriptor
  disk.closeSync(descriptor)
  throw hostPathBlocked({ path, problem: 'it changed while it was being opened' })
}

function descriptorPath(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`
}

function hasDescriptorPaths(descriptor: number, opened: FileIdentity, disk: TreeDisk): boolean {
  return isSameFile(opened, look(`${descriptorPath(descriptor)}/.`, disk))
}
