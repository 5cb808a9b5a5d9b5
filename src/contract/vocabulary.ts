/** Fixed words that shapes and code share. */

/** The roles of sections, in the order in which people read them. */
export const ROLES = ['outcome', 'requirements', 'acceptance_examples', 'constraints', 'non_goals'] as const

export type Role = (typeof ROLES)[number]

/** The line of a summary without any reported check. The texts for hosts quote it. */
export const NO_ACTIVITIES = 'No test, type check, build or lint was reported.'
