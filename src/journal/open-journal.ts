import { constants } from 'node:fs'
import { closeQuietly, type Disk, type FileIdentity, fileKind, isSameFile } from '../kit/files/disk.ts'
import { runJournalInvalid, runUnavailable } from './faults.ts'
import type { RunPlace } from './find-run.ts'
import { journalIn } from './run-store.ts'

/** The journal of a run while it is open: read from its beginning, written at its end. */
export type OpenJournal = {
  readonly runId: string
  readonly path: string
  readonly descriptor: number
  readonly identity: FileIdentity
}

// Windows has neither. Non-blocking, because a named pipe put there meanwhile would hold us for ever.
const GUARDS = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const FLAGS = { read: constants.O_RDONLY | GUARDS, write: constants.O_RDWR | constants.O_APPEND | GUARDS }

/** Reads the journal of a run in some way. */
export function readingJournal<T>(place: RunPlace, disk: Disk, work: (journal: OpenJournal) => T): T {
  const journal = openJournal(place, 'read', disk)
  try {
    return work(journal)
  } finally {
    closeJournal(journal, disk)
  }
}

/** Opens the journal of a run; for writing it is also made private. Close it by `closeJournal`. */
export function openJournal(place: RunPlace, access: 'read' | 'write', disk: Disk): OpenJournal {
  const { runId } = place
  const path = journalIn(place.path)
  const invalid = (problem: string) => runJournalInvalid({ run_id: runId, path, problem })
  const found = disk.lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (found === undefined) throw invalid('it is not there')
  if (!found.isFile()) throw invalid(`it is a ${fileKind(found)}`)
  const descriptor = disk.openSync(path, FLAGS[access])
  const journal = { runId, path, descriptor, identity: found }
  try {
    const opened = disk.fstatSync(descriptor, { bigint: true })
    if (!isSameFile(found, opened)) {
      throw runUnavailable({ run_id: runId, problem: `${path} was replaced while it was opened; try again` })
    }
    if (access === 'write' && isOpenToOthers(opened.mode)) disk.fchmodSync(descriptor, 0o600)
    return journal
  } catch (error) {
    closeJournal(journal, disk)
    throw error
  }
}

export function closeJournal({ descriptor }: OpenJournal, disk: Disk): void {
  closeQuietly(descriptor, disk)
}

/** Windows has no modes of this kind. */
function isOpenToOthers(mode: bigint): boolean {
  return process.platform !== 'win32' && (mode & 0o077n) !== 0n
}
