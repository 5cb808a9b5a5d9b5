/**
 * `active` while a process works on it, then `completed` or `error`. `paused`: interrupted (cancel, timeout, shutdown,
 * death of the process), and it can be resumed.
 */
export const SESSION_STATUSES = ['active', 'completed', 'error', 'paused'] as const

export type SessionStatus = (typeof SESSION_STATUSES)[number]
