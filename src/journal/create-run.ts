import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RunEvent } from '../engine/state/event.shape.ts'
import type { Run } from '../engine/state/run.ts'
import { closeQuietly, type Disk } from '../kit/files/disk.ts'
import { openDirectory, syncDirectory } from '../kit/files/durability.ts'
import { ensureLockFile } from '../kit/files/lock-file.ts'
import { removeLeftovers, temporaryName } from '../kit/files/temporary-file.ts'
import { createFile } from '../kit/files/write-file.ts'
import { isInPlace } from './find-run.ts'
import { type Material, materialsOf, storeMaterials, verifyMaterials } from './materials.ts'
import { Mutation } from './mutation.ts'
import { encodeRecord, NO_RECORDS } from './record.ts'
import { readBack } from './replay-journal.ts'
import { ensureRuns, isRunId, journalIn, lockIn, type RunStore } from './run-store.ts'

/** The event that begins a run, and the texts of the source that it is held to. */
export type NewRun = { readonly runId: string; readonly event: RunEvent; readonly materials?: readonly Material[] }

type Content = { readonly run: Run; readonly record: Buffer; readonly materials: readonly Material[] }

/**
 * Records the beginning of a run. Its directory is made whole under a temporary name and then renamed: at every moment,
 * also after a crash, there is the whole run or none. No lock is needed for what nobody can see yet.
 */
export function createRun(store: RunStore, { runId, event, materials = [] }: NewRun): void {
  const { disk } = store
  const mutation = new Mutation(runId)
  if (!isRunId(runId)) throw mutation.failure('validation', 'this cannot be the id of a run')
  const record = encodeRecord(event, NO_RECORDS)
  const { run } = mutation.step('validation', () => readBack({ runId, record }))
  const runs = ensureRuns(store)
  removeLeftovers(runs)
  const built = join(runs, temporaryName())
  const path = join(runs, runId)
  try {
    build(built, { run, record, materials }, { mutation, disk })
    publish({ built, path }, { mutation, disk })
  } catch (error) {
    if (mutation.standing === 'not_committed') discard(built)
    throw error
  }
  mutation.step('material_verify', () => verifyMaterials(path, materialsOf(run), disk))
}

type Means = { readonly mutation: Mutation; readonly disk: Disk }

function build(directory: string, { run, record, materials }: Content, { mutation, disk }: Means): void {
  mutation.step('directory_create', () => disk.mkdirSync(directory, { mode: 0o700 }))
  mutation.step('material_write', () => storeMaterials(directory, materials, disk))
  mutation.step('material_verify', () => verifyMaterials(directory, materialsOf(run), disk))
  mutation.step('lock_open', () => ensureLockFile(lockIn(directory), disk))
  mutation.step('journal_write', () => createFile({ path: journalIn(directory), bytes: record, mode: 0o600 }, disk))
}

/** Gives a directory that is whole its name, for good. */
function publish({ built, path }: { built: string; path: string }, { mutation, disk }: Means): void {
  // Renaming would take the place of an empty directory without a word.
  const found = mutation.step('directory_create', () => disk.lstatSync(path, { throwIfNoEntry: false }))
  if (found !== undefined) throw mutation.failure('directory_create', `${path} is there already`)
  const identity = mutation.step('directory_create', () => disk.lstatSync(built, { bigint: true }))
  const runs = mutation.step('directory_sync', () => openDirectory({ path: dirname(path), links: 'refuse' }, disk))
  try {
    mutation.standing = 'ambiguous'
    mutation.step('directory_create', () => {
      try {
        disk.renameSync(built, path)
      } catch (error) {
        // A network file system may do what it is asked and yet report an error.
        if (!isInPlace(path, identity, disk)) mutation.standing = 'not_committed'
        throw error
      }
    })
    mutation.step('directory_sync', () => syncDirectory(runs, disk))
    mutation.standing = 'committed'
  } finally {
    closeQuietly(runs, disk)
  }
  const isThere = mutation.step('namespace_verify', () => isInPlace(path, identity, disk))
  if (!isThere) throw mutation.detached(`${path} was moved or removed`)
}

/** What stays goes when the next run is created. */
function discard(built: string): void {
  try {
    rmSync(built, { recursive: true, force: true })
  } catch {
    // Its removal must not hide why the run was not created.
  }
}
