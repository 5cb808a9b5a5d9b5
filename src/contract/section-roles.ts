/** The roles of sections, in the order in which people read them. */
export const ROLES = ['outcome', 'requirements', 'acceptance_examples', 'constraints', 'non_goals'] as const

export type Role = (typeof ROLES)[number]
