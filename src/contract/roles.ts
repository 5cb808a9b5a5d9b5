/** What a section of the requirements can be for, in the order in which a reader wants to know it. */
export const ROLES = ['outcome', 'requirements', 'acceptance_examples', 'constraints', 'non_goals'] as const

export type Role = (typeof ROLES)[number]
