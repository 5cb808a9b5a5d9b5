/** Turns errors of PostgreSQL and of the connection to it into faults of the store. Pure. */
import { errorCode, Fault } from '../kit/fault.ts'
import { postgresUnavailable } from './faults.ts'

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: classes of errors in our own SQL or values. */
const BUGS = /^(?:0A|21|22|23|34|42)/
const MISSING_PERMISSION = '42501'
/** Serialization failure and deadlock: the transaction is rolled back, and works when it is run again. */
const CONFLICTS = ['40001', '40P01']

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at this address; check that PostgreSQL runs',
  ENOTFOUND: 'its host is unknown; check store.url',
  '28000': 'PostgreSQL refuses this user, or wants TLS; check store.url and pg_hba.conf',
  '28P01': 'PostgreSQL refuses the password; check store.url',
  '3D000': 'this database does not exist; create it with createdb',
  '25006': 'it is read-only; name the primary server in store.url',
  '53100': 'the disk of PostgreSQL is full',
  '57014': 'a statement took longer than store.statement_timeout_secs; look at the load of PostgreSQL',
  '53300': 'PostgreSQL has too many connections',
  [MISSING_PERMISSION]: 'the user of store.url lacks a permission; "drover doctor" says which',
}

/** What the driver says if the server wants a password and there is none. It has no code. */
const NO_PASSWORD = /client password must be a string/
const NEEDS_PASSWORD = 'PostgreSQL wants a password; set PGPASSWORD, or write it to ~/.pgpass'

/** What the driver says if nothing comes back. None of them has a code. */
const SILENT = /^(?:Query read timeout|timeout expired|Connection terminated due to connection timeout)$/
const NO_ANSWER = 'it gives no answer; check that PostgreSQL and the network work'
const BUSY = /^timeout exceeded when trying to connect$/
const NONE_FREE = 'no connection became free in time; check that PostgreSQL and the network work'

/** PostgreSQL does not run: nothing listens, or it starts or stops right now. */
const DOWN = ['ECONNREFUSED', 'ENOENT', '57P01', '57P03']

/** Whether PostgreSQL itself has reported the error, so that the connection works. */
export function isAnswer(error: unknown): boolean {
  return error instanceof Error && 'severity' in error
}

/** Whether an operation failed because PostgreSQL does not run, as far as one can tell from here. */
export function isDown(error: unknown): boolean {
  return error instanceof Fault && DOWN.includes(errorCode(error.cause) ?? '')
}

/** Whether PostgreSQL refused an operation because the role may not do it. */
export function lacksPermission(error: unknown): boolean {
  return error instanceof Fault && errorCode(error.cause) === MISSING_PERMISSION
}

export function isConflict(error: unknown): boolean {
  return CONFLICTS.includes(errorCode(error) ?? '')
}

/** Whether PostgreSQL refused a statement because it is wrong. Every other failure may go away. */
export function isBug(error: unknown): boolean {
  const code = errorCode(error)
  return code !== undefined && BUGS.test(code) && code !== MISSING_PERMISSION
}

/** `store` is the address without a password. Returns a bug and a fault unchanged. */
export function toPostgresFault(store: string, error: unknown): unknown {
  if (error instanceof Fault || !(error instanceof Error) || isBug(error)) return error
  const reason = TEXTS.find(([text]) => text.test(error.message))?.[1] ?? REASONS[errorCode(error) ?? '']
  return postgresUnavailable({ store, reason: reason ?? (error.message || 'the connection failed') }, error)
}

const TEXTS = [
  [NO_PASSWORD, NEEDS_PASSWORD],
  [SILENT, NO_ANSWER],
  [BUSY, NONE_FREE],
] as const
