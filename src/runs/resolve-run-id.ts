import { isRunId, listRunIds } from '../journal/run-store.ts'
import { actionIdRequired, invalidRunId, materialSectionRequired, runIdAmbiguous, runIdRequired } from './faults.ts'
import type { RunContext } from './run-context.ts'

/** A shorter prefix would soon be ambiguous. Session ids have the same limit. */
const SHORTEST_PREFIX = 4

/** An id as drover creates it. It needs no look at the disk. */
const COMPLETE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The full id of the run that an id or the beginning of one names. An unknown id stays as it is: opening the run reports it. */
export function resolveRunId({ store }: Pick<RunContext, 'store'>, given: string): string {
  if (COMPLETE_ID.test(given)) return given
  const candidates = matchRunIds(given, listRunIds(store))
  if (candidates.length > 1) throw runIdAmbiguous({ given, candidates })
  return candidates[0] ?? given
}

/** The id itself if it exists, else all ids that begin with it. Pure. */
export function matchRunIds(given: string, ids: readonly string[]): readonly string[] {
  if (ids.includes(given)) return [given]
  return given.length < SHORTEST_PREFIX ? [] : ids.filter((id) => id.startsWith(given))
}

/** Whether an argument that may be something else names a run. */
export function namesRun({ store }: Pick<RunContext, 'store'>, given: string): boolean {
  return isRunId(given) && matchRunIds(given, listRunIds(store)).length > 0
}

const SHORT_CHARACTERS = 8

/** The beginning of an id that only this run has, for people. Pure. */
export function shortenRunId(id: string, ids: readonly string[]): string {
  const others = ids.filter((other) => other !== id)
  for (let length = SHORT_CHARACTERS; length < id.length; length += 1) {
    const short = id.slice(0, length)
    if (!others.some((other) => other.startsWith(short))) return short
  }
  return id
}

/** The same for a run of this repository. */
export function shortenKnownRunId({ store }: Pick<RunContext, 'store'>, id: string): string {
  return shortenRunId(id, listRunIds(store))
}

/** Undefined if the argument is missing. */
type Argument = string | undefined

export function parseRunId(argument: Argument): string {
  if (argument === undefined || argument === '') throw runIdRequired({})
  if (!isRunId(argument)) throw invalidRunId({ given: argument })
  return argument
}

export function parseActionId(argument: Argument): string {
  if (argument === undefined || argument === '') throw actionIdRequired({})
  return argument
}

export function parseSectionKey(argument: Argument): string {
  if (argument === undefined || argument === '') throw materialSectionRequired({})
  return argument
}
