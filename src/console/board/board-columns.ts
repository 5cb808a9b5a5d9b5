/** Which runs the board shows, and in which column. Pure. */
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { runStateWord } from '../text/state-word.ts'

export const COLUMNS = ['queued', 'working', 'needs you', 'delivered', 'merged'] as const
export type Column = (typeof COLUMNS)[number]

/** By the names in the address of the page. Empty: all. */
export const FILTERS = ['repository', 'agent', 'label', 'person'] as const
export type BoardFilter = { readonly [F in (typeof FILTERS)[number]]: string }

type Placed = Pick<DrivenRun, 'state' | 'verdict'>
type Filtered = Pick<DrivenRun, 'repository' | 'backend' | 'label' | 'api_key'>

/** Undefined: there is nothing to do about it any more, and nothing to see. */
export function columnOf(run: Placed): Column | undefined {
  if (run.state === 'merged') return 'merged'
  const word = runStateWord(run)
  if (word === 'queued' || word === 'working' || word === 'needs you') return word
  if (run.state === 'failed') return 'needs you'
  return run.state === 'ended' && word !== 'not delivered' ? 'delivered' : undefined
}

const VALUES: { readonly [F in keyof BoardFilter]: (run: Filtered) => string | undefined } = {
  repository: ({ repository }) => repository,
  agent: ({ backend }) => backend,
  label: ({ label }) => label,
  person: ({ api_key: key }) => key,
}

export function matches(run: Filtered, filter: BoardFilter): boolean {
  return FILTERS.every((name) => filter[name] === '' || VALUES[name](run) === filter[name])
}

/** What can be chosen, in the order of the alphabet. */
export function choicesOf(runs: readonly Filtered[], name: keyof BoardFilter): string[] {
  return [...new Set(runs.flatMap((run) => VALUES[name](run) ?? []))].sort()
}

type Row = { readonly id: string; readonly queue?: { readonly number: number } | undefined }

/** The run that the moved one starts before. Undefined: none, it is the last one. Null: nothing moves. */
export function beforeAfterStep(queued: readonly Row[], id: string, step: -1 | 1): string | undefined | null {
  const at = queued.findIndex((each) => each.id === id)
  const target = at + step
  if (at === -1 || target < 0 || target >= queued.length) return null
  return queued[step === -1 ? target : target + 1]?.id
}
