/**
 * The worktrees that drover creates, in a directory of the user:
 *
 *     worktrees/<name>/worktree.json     what it is (worktree-record.shape.ts)
 *     worktrees/<name>/in-use.lock       held by the process that compares in it
 *     worktrees/<name>/<folder>/         the checkout
 */

import { mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorCode, tryTo } from '../kit/fault.ts'
import { inspectLock } from '../kit/files/lock.ts'
import { ensurePrivateDirectory } from '../kit/files/private-directory.ts'
import { namesIn, readRecordFile } from '../kit/files/record-file.ts'
import { createFile } from '../kit/files/write-file.ts'
import { checker } from '../kit/schema.ts'
import { compareBytes, encodeUtf8 } from '../kit/utf8.ts'
import { validateWorktreeRecord } from './checks.generated.js'
import type { WorktreeRecord } from './worktree-record.shape.ts'

const RECORD = 'worktree.json'
const RECORD_LIMIT_BYTES = 64 * 1024

const checkRecord = checker<WorktreeRecord>('worktreeRecord', validateWorktreeRecord)

/** A worktree that drover created. */
export type Worktree = WorktreeRecord & {
  /** The root of the checkout. */
  readonly path: string
  /** The directory of the checkout and of its record. */
  readonly directory: string
}

function toWorktree(record: WorktreeRecord, home: string): Worktree {
  const directory = join(home, record.name)
  return { ...record, directory, path: join(directory, record.folder) }
}

/** Reserves a name. False if it is taken. */
export function claimName(home: string, name: string): boolean {
  ensurePrivateDirectory({ path: home })
  try {
    mkdirSync(join(home, name), { mode: 0o700 })
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

export function saveRecord(home: string, record: WorktreeRecord): Worktree {
  const worktree = toWorktree(record, home)
  const bytes = encodeUtf8(`${JSON.stringify(record, null, 2)}\n`)
  createFile({ path: join(worktree.directory, RECORD), bytes, mode: 0o600 })
  return worktree
}

/** Removes a record that was just saved. Its name stays claimed. */
export function withdrawRecord({ directory }: Pick<Worktree, 'directory'>): void {
  rmSync(join(directory, RECORD), { force: true })
}

/** Removes the record and everything beside it. */
export function deleteRecord({ directory }: Pick<Worktree, 'directory'>): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
}

/** The lock of the process that works in it. */
export function toUseLock({ directory }: Pick<Worktree, 'directory'>): string {
  return join(directory, 'in-use.lock')
}

/** Whether a comparison is running in it. */
export async function isInUse(worktree: Pick<Worktree, 'directory'>): Promise<boolean> {
  return (await inspectLock(toUseLock(worktree))).status === 'held'
}

export type FoundWorktree = Worktree & {
  /** The directory is gone or empty: someone deleted it, or its creation was interrupted. */
  readonly isMissing: boolean
}

/** All worktrees, of all repositories, oldest first. A directory without a valid record is not one of ours and is left out. */
export function listWorktrees(home: string): FoundWorktree[] {
  return namesIn(home)
    .map((name) => readRecord(home, name))
    .filter((worktree) => worktree !== undefined)
    .sort((one, other) => compareBytes(one.created_at, other.created_at) || compareBytes(one.name, other.name))
}

function readRecord(home: string, name: string): FoundWorktree | undefined {
  const record = tryTo(() => readRecordFile(join(home, name, RECORD), checkRecord, RECORD_LIMIT_BYTES))
  if (record?.name !== name) return undefined
  const worktree = toWorktree(record, home)
  return { ...worktree, isMissing: !hasEntries(worktree.path) }
}

/** The record of the worktree with this root; undefined if drover has not created it. */
export function findRecordAt(root: string): FoundWorktree | undefined {
  const directory = dirname(tryRealPath(root))
  const found = readRecord(dirname(directory), basename(directory))
  return found !== undefined && found.folder === basename(root) ? found : undefined
}

function tryRealPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return path
  }
}

/** True also if it cannot be read: then it may have some. */
export function hasEntries(directory: string): boolean {
  try {
    return readdirSync(directory).length > 0
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')
  }
}
