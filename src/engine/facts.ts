import type { GitObservation } from '../contract/git-observation.shape.ts'

/** The current state of the worktree, or why git could not report it. */
export type GitFacts =
  | { readonly is: 'observed'; readonly git: GitObservation }
  | { readonly is: 'unavailable'; readonly problem: string }

/** What an operation needs to know besides the run. */
export type Facts = {
  readonly now: string
  /** The id for a new action, if one is issued. */
  readonly actionId: string
  /** Absent in the first call: observing git takes time, and not every decision needs it. */
  readonly gitFacts?: GitFacts
}
