/** How long a watcher waits before it looks again. Pure. */

const LONGEST_MS = 15 * 60_000

/** Doubles with each failure, so that many watchers do not storm a service that is down or refuses more. */
export function waitMs({ intervalMs, failures }: { intervalMs: number; failures: number }): number {
  return Math.max(intervalMs, Math.min(LONGEST_MS, intervalMs * 2 ** Math.min(failures, 10)))
}
