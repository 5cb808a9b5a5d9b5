import type { Ids } from '../kit/ids.ts'
import { sessionIdMalformed } from './faults.ts'

const ID_BYTES = 16
const ID_LENGTH = ID_BYTES * 2
/** A shorter prefix would soon be ambiguous. */
const SHORTEST_PREFIX = 4

/** A range of ids: `from` is included, `below` is not. */
export type IdRange = { from: string; below: string }

export function newSessionId(ids: Ids): string {
  return ids.hex(ID_BYTES)
}

/** The range of ids with this prefix, or undefined if no id can have it. */
export function idsBeginningWith(text: string): IdRange | undefined {
  if (text.length > ID_LENGTH || !/^[0-9a-f]+$/.test(text)) return undefined
  return { from: text, below: `${text}g` } // the character after the last digit
}

/** The range of ids that an id or prefix of a user matches. Throws if it cannot match any. */
export function parseIdOrPrefix(text: string): IdRange {
  const refusal = (rule: string) => sessionIdMalformed({ id: text, rule })
  if (!/^[0-9a-f]*$/.test(text)) throw refusal('an id has only the digits 0-9 and a-f')
  if (text.length < SHORTEST_PREFIX) throw refusal(`give at least its first ${SHORTEST_PREFIX} characters`)
  const range = idsBeginningWith(text)
  if (range === undefined) throw refusal(`an id has ${ID_LENGTH} characters`)
  return range
}
