/** Checks the ids in the arguments of a command, before any file is read. */
import { isRunId } from '../journal/run-store.ts'
import { actionIdRequired, invalidRunId, materialSectionRequired, runIdRequired } from './faults.ts'

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
