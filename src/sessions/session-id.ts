/** What names a session: its whole id, or the beginning of it. Pure. */
import type { Ids } from '../kit/ids.ts'
import { sessionIdMalformed } from './faults.ts'

const ID_BYTES = 16
const ID_LENGTH = ID_BYTES * 2
/** Shorter ones would name another session tomorrow. */
const SHORTEST_PREFIX = 4

/** All ids from the first, inclusive, to the last, exclusive, in the order of their characters. */
export type IdRange = { from: string; below: string }

export function newSessionId(ids: Ids): string {
  return ids.hex(ID_BYTES)
}

/** The ids that begin like this, or undefined where no id can. */
export function idsBeginningWith(text: string): IdRange | undefined {
  if (text.length > ID_LENGTH || !/^[0-9a-f]+$/.test(text)) return undefined
  return { from: text, below: `${text}g` } // the character after the last digit
}

/** The ids that somebody may mean who wrote this. Refuses what nobody would. */
export function idsMeantBy(text: string): IdRange {
  const refusal = (rule: string) => sessionIdMalformed({ id: text, rule })
  if (!/^[0-9a-f]*$/.test(text)) throw refusal('an id has only the digits 0-9 and a-f')
  if (text.length < SHORTEST_PREFIX) throw refusal(`give at least its first ${SHORTEST_PREFIX} characters`)
  const range = idsBeginningWith(text)
  if (range === undefined) throw refusal(`an id has ${ID_LENGTH} characters`)
  return range
}
