/** Opens the sessions of the user, for commands that read or change them. */
import type { Config } from '../../config/config.shape.ts'
import { Fault, isFault } from '../../kit/fault.ts'
import type { SessionService } from '../../service/drover-service.ts'
import { SessionCalls } from '../../service/session-calls.ts'
import { sessionAmbiguous } from '../../sessions/faults.ts'
import type { SessionStore, VisibleSessions } from '../../sessions/session-store.ts'
import type { Invocation } from '../command.ts'
import { openCommandStores } from '../open/open-command-stores.ts'
import { formatAge } from '../output/format-amounts.ts'
import { toOneLine } from '../output/printable.ts'
import { readSettings } from '../settings.ts'
import { sessionTitle, shortenSessionId } from './session-text.ts'

type OpenSessions = {
  store: SessionStore
  /** This part of the service alone: all of it would take longer to load. */
  sessions: SessionService
  config: Config
}

export async function withSessions(
  invocation: Invocation,
  work: (open: OpenSessions) => Promise<number>,
): Promise<number> {
  const { config } = await readSettings(invocation)
  const stores = await openCommandStores(invocation, config)
  const { sessions: store } = stores
  try {
    const sessions = new SessionCalls(async () => stores)
    const now = invocation.runtime.clock.now()
    return await listCandidates({ store, now }, () => work({ store, sessions, config }))
  } finally {
    await store.close()
  }
}

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
    if (!isFault(error, sessionAmbiguous)) throw error
    const details = error.details
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
