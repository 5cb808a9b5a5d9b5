/** `run.json` on the disk. Whatever is wrong with it, the journal is read in its place; so it may be removed at any time. */
import { dirname, join } from 'node:path'
import { Fault } from '../kit/fault.ts'
import { closeQuietly, type Disk } from '../kit/files/disk.ts'
import { readFileBytes } from '../kit/files/read-file.ts'
import { removeLeftovers, temporaryName } from '../kit/files/temporary-file.ts'
import { writeFully } from '../kit/files/write-file.ts'
import type { OpenJournal } from './open-journal.ts'
import { recordEnding } from './record.ts'
import { type RunStore, snapshotPathIn } from './run-store.ts'
import {
  decodeSnapshot,
  encodeSnapshot,
  type JournalStamp,
  type Occasion,
  type RunSnapshot,
} from './snapshot-format.ts'

/** A longer file is neither written nor read. */
export const SNAPSHOT_LIMIT_BYTES = 64 * 1024 * 1024

/** The run that is kept beside an open journal, if it is what the journal makes; undefined if only reading that can tell. */
export function readRunSnapshot(
  journal: OpenJournal,
  stamp: JournalStamp,
  { version, disk }: RunStore,
): RunSnapshot | undefined {
  if (version === undefined) return undefined
  const bytes = readQuietly(snapshotPathIn(dirname(journal.path)), disk)
  const kept = bytes && decodeSnapshot(bytes, { version, stamp })
  // A directory can get the name of another run without its files noticing.
  if (kept?.run.id !== journal.runId) return undefined
  return endsWith(journal, { size: Number(stamp.size), ending: recordEnding(kept.end) }, disk) ? kept : undefined
}

/** Keeps a run, under the exclusive lock, once its last record is durable. Not synced: a torn file is noticed by its digest. */
export function writeRunSnapshot(journal: OpenJournal, kept: RunSnapshot, { version, disk }: RunStore): void {
  if (version === undefined) return
  const stamp = disk.fstatSync(journal.descriptor, { bigint: true })
  const bytes = encodeWithinLimit(kept, { version, stamp })
  if (bytes === undefined) return
  const directory = dirname(journal.path)
  removeLeftovers(directory)
  const temporary = join(directory, temporaryName())
  try {
    writeNew(temporary, bytes, disk)
    disk.renameSync(temporary, snapshotPathIn(directory))
  } catch (error) {
    discard(temporary, disk)
    throw error
  }
}

function encodeWithinLimit(kept: RunSnapshot, occasion: Occasion): Buffer | undefined {
  try {
    const bytes = encodeSnapshot(kept, occasion)
    return bytes.length > SNAPSHOT_LIMIT_BYTES ? undefined : bytes
  } catch (error) {
    // So `JSON` says that there would be more than the 512 MiB that a text can have.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function readQuietly(path: string, disk: Disk): Buffer | undefined {
  try {
    return readFileBytes({ path, limitBytes: SNAPSHOT_LIMIT_BYTES }, disk)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
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

function discard(temporary: string, disk: Disk): void {
  try {
    disk.unlinkSync(temporary)
  } catch {
    // It was never made, or goes with the next change.
  }
}
