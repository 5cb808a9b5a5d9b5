/**
 * SQL for both databases. A transaction is a generator that yields its statements and gets their rows. SQLite runs all of them at
 * once, so nothing else of this process runs in between, and several transactions can be committed together. With PostgreSQL each
 * statement is a round trip.
 */
import type { SQLOutputValue } from 'node:sqlite'

export type Row = Record<string, SQLOutputValue>

/**
 * SQL with `?` for values. If it ends with `FOR UPDATE`, others wait until the transaction has ended; SQLite, which has one writer at
 * a time, needs no such lock.
 */
export type Statement = {
  sql: string
  values: readonly unknown[]
  /** Only the first row is read. */
  isOne: boolean
}

/** The statements of a transaction, or of a part of it. It may run several times. */
export type Steps<T> = Generator<Statement, T, Row[]>

export function* all(sql: string, ...values: unknown[]): Steps<Row[]> {
  return yield { sql, values, isOne: false }
}

export function* get(sql: string, ...values: unknown[]): Steps<Row | undefined> {
  return (yield { sql, values, isOne: true })[0]
}

/** A result that needs no statement. */
export function* answer<T>(value: T): Steps<T> {
  yield* []
  return value
}

export type WriteOptions = {
  /** How long to wait while another process has the file locked, or while PostgreSQL cannot be reached. */
  waitMs?: number
  /** False: a power failure may undo the latest ones. PostgreSQL has no such transactions. */
  isSynced?: boolean
}

/** A database, as far as both kinds are the same. */
export type Sql = {
  /** SQLite reads one snapshot. In PostgreSQL each statement sees what is committed when it begins. */
  read<T>(work: () => Steps<T>): Promise<T>
  /** Runs the work in a durable transaction, or throws and changes nothing. */
  write<T>(work: () => Steps<T>, options?: WriteOptions): Promise<T>
  /** Runs one statement that changes something. It must not matter whether it runs twice. */
  run(sql: string, ...values: unknown[]): Promise<Row[]>
  /** Tells other processes, when the transaction is committed. SQLite cannot. */
  notify(type: string, ids?: readonly string[]): Steps<void>
  /** Commits a write that changes nothing, or throws. */
  checkWritable(): Promise<void>
}
