import { Fault } from '../../kit/fault.ts'
import { sessionAmbiguous } from '../../sessions/faults.ts'
import type { VisibleSessions } from '../../sessions/session-store.ts'
import { formatAge } from '../output/format-time.ts'
import { toOneLine } from '../output/printable.ts'
import { sessionTitle, shortenSessionId } from './session-text.ts'

const MAX_LISTED = 5
const SEARCH_LIMIT = 100
const TITLE_COLUMNS = 50

/** If the beginning of an id is ambiguous, adds the matching sessions to the fault. */
export async function listCandidates<Result>(
  { store, now }: { store: VisibleSessions; now: Date },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== sessionAmbiguous.code) throw error
    const details = error.details as Parameters<typeof sessionAmbiguous>[0]
    const { code, kind, message } = error
    const lines = await candidatesFor(store, { ...details, now })
    throw new Fault({ code, kind, message: [`${message}:`, ...lines].join('\n'), details, cause: error })
  }
}

async function candidatesFor(
  store: VisibleSessions,
  { id, count, now }: { id: string; count: number; now: Date },
): Promise<string[]> {
  // The search also matches titles.
  const { sessions } = await store.list({ search: id }, { limit: SEARCH_LIMIT, offset: 0 })
  const shown = sessions.filter((session) => session.id.startsWith(id)).slice(0, MAX_LISTED)
  const lines = shown.map(
    (session) =>
      `  ${shortenSessionId(session)}  ${session.backend}  ${formatAge(session.last_used, now)}  ${toOneLine(sessionTitle(session), TITLE_COLUMNS)}`,
  )
  return shown.length < count ? [...lines, `  and ${count - shown.length} more`] : lines
}
