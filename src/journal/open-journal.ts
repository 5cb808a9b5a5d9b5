import { constants } from 'node:fs'
import { closeQuietly, type Disk, type FileIdentity, fileKind, isOpenToOthers, isSameFile } from '../kit/files/disk.ts'
import { runJournalInvalid, runUnavailable } from './faults.ts'
import { journalPathIn, type RunDirectory } from './run-store.ts'

/** An open journal. */
export type OpenJournal = {
  readonly runId: string
  readonly path: string
  readonly descriptor: number
  readonly identity: FileIdentity
}

// Non-blocking, because opening a named pipe would block forever.
const GUARDS = constants.O_NOFOLLOW | constants.O_NONBLOCK
const FLAGS = { read: constants.O_RDONLY | GUARDS, write: constants.O_RDWR | constants.O_APPEND | GUARDS }

/** Opens the journal of a run for reading and closes it afterwards. */
export function withJournal<T>(directory: RunDirectory, disk: Disk, work: (journal: OpenJournal) => T): T {
  const journal = openJournal(directory, 'read', disk)
  try {
    return work(journal)
  } finally {
    closeJournal(journal, disk)
  }
}

/** Opens the journal of a run. Opening for writing also makes the file private. Close it with `closeJournal`. */
export function openJournal(directory: RunDirectory, access: 'read' | 'write', disk: Disk): OpenJournal {
  return openRecords({ runId: directory.runId, path: journalPathIn(directory.path) }, access, disk)
}

/** The same for any file of records of a run. */
export function openRecords(
  { runId, path }: Pick<OpenJournal, 'runId' | 'path'>,
  access: 'read' | 'write',
  disk: Disk,
): OpenJournal {
  const invalid = (problem: string) => runJournalInvalid({ run_id: runId, path, problem })
  const found = disk.lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (found === undefined) throw invalid('it does not exist')
  if (!found.isFile()) throw invalid(`it is a ${fileKind(found)}`)
  const descriptor = disk.openSync(path, FLAGS[access])
  const journal = { runId, path, descriptor, identity: found }
  try {
    const opened = disk.fstatSync(descriptor, { bigint: true })
    if (!isSameFile(found, opened)) {
      throw runUnavailable({ run_id: runId, problem: `${path} was replaced while drover opened it; try again` })
    }
    if (access === 'write' && isOpenToOthers(opened)) disk.fchmodSync(descriptor, 0o600)
    return journal
  } catch (error) {
    closeJournal(journal, disk)
    throw error
  }
}

export function closeJournal({ descriptor }: OpenJournal, disk: Disk): void {
  closeQuietly(descriptor, disk)
}
