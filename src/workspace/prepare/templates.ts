/**
 * What setups have installed, kept for the next worktree with the same lock files:
 *
 *     templates/<key>/template.json     what it is (template.shape.ts)
 *     templates/<key>/tree/             the files
 */

import { chmodSync, readFileSync, renameSync, rmSync, type Stats, statSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { type Clock, toTimestamp } from '../../kit/clock.ts'
import { errorCode, Fault } from '../../kit/fault.ts'
import { ensurePrivateDirectory } from '../../kit/files/private-directory.ts'
import { namesIn, readRecordFile } from '../../kit/files/record-file.ts'
import { removeTree } from '../../kit/files/remove-tree.ts'
import { createFile } from '../../kit/files/write-file.ts'
import { randomIds } from '../../kit/ids.ts'
import { checker } from '../../kit/schema.ts'
import { encodeUtf8 } from '../../kit/utf8.ts'
import { validateTemplateRecord } from '../checks.generated.js'
import { cloneTree } from './clone-tree.ts'
import type { TemplateRecord } from './template.shape.ts'

const RECORD = 'template.json'
const RECORD_LIMIT_BYTES = 64 * 1024 * 1024
const UNFINISHED = /^new-/
const DAY_MS = 24 * 60 * 60_000
const MAX_AGE_MS = 30 * DAY_MS

const checkRecord = checker<TemplateRecord>('templateRecord', validateTemplateRecord)

export type Template = TemplateRecord & { readonly directory: string; readonly usedAt: Date }

/** All templates, the one that was used last comes first. `home` is the directory of all templates. */
export function listTemplates(home: string): Template[] {
  return namesIn(home)
    .filter((name) => !UNFINISHED.test(name))
    .map((name) => findTemplate(home, name))
    .filter((template) => template !== undefined)
    .sort((one, other) => other.usedAt.getTime() - one.usedAt.getTime())
}

/** Undefined if there is none that is complete. */
export function findTemplate(home: string, key: string): Template | undefined {
  const directory = join(home, key)
  const path = join(directory, RECORD)
  try {
    const record = readRecordFile(path, checkRecord, RECORD_LIMIT_BYTES)
    return record.key === key ? { ...record, directory, usedAt: statSync(path).mtime } : undefined
  } catch (error) {
    if (error instanceof Fault || errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

export type NewTemplate = {
  readonly home: string
  readonly key: string
  readonly repository: string
  /** The worktree in which the setup ran, and what it created there. */
  readonly root: string
  readonly entries: readonly string[]
  readonly setupMs: number
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Of two processes that save the same template, the first one wins. */
export async function saveTemplate({ home, clock, setupMs, ...wanted }: NewTemplate): Promise<void> {
  ensurePrivateDirectory({ path: home })
  const directory = join(home, `new-${randomIds.hex(8)}`)
  const { key, repository, root, entries, signal } = wanted
  const rooted: string[] = []
  const size = { files: 0, bytes: 0 }
  const tree = join(directory, 'tree')
  const onFile = (path: string, stats: Stats) => {
    size.files += 1
    size.bytes += stats.size
    if (isRooted(path, stats, root)) rooted.push(relative(tree, path))
  }
  try {
    for (const entry of entries) {
      await mkdir(dirname(join(tree, entry)), { recursive: true, mode: 0o700 })
      await cloneTree(join(root, entry), join(tree, entry), { signal, onFile })
    }
    const created_at = toTimestamp(clock.now())
    const record = { version: 1, key, repository, root, entries, rooted, ...size, setup_ms: setupMs, created_at }
    const bytes = encodeUtf8(`${JSON.stringify(record)}\n`)
    createFile({ path: join(directory, RECORD), bytes, mode: 0o600 })
    renameSync(directory, join(home, key))
  } catch (error) {
    await removeTree(directory)
    if (!['EEXIST', 'ENOTEMPTY'].includes(errorCode(error) ?? '')) throw error
  }
}

/** Copies a template to `to`, which must not exist, for a worktree at `root`. */
export async function copyTemplate(
  { directory, entries, rooted, root: from }: Template,
  { to, root, signal }: { to: string; root: string; signal: AbortSignal },
): Promise<void> {
  const now = new Date()
  utimesSync(join(directory, RECORD), now, now)
  await mkdir(to, { mode: 0o700 })
  for (const entry of entries) {
    await mkdir(dirname(join(to, entry)), { recursive: true })
    await cloneTree(join(directory, 'tree', entry), join(to, entry), { signal, retarget: { from, to: root } })
  }
  for (const path of rooted) replaceRoot(join(to, path), { from, to: root })
}

/** Removes templates that were not used for a month, then the oldest until the others have room. */
export async function cleanTemplates(home: string, { maxBytes, now }: { maxBytes: number; now: Date }): Promise<void> {
  let bytes = 0
  for (const template of listTemplates(home)) {
    bytes += template.bytes
    if (now.getTime() - template.usedAt.getTime() <= MAX_AGE_MS && bytes <= maxBytes) continue
    await removeTemplate(template)
  }
  for (const name of namesIn(home).filter((each) => UNFINISHED.test(each))) {
    const path = join(home, name)
    // One that is being created has changed since.
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now.getTime()
    if (now.getTime() - changed > DAY_MS) await removeTree(path)
  }
}

/** The record goes first: what is left then is not a template any more. */
async function removeTemplate({ directory }: Pick<Template, 'directory'>): Promise<void> {
  rmSync(join(directory, RECORD), { force: true })
  await removeTree(directory)
}

/** Scripts and configuration. What is larger does not contain paths that matter. */
const LIMIT_BYTES = 1024 * 1024
const OWNER_WRITES = 0o200

/**
 * Text files that contain the path of the worktree in which they were installed, such as scripts of a virtual environment. A
 * binary file does not find its own place by a path that can be replaced.
 */
export function isRooted(path: string, { size }: Pick<Stats, 'size'>, root: string): boolean {
  if (size > LIMIT_BYTES) return false
  const content = readFileSync(path)
  return content.includes(root) && !content.includes(0)
}

export function replaceRoot(path: string, { from, to }: { from: string; to: string }): void {
  const content = readFileSync(path, 'latin1')
  const { mode } = statSync(path)
  const isLocked = (mode & OWNER_WRITES) === 0
  if (isLocked) chmodSync(path, mode | OWNER_WRITES)
  writeFileSync(path, content.replaceAll(toLatin1(from), toLatin1(to)), 'latin1')
  if (isLocked) chmodSync(path, mode)
}

/** The bytes of a text, as a text of which each character is one byte. */
function toLatin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}
