import type { GitObservation } from '../contract/git-observation.shape.ts'

/** What git says now, or why it says nothing. */
export type GitFacts =
  | { readonly is: 'observed'; readonly git: GitObservation }
  | { readonly is: 'unavailable'; readonly problem: string }

/** What an operation may need to know besides the run. */
export type Facts = {
  readonly now: string
  /** The id of the action that is issued, if one is. */
  readonly actionId: string
  /** Absent at first: looking takes time, and not every decision needs it. */
  readonly gitFacts?: GitFacts
}
