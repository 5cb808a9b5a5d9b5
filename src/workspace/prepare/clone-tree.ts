/**
 * Copies a directory. Where the file system can, the copy shares its blocks with the original until one of them is written
 * (reflink). Never by hard links: what is written in the copy must not change the original.
 */
import { constants, type Dirent, type Stats } from 'node:fs'
import { chmod, copyFile, lstat, mkdir, readdir, readlink, symlink, utimes } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'

const FILES_AT_ONCE = 32

export type CloneOptions = {
  readonly signal: AbortSignal
  /** Absolute links into `from` lead to the same place in `to` afterwards. */
  readonly retarget?: { readonly from: string; readonly to: string }
  /** Called for each file, after it was copied. */
  readonly onFile?: (path: string, stats: Stats) => void | Promise<void>
}

/** `to` must not exist. Sockets, pipes and devices are left out. */
export async function cloneTree(from: string, to: string, options: CloneOptions): Promise<void> {
  const stats = await lstat(from)
  if (!stats.isDirectory()) return await cloneEntry(from, to, options)
  await mkdir(to, { mode: 0o700 })
  const entries = await readdir(from, { withFileTypes: true })
  const [folders, others] = [entries.filter(isFolder), entries.filter((entry) => !isFolder(entry))]
  for (let at = 0; at < others.length; at += FILES_AT_ONCE) {
    options.signal.throwIfAborted()
    const some = others.slice(at, at + FILES_AT_ONCE)
    await Promise.all(some.map(({ name }) => cloneEntry(join(from, name), join(to, name), options)))
  }
  for (const { name } of folders) await cloneTree(join(from, name), join(to, name), options)
  // Last: the directory may be read-only, and writing into it changes its time.
  await chmod(to, stats.mode)
  await utimes(to, stats.atime, stats.mtime)
}

function isFolder(entry: Dirent): boolean {
  return entry.isDirectory()
}

async function cloneEntry(from: string, to: string, { retarget, onFile }: CloneOptions): Promise<void> {
  const stats = await lstat(from)
  if (stats.isSymbolicLink()) return await symlink(toTarget(await readlink(from), retarget), to)
  if (!stats.isFile()) return
  await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
  await utimes(to, stats.atime, stats.mtime)
  await onFile?.(to, stats)
}

function toTarget(target: string, retarget: CloneOptions['retarget']): string {
  if (retarget === undefined || !isAbsolute(target)) return target
  const way = relative(retarget.from, target)
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way) ? target : join(retarget.to, way)
}
