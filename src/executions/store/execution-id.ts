/** Execution ids and prefixes of them. Pure. */
import type { Ids } from '../../kit/ids.ts'
import { executionIdMalformed } from './faults.ts'

const PREFIX = 'exec_'
const ID_BYTES = 12
const ID_LENGTH = PREFIX.length + ID_BYTES * 2
const SHORTEST_PREFIX = PREFIX.length + 4

export function newExecutionId(ids: Ids): string {
  return PREFIX + ids.hex(ID_BYTES)
}

/** The id without its prefix, for the ids of other APIs. */
export function withoutIdPrefix(id: string): string {
  return id.slice(PREFIX.length)
}

/** Long enough to be unique among thousands. */
const SHORT_LENGTH = 8

/** For people: commands find an execution by these characters. */
export function shortExecutionId({ id }: { id: string }): string {
  return withoutIdPrefix(id).slice(0, SHORT_LENGTH)
}

/** The range of ids that an id or prefix matches; `exec_` may be omitted. Throws if it cannot match any. */
export function executionIdRange(text: string): { from: string; below: string } {
  const id = text.startsWith(PREFIX) ? text : PREFIX + text
  const isPrefix = /^exec_[0-9a-f]*$/.test(id) && id.length >= SHORTEST_PREFIX && id.length <= ID_LENGTH
  if (!isPrefix) throw executionIdMalformed({ id: text })
  return { from: id, below: `${id}g` } // the character after the last digit
}
