/** The files of a run, so that another machine can have the same run. */

import { join } from 'node:path'
import { syncDirectoryAt } from '../kit/files/disk.ts'
import { ensureLockFile } from '../kit/files/lock.ts'
import { ensurePrivateDirectory } from '../kit/files/private-directory.ts'
import { readFileBytes } from '../kit/files/read-file.ts'
import { namesIn } from '../kit/files/record-file.ts'
import { removeLeftovers, temporaryName } from '../kit/files/temporary-file.ts'
import { createFile } from '../kit/files/write-file.ts'
import { runUnavailable } from './faults.ts'
import { ensureRunsDirectory, findRun, isRunId, lockPathIn, materialsPathIn, type RunStore } from './run-store.ts'

const RECORDS = ['journal.jsonl', 'drive.jsonl'] as const
const NAME = /^(?:journal\.jsonl|drive\.jsonl|materials\/[0-9a-f]{64})$/
const FILE_LIMIT_BYTES = 64 * 1024 * 1024

export type RunFile = { readonly name: string; readonly bytes: Buffer }

/** What the run cannot be without: its records and its section texts. The rest is made again. */
export function readRunFiles(store: RunStore, runId: string): RunFile[] {
  const { path } = findRun(store, runId)
  const names = [...RECORDS, ...materialsIn(path).map((name) => `materials/${name}`)]
  return names.map((name) => ({
    name,
    bytes: readFileBytes({ path: join(path, name), limitBytes: FILE_LIMIT_BYTES }, store.disk),
  }))
}

function materialsIn(path: string): string[] {
  return namesIn(materialsPathIn(path)).sort()
}

/** Even after a crash there is the whole run or none. Throws `run_unavailable` if there is such a run already. */
export function createRunFromFiles(store: RunStore, runId: string, files: readonly RunFile[]): void {
  const { disk } = store
  const refuse = (problem: string) => runUnavailable({ run_id: runId, problem })
  const strange = files.find(({ name }) => !NAME.test(name))
  if (!isRunId(runId) || strange !== undefined) throw refuse('its copy is not that of a run')
  const runs = ensureRunsDirectory(store)
  removeLeftovers(runs)
  const path = join(runs, runId)
  if (disk.lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw refuse(`${path} already exists`)
  const built = join(runs, temporaryName())
  disk.mkdirSync(built, { mode: 0o700 })
  if (files.some(({ name }) => name.startsWith('materials/'))) ensurePrivateDirectory({ path: materialsPathIn(built) })
  ensureLockFile(lockPathIn(built), disk)
  for (const { name, bytes } of files) createFile({ path: join(built, name), bytes, mode: 0o600 }, disk)
  disk.renameSync(built, path)
  syncDirectoryAt(runs, disk)
}
