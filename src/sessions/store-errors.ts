/** What SQLite's result codes (https://sqlite.org/rescode.html) mean for the file of the sessions. Pure. */
import { sqliteErrorCode } from '../kit/fault.ts'
import { sessionStoreInvalid, sessionStoreUnavailable } from './faults.ts'

const BUSY = [5, 6]
const DAMAGED: Record<number, string> = {
  11: 'it is damaged',
  26: 'it is not a database',
}
const UNAVAILABLE: Record<number, string> = {
  3: 'it may not be used; check its permissions',
  7: 'the memory is full',
  8: 'it may not be written; check its permissions, and whether its disk is read-only',
  10: 'its disk fails, or is full',
  13: 'the disk is full',
  14: 'it cannot be opened; check the permissions of its directory, and whether its disk is read-only',
}

/** Whether another process, or another part of this one, is in the way; trying again helps. */
export function isBusy(error: unknown): boolean {
  return BUSY.includes(sqliteErrorCode(error) ?? 0)
}

/** The fault for what SQLite threw. Anything else, a Fault or a bug, is given back as it is. */
export function toStoreFault(path: string, error: unknown): unknown {
  const code = sqliteErrorCode(error)
  if (code === undefined) return error
  const problem = DAMAGED[code]
  if (problem !== undefined) return sessionStoreInvalid({ path, problem }, error)
  const reason = UNAVAILABLE[code]
  return reason === undefined ? error : sessionStoreUnavailable({ path, reason }, error)
}
