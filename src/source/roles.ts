import type { PinnedSourceSection } from '../contract/pinned-source.shape.ts'

export type Role = PinnedSourceSection['role']

/** What a section of each role is to say, in the order in which a reader wants to know it. */
export const ROLE_TITLES: Readonly<Record<Role, string>> = {
  outcome: 'Outcome',
  requirements: 'Requirements',
  acceptance_examples: 'Acceptance examples',
  constraints: 'Constraints',
  non_goals: 'Non-goals',
}

export const ROLES = Object.keys(ROLE_TITLES) as readonly Role[]
