/** Reads and writes `run.json`. If anything is wrong with it, the journal is read instead, so it may be deleted at any time. */
import { dirname, join } from 'node:path'
import { tryTo } from '../kit/fault.ts'
import { closeQuietly, type Disk, removeQuietly } from '../kit/files/disk.ts'
import { readFileBytes } from '../kit/files/read-file.ts'
import { removeLeftovers, temporaryName } from '../kit/files/temporary-file.ts'
import { writeFully } from '../kit/files/write-file.ts'
import { recordEnding } from './hash-chain.ts'
import type { OpenJournal } from './open-journal.ts'
import { type RunStore, snapshotPathIn } from './run-store.ts'
import {
  decodeSnapshot,
  encodeSnapshot,
  type JournalStamp,
  type RunSnapshot,
  type SnapshotKey,
} from './snapshot-format.ts'

/** A larger snapshot is neither written nor read. */
export const SNAPSHOT_LIMIT_BYTES = 64 * 1024 * 1024

/** The snapshot beside an open journal; undefined if there is none that matches the journal. */
export function readRunSnapshot(
  journal: OpenJournal,
  stamp: JournalStamp,
  { version, disk }: RunStore,
): RunSnapshot | undefined {
  if (version === undefined) return undefined
  const bytes = readQuietly(snapshotPathIn(dirname(journal.path)), disk)
  const snapshot = bytes && decodeSnapshot(bytes, { version, stamp })
  // The directory may have been renamed to the id of another run.
  if (snapshot?.run.id !== journal.runId) return undefined
  return endsWith(journal, { size: Number(stamp.size), ending: recordEnding(snapshot.end) }, disk)
    ? snapshot
    : undefined
}

/** Requires the exclusive lock and a durable last record. The file is not synced: its digest reveals a torn one. */
export function writeRunSnapshot(journal: OpenJournal, snapshot: RunSnapshot, { version, disk }: RunStore): void {
  if (version === undefined) return
  const stamp = disk.fstatSync(journal.descriptor, { bigint: true })
  const bytes = encodeWithinLimit(snapshot, { version, stamp })
  if (bytes === undefined) return
  const directory = dirname(journal.path)
  removeLeftovers(directory)
  const temporary = join(directory, temporaryName())
  try {
    writeNew(temporary, bytes, disk)
    disk.renameSync(temporary, snapshotPathIn(directory))
  } catch (error) {
    removeQuietly(temporary, disk)
    throw error
  }
}

function encodeWithinLimit(snapshot: RunSnapshot, key: SnapshotKey): Buffer | undefined {
  try {
    const bytes = encodeSnapshot(snapshot, key)
    return bytes.length > SNAPSHOT_LIMIT_BYTES ? undefined : bytes
  } catch (error) {
    // `JSON.stringify` throws this if the text would exceed the maximum string length of 512 MiB.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function readQuietly(path: string, disk: Disk): Buffer | undefined {
  return tryTo(() => readFileBytes({ path, limitBytes: SNAPSHOT_LIMIT_BYTES }, disk))
}

type Expected = { readonly size: number; readonly ending: Buffer }

function endsWith({ descriptor }: OpenJournal, { size, ending }: Expected, disk: Disk): boolean {
  const found = Buffer.alloc(ending.length)
  const count = disk.readSync(descriptor, found, 0, found.length, size - ending.length)
  return count === ending.length && found.equals(ending)
}

function writeNew(path: string, bytes: Buffer, disk: Disk): void {
  const descriptor = disk.openSync(path, 'wx', 0o600)
  try {
    writeFully({ descriptor, bytes }, disk)
  } finally {
    closeQuietly(descriptor, disk)
  }
}
