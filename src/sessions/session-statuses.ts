/**
 * `active` while a turn runs, then `completed` or `error`. `paused`: the turn was interrupted (cancel, timeout, shutdown,
 * death of the process) and the session can be resumed.
 */
export const SESSION_STATUSES = ['active', 'completed', 'error', 'paused'] as const

export type SessionStatus = (typeof SESSION_STATUSES)[number]
