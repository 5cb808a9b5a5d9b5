import type { Run } from '../engine/state/run.ts'
import type { RunEvent } from '../engine/state/run-event.shape.ts'
import type { Disk, FileIdentity } from '../kit/files/disk.ts'
import { appendRecord } from './append-record.ts'
import {
  type Material,
  type MaterialReader,
  materialDigests,
  materialReader,
  removeMaterials,
  storeMaterials,
  verifyMaterials,
} from './materials.ts'
import { Mutation } from './mutation.ts'
import { closeJournal, type OpenJournal, openJournal } from './open-journal.ts'
import { repairTail } from './read-records.ts'
import { type LoadedRun, loadRun } from './read-run.ts'
import { encodeRecord } from './record.ts'
import { type Replayed, readBack } from './replay-journal.ts'
import { isSameStamp, type JournalStamp, writeRunSnapshot } from './run-snapshot.ts'
import { findRun, isInPlace, lockForChange, lockPathIn, type RunDirectory, type RunStore } from './run-store.ts'

/** The result of `work`: an event to record, if any, and the section texts to store or remove with it. */
export type Update<T> = {
  readonly event?: RunEvent
  readonly materials?: readonly Material[]
  readonly dropMaterials?: readonly string[]
  readonly result: T
}

/** A file or directory, and its identity. */
type FoundPath = { readonly path: string; readonly identity: FileIdentity }

/** A locked run with its open journal. */
type LockedRun = {
  readonly directory: RunDirectory
  readonly lockFile: FoundPath
  readonly journal: OpenJournal
  readonly replayed: Replayed
  /** The stamp of the journal after its tail was repaired. */
  readonly stamp: JournalStamp
  readonly mutation: Mutation
  readonly store: RunStore
}

/**
 * Changes a run. No other process reads or changes it during `work`, and the event is durable before this returns. If
 * `work` throws, nothing is recorded.
 */
export async function updateRun<T>(
  store: RunStore,
  runId: string,
  work: (run: Run, materials: MaterialReader) => Promise<Update<T>>,
): Promise<T> {
  const { disk } = store
  const directory = findRun(store, runId)
  const mutation = new Mutation(runId)
  const lock = await lockForChange(store, directory, mutation)
  try {
    const lockFile = mutation.step('lock_open', () => identify(lockPathIn(directory.path), disk))
    checkInPlace([directory], mutation, disk)
    const journal = mutation.step('journal_open', () => openJournal(directory, 'write', disk))
    try {
      const replayed = mutation.step('replay', () => loadRun(journal, store))
      mutation.step('replay', () => repairTail(journal, replayed.tail, disk))
      const stamp = mutation.step('replay', () => readStamp(journal, replayed, disk))
      const { event, result, ...texts } = await work(replayed.run, materialReader(directory.path, disk))
      const locked = { directory, lockFile, journal, replayed, stamp, mutation, store }
      if (event === undefined) confirmDurable(locked)
      else commit(locked, event, texts)
      return result
    } finally {
      closeJournal(journal, disk)
    }
  } finally {
    lock.release()
  }
}

/** A repeated request reports an earlier record, whose writer may have died before its sync. So this syncs again. */
function confirmDurable({ journal, mutation, store }: LockedRun): void {
  mutation.status = 'ambiguous'
  mutation.step('journal_sync', () => store.disk.fsyncSync(journal.descriptor))
}

type Texts = Pick<Update<unknown>, 'materials' | 'dropMaterials'>

function commit(locked: LockedRun, event: RunEvent, { materials = [], dropMaterials = [] }: Texts): void {
  const { directory, lockFile, journal, replayed, stamp, mutation, store } = locked
  const { runId, path } = directory
  const { disk } = store
  const record = encodeRecord(event, replayed.end)
  const { run, end } = mutation.step('validation', () => readBack({ runId, record, before: replayed }))
  const [known, needed] = [materialDigests(replayed.run), materialDigests(run)]
  const added = [...needed].filter((digest) => !known.has(digest))
  const verify = () => verifyMaterials(path, added, disk)
  mutation.step('material_write', () => storeMaterials(path, materials, disk))
  mutation.step('material_verify', verify)
  // A process that found another lock file, or none, was not locked out.
  checkInPlace([directory, lockFile, journal], mutation, disk)
  const before = appendRecord(journal, { lengthBytes: Number(stamp.size), record, mutation }, disk)
  checkInPlace([directory, journal], mutation, disk)
  mutation.step('material_verify', verify)
  const unneeded = dropMaterials.filter((digest) => !needed.has(digest))
  removeMaterials(path, unneeded, disk)
  // If the journal changed since it was read, no snapshot is written and the next process reads the journal.
  if (isSameStamp(stamp, before))
    mutation.step('projection_write', () => writeRunSnapshot(journal, { run, end }, store))
}

/** The stamp from before the journal was read, or a new one if its tail was repaired. */
function readStamp({ descriptor }: OpenJournal, { tail, stamp }: LoadedRun, disk: Disk): JournalStamp {
  return tail.is === 'complete' ? stamp : disk.fstatSync(descriptor, { bigint: true })
}

function identify(path: string, disk: Disk): FoundPath {
  return { path, identity: disk.lstatSync(path, { bigint: true }) }
}

/** A moved or replaced file can still be written to, but no reader would find the record. */
function checkInPlace(paths: readonly FoundPath[], mutation: Mutation, disk: Disk): void {
  for (const { path, identity } of paths) {
    const isThere = mutation.step('namespace_verify', () => isInPlace(path, identity, disk))
    if (!isThere) throw mutation.detached(`${path} was moved, removed or replaced`)
  }
}
