import { type Clock, toTimestamp } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { SessionStore } from '../sessions/session-store.ts'

export type Retention = { store: SessionStore; clock: Clock; log: Log; days: number }

const DAY_MS = 24 * 60 * 60 * 1000

/** Deletes sessions that were not used for `days` days, now and once a day. 0 keeps all sessions. */
export async function startSessionCleanup(retention: Retention): Promise<{ stop(): void }> {
  if (retention.days === 0) return { stop: () => {} }
  await cleanSessions(retention)
  const timer = setInterval(() => void cleanSessions(retention), DAY_MS).unref()
  return { stop: () => clearInterval(timer) }
}

/** A failure is only logged: the server can still serve, and the cleanup runs again the next day. */
async function cleanSessions({ store, clock, log, days }: Retention): Promise<void> {
  try {
    const cutoff = toTimestamp(new Date(clock.now().getTime() - days * DAY_MS))
    const deleted = await store.deleteUnusedSince(cutoff, { isDryRun: false })
    if (deleted.length > 0) log.info({ sessions: deleted.length, days }, 'deleted sessions past their retention')
  } catch (error) {
    log.error({ reason: error instanceof Error ? error.message : String(error) }, 'old sessions could not be deleted')
  }
}
