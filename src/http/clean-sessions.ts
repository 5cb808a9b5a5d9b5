import { type Clock, toTimestamp } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { SessionStore } from '../sessions/session-store.ts'

export type Retention = { store: SessionStore; clock: Clock; log: Log; days: number }

const DAY_MS = 24 * 60 * 60 * 1000

/** Deletes sessions that were not used for so many days, now and once a day; 0 days keeps them all. */
export async function keepSessionsClean(retention: Retention): Promise<{ stop(): void }> {
  if (retention.days === 0) return { stop: () => {} }
  await cleanSessions(retention)
  const timer = setInterval(() => void cleanSessions(retention), DAY_MS).unref()
  return { stop: () => clearInterval(timer) }
}

/** A store that cannot be cleaned can still serve; the next day is another chance. */
async function cleanSessions({ store, clock, log, days }: Retention): Promise<void> {
  try {
    const moment = toTimestamp(new Date(clock.now().getTime() - days * DAY_MS))
    const deleted = await store.deleteUnusedSince(moment, { isDryRun: false })
    if (deleted.length > 0) log.info({ sessions: deleted.length, days }, 'sessions past their retention were deleted')
  } catch (error) {
    log.error({ reason: error instanceof Error ? error.message : String(error) }, 'old sessions could not be deleted')
  }
}
