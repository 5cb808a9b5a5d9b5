/** The strictest first. `ask`: whatever needs approval is denied, because there is no one to ask. */
export const PERMISSIONS = ['read-only', 'ask', 'edit', 'everything'] as const
export type Permission = (typeof PERMISSIONS)[number]
