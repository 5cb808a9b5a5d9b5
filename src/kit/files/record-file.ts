/** Files with one JSON value that drover stores for itself, in directories that only its user can read. */
import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from '../fault.ts'
import { readJson } from '../json/read-json.ts'
import { encodeUtf8 } from '../utf8.ts'
import { ensurePrivateDirectory } from './private-directory.ts'
import { readFileBytes } from './read-file.ts'
import { replaceFile } from './write-file.ts'

/** Creates the file and its directory, or replaces the file. */
export function saveRecordFile(path: string, record: object): void {
  ensurePrivateDirectory({ path: dirname(path) })
  replaceFile({ path, bytes: encodeUtf8(`${JSON.stringify(record, null, 2)}\n`), mode: 0o600 })
}

/** Throws a Fault if there is no such file, or if it is not valid. */
export function readRecordFile<T>(path: string, check: (value: unknown) => T, limitBytes: number): T {
  return check(readJson(readFileBytes({ path, limitBytes }), { input: path, limitBytes }))
}

/** The names in a directory; none if it does not exist. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}
