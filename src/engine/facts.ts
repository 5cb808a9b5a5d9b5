import type { GitObservation } from '../contract/git-observation.shape.ts'

/** What git says now, or why it says nothing. */
export type Sighting =
  | { readonly is: 'seen'; readonly git: GitObservation }
  | { readonly is: 'unseen'; readonly problem: string }

/** What an operation may need to know besides the run. */
export type Facts = {
  readonly now: string
  /** The id of the action that is issued, if one is. */
  readonly actionId: string
  /** Absent at first: looking takes time, and not every decision needs it. */
  readonly sighting?: Sighting
}
