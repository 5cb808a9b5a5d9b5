/**
 * A worktree with its root held open. Paths are walked one folder at a time and never through a link, so nothing outside
 * the worktree is read or changed, even if a folder is replaced meanwhile. Node has no `openat`; on Linux the path
 * /proc/self/fd/N/name does the same. Elsewhere a folder is checked and then opened by its path, which leaves a race of
 * one system call.
 */
import * as fs from 'node:fs'
import { Fault } from '../kit/fault.ts'
import {
  type Disk,
  type FileIdentity,
  fileKind,
  isSameFile,
  openDirectory,
  syncDirectory,
  systemReason,
} from '../kit/files/disk.ts'
import { hostFolderReplaced, hostPathBlocked } from './faults.ts'

/** The calls that change a worktree. A test passes a disk that fails, interferes or stops at a call. */
export type TreeDisk = Disk & Pick<typeof fs, 'rmdirSync'> & { readdirSync(path: string): string[] }

export const realTreeDisk: TreeDisk = fs

export type Folder = Disposable & {
  /** The path of a file in this folder. */
  at(name: string): string
  /** Syncs the directory. */
  sync(): void
}

export type OpenWorktree = Disposable & {
  readonly root: string
  readonly disk: TreeDisk
  /** Whether the root path still names the directory that was opened. */
  isInPlace(): boolean
  /**
   * Opens a folder by its path from the root; `''` is the root. Returns undefined if it or a folder above it is missing.
   * Throws `host_folder_replaced` if one of them is not a folder.
   */
  enter(path: string): Folder | undefined
}

/** Independent of the umask. */
const FOLDER_MODE = 0o755

export function openWorktree(root: string, disk: TreeDisk): OpenWorktree {
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
    isInPlace: () => isSameFile(opened, lstatIfExists(root, disk)),
    [Symbol.dispose]: () => disk.closeSync(descriptor),
  }
}

/** Its parent must exist. */
export function makeFolder(tree: OpenWorktree, path: string): void {
  using parent = tree.enter(parentPath(path))
  if (parent === undefined) throw hostPathBlocked({ path: parentPath(path), problem: 'it no longer exists' })
  const place = parent.at(lastPart(path))
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

/** Removes a folder if it is empty. Returns the reason if that fails. */
export function removeFolder(tree: OpenWorktree, path: string): string | undefined {
  try {
    using parent = tree.enter(parentPath(path))
    if (parent !== undefined && lstatIfExists(parent.at(lastPart(path)), tree.disk) !== undefined) {
      tree.disk.rmdirSync(parent.at(lastPart(path)))
    }
    return undefined
  } catch (error) {
    return describeError(error)
  }
}

/** Does not follow links. */
export function lstatIfExists(path: string, disk: TreeDisk): fs.BigIntStats | undefined {
  return disk.lstatSync(path, { bigint: true, throwIfNoEntry: false })
}

export function parentPath(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

export function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Turns a system error of `work` into `host_path_blocked` with the path. */
export function attempt<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw hostPathBlocked({ path, problem: systemReason(error) }, error)
  }
}

/** The message of a fault or a system error; throws any other error. */
export function describeError(error: unknown): string {
  return error instanceof Fault ? error.message : systemReason(error)
}

function splitPath(path: string): string[] {
  const names = path === '' ? [] : path.split('/')
  if (names.some((name) => ['', '.', '..'].includes(name))) {
    throw hostPathBlocked({ path, problem: 'it is not a path inside the repository' })
  }
  return names
}

function openFolder({ place, path }: { place: string; path: string }, disk: TreeDisk): number | undefined {
  const found = attempt(path, () => lstatIfExists(place, disk))
  if (found === undefined) return undefined
  if (!found.isDirectory()) throw hostFolderReplaced({ path, kind: fileKind(found) })
  const descriptor = attempt(path, () => openDirectory({ path: place, links: 'refuse' }, disk))
  // Where opening may follow a link, only the identity shows that this is the folder that was checked.
  if (isSameFile(found, disk.fstatSync(descriptor, { bigint: true }))) return descriptor
  disk.closeSync(descriptor)
  throw hostPathBlocked({ path, problem: 'it changed while it was being opened' })
}

function descriptorPath(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`
}

function hasDescriptorPaths(descriptor: number, opened: FileIdentity, disk: TreeDisk): boolean {
  return isSameFile(opened, lstatIfExists(`${descriptorPath(descriptor)}/.`, disk))
}
