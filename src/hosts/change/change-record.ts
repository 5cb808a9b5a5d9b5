/**
 * Change records are stored in the git directory of the worktree. A clone does not copy that directory, so a repository
 * cannot ship a record that makes drover change files.
 */
import { basename, join } from 'node:path'
import { errorCode, Fault } from '../../kit/fault.ts'
import { type Disk, systemReason } from '../../kit/files/disk.ts'
import { readFileBytes } from '../../kit/files/read-file.ts'
import { replaceFile } from '../../kit/files/write-file.ts'
import { readJson } from '../../kit/json/read-json.ts'
import { writeJson } from '../../kit/json/write-json.ts'
import { checker } from '../../kit/schema.ts'
import { validateChangeRecord } from '../checks.generated.js'
import type { TreeDisk } from '../worktree.ts'
import type { ChangeRecord } from './change-record.shape.ts'

export type RecordedStep = ChangeRecord['steps'][number]

/** A record, or the reason why it cannot be read. */
export type FoundRecord = { readonly path: string } & ({ readonly record: ChangeRecord } | { readonly problem: string })

const NAME = /^change-(?<id>[0-9a-f]{32})\.json$/
const LIMIT_BYTES = 1024 * 1024

const check = checker<ChangeRecord>('the record of a change', validateChangeRecord)

export function recordPath(directory: string, id: string): string {
  return join(directory, `change-${id}.json`)
}

export function writeRecord(record: ChangeRecord, { directory, disk }: { directory: string; disk: Disk }): void {
  const bytes = Buffer.from(`${writeJson(record)}\n`)
  replaceFile({ path: recordPath(directory, record.id), bytes, mode: 0o600 }, disk)
}

/** Returns an empty list if no change was ever made. */
export function findRecords({ directory, disk }: { directory: string; disk: TreeDisk }): FoundRecord[] {
  try {
    const names = disk.readdirSync(directory).filter((name) => NAME.test(name))
    return names.sort().map((name) => readRecord(join(directory, name), disk))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    return [{ path: directory, problem: `${directory} cannot be read: ${systemReason(error)}` }]
  }
}

function readRecord(path: string, disk: TreeDisk): FoundRecord {
  try {
    const bytes = readFileBytes({ path, limitBytes: LIMIT_BYTES }, disk)
    const record = check(readJson(bytes, { input: path, limitBytes: LIMIT_BYTES }))
    const isItsOwn = NAME.exec(basename(path))?.groups?.['id'] === record.id
    return isItsOwn ? { path, record } : { path, problem: `${path} does not have the name of its id` }
  } catch (error) {
    if (error instanceof Fault) return { path, problem: error.message }
    throw error
  }
}
