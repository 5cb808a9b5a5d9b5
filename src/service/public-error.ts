/** What a client may read of a fault: in a response over HTTP, and in the result of a tool. Pure. */
import type { Fault } from '../kit/fault.ts'
import { isRetryable } from '../kit/retryable.ts'
import { databaseTrouble, serverTrouble } from './faults.ts'

export type PublicError = { code: string; message: string; retryable: boolean; details?: unknown }

/** Codes that clients need not tell apart share one code on the wire. */
export const WIRE_CODES: Readonly<Record<string, string>> = {
  json_invalid: 'invalid_request',
  message_invalid: 'invalid_request',
}

export function toPublicError(fault: Fault): PublicError {
  return {
    code: WIRE_CODES[fault.code] ?? fault.code,
    message: fault.message,
    retryable: isRetryable(fault.code),
    ...publicDetails(fault),
  }
}

/** Clients must not see the paths of the server's own files, nor the address of its database. */
export function withoutServerFiles(fault: Fault): Fault {
  if (names(fault, 'store')) return databaseTrouble({})
  return names(fault, 'path') ? serverTrouble({}) : fault
}

function names({ kind, details }: Fault, what: 'path' | 'store'): boolean {
  return kind === 'unavailable' && typeof details === 'object' && details !== null && what in details
}

function publicDetails({ kind, details }: Fault): { details?: unknown } {
  if (kind === 'unauthorized' || kind === 'internal') return {}
  const own = toClientDetails(details)
  return typeof own === 'object' && own !== null && Object.keys(own).length > 0 ? { details: own } : {}
}

/** Faults of runs have the parts of a `cliError` in addition: commands with paths, and the state that the protocol knows. */
export function toClientDetails(all: unknown): unknown {
  if (typeof all !== 'object' || all === null) return all
  const isOfCommand = ([name, part]: [string, unknown]) =>
    (name === 'next' || name === 'details') && typeof part === 'object'
  return toWireNames(Object.fromEntries(Object.entries(all).filter((entry) => !isOfCommand(entry))))
}

/** Field names are camelCase in faults and snake_case in messages. */
export function toWireNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toWireNames)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [toSnakeCase(name), toWireNames(part)]))
}

function toSnakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
