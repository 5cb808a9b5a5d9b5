/** Turns SQLite's result codes (https://sqlite.org/rescode.html) into faults of the session store. Pure. */
import { sqliteErrorCode } from '../kit/fault.ts'
import { sessionStoreInvalid, sessionStoreUnavailable } from './faults.ts'

const BUSY = [5, 6]
const DAMAGED: Record<number, string> = {
  11: 'it is damaged',
  26: 'it is not a database',
}
const UNAVAILABLE: Record<number, string> = {
  3: 'access is denied; check its permissions',
  7: 'out of memory',
  8: 'it is read-only; check its permissions, and whether its disk is read-only',
  10: 'its disk failed, or is full',
  13: 'the disk is full',
  14: 'it cannot be opened; check the permissions of its directory, and whether its disk is read-only',
}

/** Whether another process, or another part of this one, has the file locked, so that a retry may help. */
export function isBusy(error: unknown): boolean {
  return BUSY.includes(sqliteErrorCode(error) ?? 0)
}

/** The fault for an SQLite error. Returns any other error unchanged. */
export function toStoreFault(path: string, error: unknown): unknown {
  const code = sqliteErrorCode(error)
  if (code === undefined) return error
  const problem = DAMAGED[code]
  if (problem !== undefined) return sessionStoreInvalid({ path, problem }, error)
  const reason = UNAVAILABLE[code]
  return reason === undefined ? error : sessionStoreUnavailable({ path, reason }, error)
}
