/** The list of all driven runs of a user: one file for each, `driven-runs/<run id>.json`. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { isRunId } from '../../journal/run-store.ts'
import { Fault } from '../../kit/fault.ts'
import { fileChanged } from '../../kit/faults.ts'
import { fileMark } from '../../kit/files/read-file.ts'
import { namesIn, readRecordFile, saveRecordFile } from '../../kit/files/record-file.ts'
import { checker } from '../../kit/schema.ts'
import { compareBytes } from '../../kit/utf8.ts'
import { validateDrivenRecord } from './checks.generated.js'
import type { DrivenRecord } from './driven-record.shape.ts'

const RECORD_LIMIT_BYTES = 64 * 1024
const READ_ATTEMPTS = 5

const checkRecord = checker<DrivenRecord>('drivenRecord', validateDrivenRecord)

/** `directory` is that of all records. */
export function saveDriven(directory: string, record: DrivenRecord): DrivenRecord {
  saveRecordFile(recordPath(directory, record.run_id), record)
  return record
}

/** Undefined if the run was never driven, or its file is not valid. */
export function findDriven(directory: string, runId: string): DrivenRecord | undefined {
  if (!isRunId(runId)) return undefined
  for (let attempt = 1; ; attempt += 1) {
    try {
      const record = readRecordFile(recordPath(directory, runId), checkRecord, RECORD_LIMIT_BYTES)
      return record.run_id === runId ? record : undefined
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      // Another process may just have replaced it.
      if (error.code !== fileChanged.code || attempt === READ_ATTEMPTS) return undefined
    }
  }
}

/** The run is no longer listed here. */
export function removeDriven(directory: string, runId: string): void {
  if (isRunId(runId)) rmSync(recordPath(directory, runId), { force: true })
}

/** The ids of all driven runs. */
export function listDrivenIds(directory: string): string[] {
  const names = namesIn(directory).filter((name) => name.endsWith('.json'))
  return names.map((name) => name.slice(0, -'.json'.length)).filter(isRunId)
}

/** What was read before, by id. */
export type KnownRecords = Map<string, { readonly mark: string; readonly record: DrivenRecord | undefined }>

/** All records, newest first. Those in `known` whose files have not changed are not read again. */
export function listDriven(directory: string, known: KnownRecords = new Map()): DrivenRecord[] {
  return listDrivenIds(directory)
    .map((id) => findUnlessKnown(directory, id, known))
    .filter((record) => record !== undefined)
    .sort((one, other) => compareBytes(other.created_at, one.created_at) || compareBytes(other.run_id, one.run_id))
}

function findUnlessKnown(directory: string, id: string, known: KnownRecords): DrivenRecord | undefined {
  const mark = fileMark(recordPath(directory, id))
  const before = known.get(id)
  if (before?.mark === mark) return before.record
  const record = findDriven(directory, id)
  known.set(id, { mark, record })
  return record
}

/** Gives records that are older than the ids of keys the id of their key, or an empty one. `ids` has keys by their names. */
export function settleKeysOfDriven(directory: string, ids: ReadonlyMap<string, string>): void {
  for (const record of listDriven(directory)) {
    const { api_key: name, key_id: id } = record
    if (name !== undefined && id === undefined) saveDriven(directory, { ...record, key_id: ids.get(name) ?? '' })
  }
}

function recordPath(directory: string, runId: string): string {
  return join(directory, `${runId}.json`)
}
