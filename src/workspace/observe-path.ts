/** Observes one changed path on disk. Never follows a link. */
import * as fs from 'node:fs'
import type { PathObservation } from '../contract/git-observation.shape.ts'
import { digest } from '../kit/digest.ts'
import { errorCode } from '../kit/fault.ts'
import { type ContentBudget, type PathDisk, planRead, readContent } from './read-content.ts'
import type { ChangedPath } from './worktree-status.ts'

/** What all paths of one observation share. */
export type PathReader = {
  root: string
  budget: ContentBudget
  disk: PathDisk
  /** The folders checked so far, and whether they are real folders of the worktree. */
  folders: Map<string, boolean>
}

type Subject = Pick<PathObservation, 'path' | 'category' | 'state'>
type FoundFile = { place: fs.PathLike; found: fs.BigIntStats }

export function createPathReader(around: { root: string; budget: ContentBudget; disk?: PathDisk }): PathReader {
  return { disk: fs, ...around, folders: new Map() }
}

export function observePath({ path, bytes, category, state }: ChangedPath, reader: PathReader): PathObservation {
  const subject = { path, category, state }
  // Git marks a nested repository with a trailing slash.
  const name = bytes.replace(/\/$/, '')
  const place = toSystemPath(name, reader)
  let found: fs.BigIntStats | undefined
  try {
    found = isInWorktree(name, reader) ? lstatIfExists(place, reader) : undefined
  } catch (error) {
    return { ...subject, observation: unreadable(error) }
  }
  if (found === undefined) return { ...subject, observation: 'missing' }
  try {
    if (found.isSymbolicLink()) return observeLink(subject, { place, reader })
    if (found.isFile()) return observeFile(subject, { place, found }, reader)
    return { ...subject, observation: 'non_regular', size: Number(found.size) }
  } catch (error) {
    return { ...subject, observation: unreadable(error), size: Number(found.size) }
  }
}

function observeLink(subject: Subject, { place, reader }: { place: fs.PathLike; reader: PathReader }): PathObservation {
  const target = reader.disk.readlinkSync(place, { encoding: 'buffer' })
  return {
    ...subject,
    observation: 'symlink',
    size: target.length,
    content_sha256: digest(target),
    content_fingerprint_kind: 'symlink_target_sha256',
  }
}

function observeFile(subject: Subject, { place, found }: FoundFile, reader: PathReader): PathObservation {
  const { budget, disk } = reader
  const size = Number(found.size)
  const modified_unix_nano = toWideInteger(found.mtimeNs)
  const plan = planRead(size)
  const unobserved = { ...subject, observation: 'content_unobserved', size, modified_unix_nano } as const
  if (!budget.reserve(plan.bytes)) return unobserved
  const isOverdue = () => budget.isOverdue()
  const content = readContent({ place, found, plan, look: () => lstatIfExists(place, reader), isOverdue }, disk)
  if (content === 'overdue') return unobserved
  if (content === 'changed') return { ...subject, observation: 'unreadable', size }
  budget.countHashed(plan.bytes)
  const read = { content_sha256: content, content_fingerprint_kind: plan.kind }
  return { ...subject, observation: plan.observation, size, modified_unix_nano, ...read }
}

function lstatIfExists(place: fs.PathLike, { disk }: PathReader): fs.BigIntStats | undefined {
  return disk.lstatSync(place, { bigint: true, throwIfNoEntry: false })
}

/**
 * Whether all folders above a name are real folders. If one was replaced by a link, the file is not part of the worktree,
 * and for git the content of the folder is deleted.
 */
function isInWorktree(name: string, reader: PathReader): boolean {
  const end = name.lastIndexOf('/')
  if (end === -1) return true
  const folder = name.slice(0, end)
  const known = reader.folders.get(folder)
  if (known !== undefined) return known
  const isFolder = () => lstatIfExists(toSystemPath(folder, reader), reader)?.isDirectory() === true
  const isReal = isInWorktree(folder, reader) && isFolder()
  reader.folders.set(folder, isReal)
  return isReal
}

/** Passes non-ASCII bytes to the system unchanged. */
function toSystemPath(name: string, { root }: PathReader): fs.PathLike {
  const isAscii = Buffer.byteLength(name) === name.length
  if (isAscii) return `${root}/${name}`
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')])
}

/** A bigint only if a number is too small, as when it is read back from JSON. */
function toWideInteger(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** Throws anything that is not a system error, because it is a bug. */
function unreadable(error: unknown): 'unreadable' {
  if (errorCode(error) === undefined) throw error
  return 'unreadable'
}
