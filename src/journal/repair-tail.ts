import type { Disk } from '../kit/files/disk.ts'
import { replaceFile, writeFully } from '../kit/files/write-file.ts'
import type { OpenJournal } from './open-journal.ts'
import type { Tail } from './replay-journal.ts'

const LINE_FEED = Buffer.from('\n')

/**
 * Makes a journal end with a whole line, under the exclusive lock. This alone shortens a journal that was read, and only
 * by what no reader takes for a record; a copy of that is kept beside it, unless it is longer than any record.
 */
export function repairTail({ path, descriptor }: OpenJournal, tail: Tail, disk: Disk): void {
  if (tail.is === 'ended') return
  if (tail.is === 'torn') {
    if (tail.bytes.length > 0) replaceFile({ path: `${path}.broken`, bytes: tail.bytes, mode: 0o600 }, disk)
    disk.ftruncateSync(descriptor, tail.start)
  } else {
    writeFully({ descriptor, bytes: LINE_FEED }, disk)
  }
  disk.fsyncSync(descriptor)
}
