import type { Disk } from '../kit/files/disk.ts'
import { replaceFile, writeFully } from '../kit/files/write-file.ts'
import type { OpenJournal } from './open-journal.ts'
import type { Tail } from './read-records.ts'

const LINE_FEED = Buffer.from('\n')

/**
 * Repairs the last line of a journal. Requires the exclusive lock. A torn line is cut off, after a copy was written to
 * `journal.jsonl.broken` (unless it is longer than any record). Nothing else ever shortens a journal that was read.
 */
export function repairTail({ path, descriptor }: OpenJournal, tail: Tail, disk: Disk): void {
  if (tail.is === 'complete') return
  if (tail.is === 'torn') {
    if (tail.bytes.length > 0) replaceFile({ path: `${path}.broken`, bytes: tail.bytes, mode: 0o600 }, disk)
    disk.ftruncateSync(descriptor, tail.start)
  } else {
    writeFully({ descriptor, bytes: LINE_FEED }, disk)
  }
  disk.fsyncSync(descriptor)
}
