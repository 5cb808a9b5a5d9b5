/** What a command is about, by the names that it was given. They are checked before anything is looked at. */
import { isRunId } from '../journal/run-store.ts'
import { actionIdRequired, invalidRunId, materialSectionRequired, runIdRequired } from './faults.ts'

/** What was not given is undefined; what was given and is empty is an empty text. */
type Word = string | undefined

export function toRunId(word: Word): string {
  if (word === undefined || word === '') throw runIdRequired({})
  if (!isRunId(word)) throw invalidRunId({ given: word })
  return word
}

export function toActionId(word: Word): string {
  if (word === undefined || word === '') throw actionIdRequired({})
  return word
}

export function toSectionKey(word: Word): string {
  if (word === undefined || word === '') throw materialSectionRequired({})
  return word
}
