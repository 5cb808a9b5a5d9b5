import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Run } from '../engine/state/run.ts'
import type { RunEvent } from '../engine/state/run-event.shape.ts'
import { orUndefined } from '../kit/fault.ts'
import { closeQuietly, type Disk, openDirectory, syncDirectory } from '../kit/files/disk.ts'
import { ensureLockFile } from '../kit/files/lock.ts'
import { removeLeftovers, temporaryName } from '../kit/files/temporary-file.ts'
import { createFile } from '../kit/files/write-file.ts'
import { NO_RECORDS } from './hash-chain.ts'
import { type Material, materialDigests, storeMaterials, verifyMaterials } from './materials.ts'
import { Mutation } from './mutation.ts'
import { encodeRecord } from './record.ts'
import { readBack } from './replay-journal.ts'
import {
  drivePathIn,
  ensureRunsDirectory,
  isInPlace,
  isRunId,
  journalPathIn,
  lockPathIn,
  type RunStore,
} from './run-store.ts'

/** The first event of a run, the section texts of its source, and the first record of `drive.jsonl` if it is driven. */
export type NewRun = {
  readonly runId: string
  readonly event: RunEvent
  readonly materials?: readonly Material[]
  readonly driveRecord?: Buffer | undefined
}

type Content = Pick<NewRun, 'driveRecord'> & {
  readonly run: Run
  readonly record: Buffer
  readonly materials: readonly Material[]
}

/**
 * Creates a run. Its directory is built under a temporary name and then renamed, so even after a crash there is the whole
 * run or none. No lock is needed while no other process can see it.
 */
export function createRun(store: RunStore, { runId, event, materials = [], driveRecord }: NewRun): void {
  const { disk } = store
  const mutation = new Mutation(runId)
  if (!isRunId(runId)) throw mutation.failure('validation', 'this is not a valid run id')
  const record = encodeRecord(event, NO_RECORDS)
  const { run } = mutation.step('validation', () => readBack({ runId, record }))
  const runs = ensureRunsDirectory(store)
  removeLeftovers(runs)
  const built = join(runs, temporaryName())
  const path = join(runs, runId)
  try {
    build(built, { run, record, materials, driveRecord }, { mutation, disk })
    publish({ built, path }, { mutation, disk })
  } catch (error) {
    if (mutation.status === 'not_committed') discard(built)
    throw error
  }
  mutation.step('material_verify', () => verifyMaterials(path, materialDigests(run), disk))
}

type WriteTools = { readonly mutation: Mutation; readonly disk: Disk }

function build(directory: string, content: Content, { mutation, disk }: WriteTools): void {
  const { run, record, materials, driveRecord } = content
  const create = (path: string, bytes: Buffer) => createFile({ path, bytes, mode: 0o600 }, disk)
  mutation.step('directory_create', () => disk.mkdirSync(directory, { mode: 0o700 }))
  mutation.step('material_write', () => storeMaterials(directory, materials, disk))
  mutation.step('material_verify', () => verifyMaterials(directory, materialDigests(run), disk))
  mutation.step('lock_open', () => ensureLockFile(lockPathIn(directory), disk))
  mutation.step('journal_write', () => {
    if (driveRecord !== undefined) create(drivePathIn(directory), driveRecord)
    create(journalPathIn(directory), record)
  })
}

/** Renames the finished directory and makes the name durable. */
function publish({ built, path }: { built: string; path: string }, { mutation, disk }: WriteTools): void {
  // A rename would silently replace an empty directory.
  const found = mutation.step('directory_create', () => disk.lstatSync(path, { throwIfNoEntry: false }))
  if (found !== undefined) throw mutation.failure('directory_create', `${path} already exists`)
  const identity = mutation.step('directory_create', () => disk.lstatSync(built, { bigint: true }))
  const runs = mutation.step('directory_sync', () => openDirectory({ path: dirname(path), links: 'refuse' }, disk))
  try {
    mutation.status = 'ambiguous'
    mutation.step('directory_create', () => {
      try {
        disk.renameSync(built, path)
      } catch (error) {
        // A network file system may rename and still report an error.
        if (!isInPlace(path, identity, disk)) mutation.status = 'not_committed'
        throw error
      }
    })
    mutation.step('directory_sync', () => syncDirectory(runs, disk))
    mutation.status = 'committed'
  } finally {
    closeQuietly(runs, disk)
  }
  const isThere = mutation.step('namespace_verify', () => isInPlace(path, identity, disk))
  if (!isThere) throw mutation.detached(`${path} was moved or removed`)
}

/** If this fails, the next creation of a run removes the directory. */
function discard(built: string): void {
  // The caller reports why the run was not created.
  orUndefined(() => rmSync(built, { recursive: true, force: true }))
}
