import type { RunEvent } from '../engine/state/event.shape.ts'
import type { Run } from '../engine/state/run.ts'
import type { Disk, FileIdentity } from '../kit/files/disk.ts'
import { appendRecord } from './append-record.ts'
import { findRun, isInPlace, type RunPlace } from './find-run.ts'
import { type Loaded, loadRun } from './load-run.ts'
import { lockForChange } from './lock-run.ts'
import {
  type Material,
  type MaterialReader,
  materialsOf,
  readerOf,
  removeMaterials,
  storeMaterials,
  verifyMaterials,
} from './materials.ts'
import { Mutation } from './mutation.ts'
import { closeJournal, type OpenJournal, openJournal } from './open-journal.ts'
import { encodeRecord } from './record.ts'
import { repairTail } from './repair-tail.ts'
import { type Replayed, readBack } from './replay-journal.ts'
import { writeRunSnapshot } from './run-snapshot.ts'
import { lockIn, type RunStore } from './run-store.ts'
import { isSameStamp, type JournalStamp } from './snapshot-format.ts'

/** What came of looking at a run: an event to record, if one happened, with the texts that come and go with it. */
export type Update<T> = {
  readonly event?: RunEvent
  readonly materials?: readonly Material[]
  readonly dropMaterials?: readonly string[]
  readonly result: T
}

/** A file or directory, and which one it was. */
type Found = { readonly path: string; readonly identity: FileIdentity }

/** A run that is locked, open and read. */
type Held = {
  readonly place: RunPlace
  readonly lockFile: Found
  readonly journal: OpenJournal
  readonly replayed: Replayed
  /** Of the journal as it was read, with its tail in order. */
  readonly stamp: JournalStamp
  readonly mutation: Mutation
  readonly store: RunStore
}

/**
 * Changes a run: nobody else reads or changes it while `work` decides, and what it decides is recorded for good before
 * this returns. Whatever `work` throws goes through, and nothing is recorded.
 */
export async function updateRun<T>(
  store: RunStore,
  runId: string,
  work: (run: Run, materials: MaterialReader) => Promise<Update<T>>,
): Promise<T> {
  const { disk } = store
  const place = findRun(store, runId)
  const mutation = new Mutation(runId)
  const lock = await lockForChange(store, place, mutation)
  try {
    const lockFile = mutation.step('lock_open', () => find(lockIn(place.path), disk))
    checkPlace([place], mutation, disk)
    const journal = mutation.step('journal_open', () => openJournal(place, 'write', disk))
    try {
      const replayed = mutation.step('replay', () => loadRun(journal, store))
      mutation.step('replay', () => repairTail(journal, replayed.tail, disk))
      const stamp = mutation.step('replay', () => stampOf(journal, replayed, disk))
      const { event, result, ...texts } = await work(replayed.run, readerOf(place.path, disk))
      const held = { place, lockFile, journal, replayed, stamp, mutation, store }
      if (event === undefined) confirm(held)
      else commit(held, event, texts)
      return result
    } finally {
      closeJournal(journal, disk)
    }
  } finally {
    lock.release()
  }
}

/** Nothing new: but what a repeated request is told to be recorded must be so for good, and its writer may have died. */
function confirm({ journal, mutation, store }: Held): void {
  mutation.standing = 'ambiguous'
  mutation.step('journal_sync', () => store.disk.fsyncSync(journal.descriptor))
}

type Texts = Pick<Update<unknown>, 'materials' | 'dropMaterials'>

function commit(held: Held, event: RunEvent, { materials = [], dropMaterials = [] }: Texts): void {
  const { place, lockFile, journal, replayed, stamp, mutation, store } = held
  const { runId, path } = place
  const { disk } = store
  const record = encodeRecord(event, replayed.end)
  const { run, end } = mutation.step('validation', () => readBack({ runId, record, before: replayed }))
  const [known, needed] = [materialsOf(replayed.run), materialsOf(run)]
  const added = [...needed].filter((digest) => !known.has(digest))
  const verify = () => verifyMaterials(path, added, disk)
  mutation.step('material_write', () => storeMaterials(path, materials, disk))
  mutation.step('material_verify', verify)
  // Who found another lock file, or none, was not kept out.
  checkPlace([place, lockFile, journal], mutation, disk)
  const before = appendRecord(journal, { lengthBytes: Number(stamp.size), record, mutation }, disk)
  checkPlace([place, journal], mutation, disk)
  mutation.step('material_verify', verify)
  const unneeded = dropMaterials.filter((digest) => !needed.has(digest))
  removeMaterials(path, unneeded, disk)
  // Where somebody was at the journal since it was read, the next to come reads it and sees what was done.
  if (isSameStamp(stamp, before))
    mutation.step('projection_write', () => writeRunSnapshot(journal, { run, end }, store))
}

/** Taken before the journal was read, but for one whose tail was repaired since. */
function stampOf({ descriptor }: OpenJournal, { tail, stamp }: Loaded, disk: Disk): JournalStamp {
  return tail.is === 'ended' ? stamp : disk.fstatSync(descriptor, { bigint: true })
}

function find(path: string, disk: Disk): Found {
  return { path, identity: disk.lstatSync(path, { bigint: true }) }
}

/** What was moved or replaced can still be written to, and nobody would find what is in it. */
function checkPlace(things: readonly Found[], mutation: Mutation, disk: Disk): void {
  for (const { path, identity } of things) {
    const isThere = mutation.step('namespace_verify', () => isInPlace(path, identity, disk))
    if (!isThere) throw mutation.detached(`${path} was moved, removed or replaced`)
  }
}
