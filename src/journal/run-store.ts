/**
 * The runs of a repository, which all its worktrees share:
 *
 *     <git common dir>/drover/runs/<run id>/journal.jsonl      what happened, see record.ts
 *                                           run.json           what the run is by that, see run-file.ts
 *                                           run.lock           an empty file that processes lock
 *                                           materials/<hex>    texts of sections, under their digests
 *
 * Only their owner may look into any of it, and symbolic links are refused at every level.
 */
import type { BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../kit/fault.ts'
import { type Disk, fileKind, realDisk, systemReason } from '../kit/files/disk.ts'
import { ensurePrivateDirectory } from '../kit/files/private-directory.ts'
import { runstoreUnavailable } from './faults.ts'

const DEFAULT_LOCK_WAIT_MS = 5_000
const RUN_ID = /^[A-Za-z0-9_-]{1,128}$/

export type RunStore = {
  readonly gitCommonDir: string
  readonly disk: Disk
  /** Of drover. Who does not say reads every journal, and keeps nothing that is derived from one. */
  readonly version?: string | undefined
  /** For how long a run that another process works on is waited for. */
  readonly lockWaitMs: number
  /** Ends the waiting, with its reason. */
  readonly signal?: AbortSignal | undefined
}

/** Names a store. It is made when the first run is created; `gitCommonDir` is absolute and has no links in it. */
export function openRunStore(options: Pick<RunStore, 'gitCommonDir'> & Partial<RunStore>): RunStore {
  return { disk: realDisk, lockWaitMs: DEFAULT_LOCK_WAIT_MS, ...options }
}

export function isRunId(text: string): boolean {
  return RUN_ID.test(text)
}

/** What is kept of a run, by the directory that it is in. */
export const journalIn = (directory: string): string => join(directory, 'journal.jsonl')
export const snapshotPathIn = (directory: string): string => join(directory, 'run.json')
export const lockIn = (directory: string): string => join(directory, 'run.lock')
export const materialsIn = (directory: string): string => join(directory, 'materials')

/** Where the journal of a run is, if it is anywhere. */
export function journalPathOf(store: RunStore, runId: string): string {
  return journalIn(join(levels(store)[1], runId))
}

/** The directories from the outer to the one that holds the runs. */
function levels({ gitCommonDir }: RunStore): [outer: string, runs: string] {
  const outer = join(gitCommonDir, 'drover')
  return [outer, join(outer, 'runs')]
}

/** The directory of the runs, or undefined where no run was ever created. */
export function findRuns(store: RunStore): string | undefined {
  const [outer, runs] = levels(store)
  return [outer, runs].every((path) => isDirectory(path, store.disk)) ? runs : undefined
}

/** The same, made where it is missing. */
export function ensureRuns(store: RunStore): string {
  const [outer, runs] = levels(store)
  try {
    for (const path of [outer, runs]) ensurePrivateDirectory({ path }, store.disk)
    return runs
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw runstoreUnavailable({ path: runs, problem: error.message }, error)
  }
}

function isDirectory(path: string, disk: Disk): boolean {
  const found = look(path, disk)
  if (found === undefined) return false
  if (!found.isDirectory()) throw runstoreUnavailable({ path, problem: `it is a ${fileKind(found)}` })
  return true
}

function look(path: string, disk: Disk): BigIntStats | undefined {
  try {
    return disk.lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    throw runstoreUnavailable({ path, problem: systemReason(error) }, error)
  }
}
