import type { Disk } from '../kit/files/disk.ts'
import { writeFully } from '../kit/files/write-file.ts'
import type { Mutation } from './mutation.ts'
import type { OpenJournal } from './open-journal.ts'
import type { JournalStamp } from './run-snapshot.ts'

/** `lengthBytes` is the length of the journal when it was read. */
export type Append = { readonly lengthBytes: number; readonly record: Buffer; readonly mutation: Mutation }

/**
 * Appends a record and syncs it. The change is committed when this returns, and not before. Returns the stamp that the
 * journal had just before.
 */
export function appendRecord(
  journal: OpenJournal,
  { lengthBytes, record, mutation }: Append,
  disk: Disk,
): JournalStamp {
  const before = checkLength(journal, { lengthBytes, mutation }, disk)
  mutation.step('journal_write', () => {
    try {
      writeFully({ descriptor: journal.descriptor, bytes: record }, disk)
    } catch (error) {
      if (!undoWrite(journal, lengthBytes, disk)) mutation.status = 'ambiguous'
      throw error
    }
  })
  mutation.status = 'ambiguous'
  mutation.step('journal_sync', () => disk.fsyncSync(journal.descriptor))
  mutation.status = 'committed'
  checkLength(journal, { lengthBytes: lengthBytes + record.length, mutation }, disk)
  return before
}

/** Locks are advisory, and unreliable on some network file systems. */
function checkLength(
  journal: OpenJournal,
  { lengthBytes, mutation }: Omit<Append, 'record'>,
  disk: Disk,
): JournalStamp {
  const found = mutation.step('journal_verify', () => disk.fstatSync(journal.descriptor, { bigint: true }))
  if (found.size !== BigInt(lengthBytes))
    throw mutation.failure('journal_verify', 'another process wrote to the journal without locking it')
  return found
}

/** Whether the journal has its old length again, durably. If not, the next reader may or may not find the record. */
function undoWrite({ descriptor }: OpenJournal, lengthBytes: number, disk: Disk): boolean {
  try {
    disk.ftruncateSync(descriptor, lengthBytes)
    disk.fsyncSync(descriptor)
    return true
  } catch {
    return false
  }
}
