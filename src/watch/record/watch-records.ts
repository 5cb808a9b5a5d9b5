/** The records of watchers: `watch/<id>.json`, and the issues that one has taken, `watch/<id>/<number>.json`. */

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { digest } from '../../kit/digest.ts'
import { inspectLock } from '../../kit/files/lock.ts'
import { namesIn, readRecordFile, saveRecordFile } from '../../kit/files/record-file.ts'
import { checker } from '../../kit/schema.ts'
import { encodeUtf8 } from '../../kit/utf8.ts'
import { validateTakenIssue, validateWatchRecord } from './checks.generated.js'
import type { TakenIssue, Watcher, WatchRecord } from './watch-record.shape.ts'

const LIMIT_BYTES = 256 * 1024
const ID_DIGITS = 16

const checkRecord = checker<WatchRecord>('watchRecord', validateWatchRecord)
const checkTaken = checker<TakenIssue>('takenIssue', validateTakenIssue)

/** The same for the same words. */
export function watcherId(...words: readonly string[]): string {
  return digest(encodeUtf8(JSON.stringify(words)))
    .replace('sha256:', '')
    .slice(0, ID_DIGITS)
}

export function lockPath(directory: string, id: string): string {
  return join(directory, `${id}.lock`)
}

export function saveWatch(directory: string, record: WatchRecord): void {
  saveRecordFile(join(directory, `${record.id}.json`), record)
}

/** Undefined if there is none. Throws if it is not valid: what was done would be done again. */
export function findWatch(directory: string, id: string): WatchRecord | undefined {
  return read(join(directory, `${id}.json`), checkRecord)
}

export function saveTaken(directory: string, id: string, taken: TakenIssue): void {
  saveRecordFile(join(directory, id, `${taken.number}.json`), taken)
}

export function removeTaken(directory: string, id: string, number: number): void {
  rmSync(join(directory, id, `${number}.json`), { force: true })
}

export function listTaken(directory: string, id: string): TakenIssue[] {
  return recordsIn(join(directory, id)).flatMap((name) => read(join(directory, id, name), checkTaken) ?? [])
}

/** What all watchers of this user say about themselves. */
export async function listWatchers(directory: string): Promise<Watcher[]> {
  const records = recordsIn(directory).flatMap((name) => read(join(directory, name), checkRecord) ?? [])
  const watchers = await Promise.all(
    records.map(async ({ version: _, since: __, pending: ___, ...shown }): Promise<Watcher> => {
      const { status } = await inspectLock(lockPath(directory, shown.id))
      return { ...shown, is_running: status === 'held' }
    }),
  )
  return watchers.sort((a, b) => (`${a.repository} ${a.id}` < `${b.repository} ${b.id}` ? -1 : 1))
}

function read<T>(path: string, check: (value: unknown) => T): T | undefined {
  return existsSync(path) ? readRecordFile(path, check, LIMIT_BYTES) : undefined
}

function recordsIn(directory: string): string[] {
  return namesIn(directory).filter((name) => name.endsWith('.json'))
}
