/** The kind of a fault. The command line turns it into an exit code, the HTTP server into a status. */
export type FaultKind =
  | 'usage'
  | 'invalid'
  | 'unauthorized'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'rate_limited'
  | 'unavailable'
  | 'internal'

/** The only error class that may be thrown across folders. Any other error is a bug. */
export class Fault<Details = unknown> extends Error {
  override readonly name = 'Fault'
  readonly code: string
  readonly kind: FaultKind
  readonly details: Details

  constructor(record: { code: string; kind: FaultKind; message: string; details: Details; cause?: unknown }) {
    super(record.message, record.cause === undefined ? undefined : { cause: record.cause })
    this.code = record.code
    this.kind = record.kind
    this.details = record.details
  }
}

/** Creates faults of one code: call it to get the error to throw. */
export type FaultMaker<Details> = {
  readonly code: string
  readonly kind: FaultKind
  readonly when: string
  (details: Details, cause?: unknown): Fault<Details>
}

/**
 * Defines a fault in the `faults.ts` of a folder. `when` is its row in docs/errors.md. `message` returns one
 * sentence without a full stop that says what is wrong and what to do.
 */
export function defineFault<Details>(
  code: string,
  kind: FaultKind,
  { when, message }: { when: string; message: (details: Details) => string },
): FaultMaker<Details> {
  const make = (details: Details, cause?: unknown) =>
    new Fault({ code, kind, message: message(details), details, cause })
  return Object.assign(make, { code, kind, when })
}

/** Whether this is a fault that `make` makes. */
export function isFault<Details>(error: unknown, make: FaultMaker<Details>): error is Fault<Details> {
  return error instanceof Fault && error.code === make.code
}

/** For `.catch`: any other error is thrown again. */
export function ignoreFault(error: unknown): undefined {
  if (!(error instanceof Fault)) throw error
}

/** What `work` returns, or undefined if it throws a Fault. */
export function tryTo<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    return ignoreFault(error)
  }
}

/** What `work` returns, or undefined if it throws anything. */
export function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

/** What `work` returns, or undefined if it throws a Fault, or an error of the system such as `ENOENT`. */
export function tryToRead<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return undefined
  }
}

/** What an error says, whatever was thrown. */
export function toErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The code of a Fault or of a Node system error (`ENOENT`, `EPIPE`), or undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** SQLite's primary result code (https://sqlite.org/rescode.html): the low byte of the code that Node reports. */
export function sqliteErrorCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined
}
