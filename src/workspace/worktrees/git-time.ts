/** To check out or commit a large repository takes longer than what git is asked otherwise. */
export const SLOW_GIT_MS = 10 * 60_000
