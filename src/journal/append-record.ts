import type { Disk } from '../kit/files/disk.ts'
import { writeFully } from '../kit/files/write-file.ts'
import type { Mutation } from './mutation.ts'
import type { OpenJournal } from './open-journal.ts'
import type { JournalStamp } from './snapshot-format.ts'

/** Where the journal ended when it was read, and what is to stand there. */
export type Append = { readonly lengthBytes: number; readonly record: Buffer; readonly mutation: Mutation }

/**
 * Appends a record and makes it durable. When this returns the change is committed, and not a moment earlier. Gives what the
 * system said of the journal just before.
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
      if (!takeBack(journal, lengthBytes, disk)) mutation.standing = 'ambiguous'
      throw error
    }
  })
  mutation.standing = 'ambiguous'
  mutation.step('journal_sync', () => disk.fsyncSync(journal.descriptor))
  mutation.standing = 'committed'
  checkLength(journal, { lengthBytes: lengthBytes + record.length, mutation }, disk)
  return before
}

/** Locks are advisory, and on some network file systems worth little. */
function checkLength(
  journal: OpenJournal,
  { lengthBytes, mutation }: Omit<Append, 'record'>,
  disk: Disk,
): JournalStamp {
  const found = mutation.step('journal_verify', () => disk.fstatSync(journal.descriptor, { bigint: true }))
  if (found.size !== BigInt(lengthBytes))
    throw mutation.failure('journal_verify', 'somebody wrote to the journal who did not lock it')
  return found
}

/** Whether the journal is for good as long as it was. Where it is not, what the next reader finds is anybody's guess. */
function takeBack({ descriptor }: OpenJournal, lengthBytes: number, disk: Disk): boolean {
  try {
    disk.ftruncateSync(descriptor, lengthBytes)
    disk.fsyncSync(descriptor)
    return true
  } catch {
    return false
  }
}
