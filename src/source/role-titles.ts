import type { Role } from '../contract/vocabulary.ts'

/** What a section of each role is called where nobody has given it a title. */
export const ROLE_TITLES: Readonly<Record<Role, string>> = {
  outcome: 'Outcome',
  requirements: 'Requirements',
  acceptance_examples: 'Acceptance examples',
  constraints: 'Constraints',
  non_goals: 'Non-goals',
}
