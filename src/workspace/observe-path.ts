/** Looks at one changed path on the disk, without following a link anywhere. */
import * as fs from 'node:fs'
import type { PathObservation } from '../contract/git-observation.shape.ts'
import { digest } from '../kit/digest.ts'
import { errorCode } from '../kit/fault.ts'
import type { ContentBudget } from './content-budget.ts'
import type { ChangedPath } from './parse-status.ts'
import { type PathDisk, planReading, readContent } from './read-content.ts'

/** From where the paths of one observation are looked at. */
export type Lookout = {
  root: string
  budget: ContentBudget
  disk: PathDisk
  /** The folders seen so far, and whether they are folders of the worktree. */
  folders: Map<string, boolean>
}

type Subject = Pick<PathObservation, 'path' | 'category' | 'state'>
type Seen = { place: fs.PathLike; found: fs.BigIntStats }

export function createLookout(around: { root: string; budget: ContentBudget; disk?: PathDisk }): Lookout {
  return { disk: fs, ...around, folders: new Map() }
}

export function observePath({ path, bytes, category, state }: ChangedPath, lookout: Lookout): PathObservation {
  const subject = { path, category, state }
  // Git marks a repository inside the worktree by a slash at the end.
  const name = bytes.replace(/\/$/, '')
  const place = placeOf(name, lookout)
  let found: fs.BigIntStats | undefined
  try {
    found = isInWorktree(name, lookout) ? look(place, lookout) : undefined
  } catch (error) {
    return { ...subject, observation: unreadable(error) }
  }
  if (found === undefined) return { ...subject, observation: 'missing' }
  try {
    if (found.isSymbolicLink()) return observeLink(subject, { place, lookout })
    if (found.isFile()) return observeFile(subject, { place, found }, lookout)
    return { ...subject, observation: 'non_regular', size: Number(found.size) }
  } catch (error) {
    return { ...subject, observation: unreadable(error), size: Number(found.size) }
  }
}

function observeLink(subject: Subject, { place, lookout }: { place: fs.PathLike; lookout: Lookout }): PathObservation {
  const target = lookout.disk.readlinkSync(place, { encoding: 'buffer' })
  return {
    ...subject,
    observation: 'symlink',
    size: target.length,
    content_sha256: digest(target),
    content_fingerprint_kind: 'symlink_target_sha256',
  }
}

function observeFile(subject: Subject, { place, found }: Seen, lookout: Lookout): PathObservation {
  const { budget, disk } = lookout
  const size = Number(found.size)
  const modified_unix_nano = toWideInteger(found.mtimeNs)
  const plan = planReading(size)
  const unobserved = { ...subject, observation: 'content_unobserved', size, modified_unix_nano } as const
  if (!budget.reserve(plan.bytes)) return unobserved
  const isOverdue = () => budget.isOverdue()
  const content = readContent({ place, found, plan, look: () => look(place, lookout), isOverdue }, disk)
  if (content === 'overdue') return unobserved
  if (content === 'changed') return { ...subject, observation: 'unreadable', size }
  budget.countHashed(plan.bytes)
  const read = { content_sha256: content, content_fingerprint_kind: plan.kind }
  return { ...subject, observation: plan.observation, size, modified_unix_nano, ...read }
}

function look(place: fs.PathLike, { disk }: Lookout): fs.BigIntStats | undefined {
  return disk.lstatSync(place, { bigint: true, throwIfNoEntry: false })
}

/**
 * Whether only real folders lead to a name. Where one was replaced by a link, the path leads to a file that is none of
 * the worktree's; to git, what was in the folder is gone.
 */
function isInWorktree(name: string, lookout: Lookout): boolean {
  const end = name.lastIndexOf('/')
  if (end === -1) return true
  const folder = name.slice(0, end)
  const known = lookout.folders.get(folder)
  if (known !== undefined) return known
  const isFolder = () => look(placeOf(folder, lookout), lookout)?.isDirectory() === true
  const isReal = isInWorktree(folder, lookout) && isFolder()
  lookout.folders.set(folder, isReal)
  return isReal
}

/** Bytes that are not ASCII go to the system as they are. */
function placeOf(name: string, { root }: Lookout): fs.PathLike {
  const isAscii = Buffer.byteLength(name) === name.length
  if (isAscii) return `${root}/${name}`
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')])
}

/** As it would be read back from JSON: a bigint only where a number cannot hold it. */
function toWideInteger(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** Anything but an error of the system is a bug and goes on up. */
function unreadable(error: unknown): 'unreadable' {
  if (errorCode(error) === undefined) throw error
  return 'unreadable'
}
