/**
 * Copies a directory. Where the file system can, the copy shares its blocks with the original until one of them is written
 * (reflink). Never by hard links: what is written in the copy must not change the original.
 */
import {
  chmodSync,
  constants,
  copyFileSync,
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  type Stats,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/** Between two pauses, in which a server can do something else. */
const FILES_AT_ONCE = 32
/** Copied without a promise, which would take several times as long as the copy. */
const SMALL_BYTES = 128 * 1024

export type CloneOptions = {
  readonly signal: AbortSignal
  /** Absolute links into `from` lead to the same place in `to` afterwards. */
  readonly retarget?: { readonly from: string; readonly to: string }
  /** Called for each file, after it was copied. */
  readonly onFile?: (path: string, stats: Stats) => void
}

/** `to` must not exist. Sockets, pipes and devices are left out. */
export async function cloneTree(from: string, to: string, options: CloneOptions): Promise<void> {
  const stats = lstatSync(from)
  if (!stats.isDirectory()) return await cloneEntry(from, to, options)
  mkdirSync(to, { mode: 0o700 })
  const entries = readdirSync(from, { withFileTypes: true })
  const [folders, others] = [entries.filter(isFolder), entries.filter((entry) => !isFolder(entry))]
  for (const [at, { name }] of others.entries()) {
    if (at % FILES_AT_ONCE === 0) await pause(options)
    await cloneEntry(join(from, name), join(to, name), options)
  }
  for (const { name } of folders) await cloneTree(join(from, name), join(to, name), options)
  // Last: the directory may be read-only, and writing into it changes its time.
  chmodSync(to, stats.mode)
  utimesSync(to, stats.atime, stats.mtime)
}

async function pause({ signal }: CloneOptions): Promise<void> {
  await yieldToEventLoop()
  signal.throwIfAborted()
}

function isFolder(entry: Dirent): boolean {
  return entry.isDirectory()
}

async function cloneEntry(from: string, to: string, { retarget, onFile }: CloneOptions): Promise<void> {
  const stats = lstatSync(from)
  if (stats.isSymbolicLink()) return symlinkSync(toTarget(readlinkSync(from), retarget), to)
  if (!stats.isFile()) return
  if (stats.size <= SMALL_BYTES) copyFileSync(from, to, HOW)
  else await copyFile(from, to, HOW)
  utimesSync(to, stats.atime, stats.mtime)
  onFile?.(to, stats)
}

const HOW = constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL

function toTarget(target: string, retarget: CloneOptions['retarget']): string {
  if (retarget === undefined || !isAbsolute(target)) return target
  const way = relative(retarget.from, target)
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way) ? target : join(retarget.to, way)
}
