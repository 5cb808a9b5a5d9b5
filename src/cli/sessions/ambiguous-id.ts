import { Fault } from '../../kit/fault.ts'
import { sessionAmbiguous } from '../../sessions/faults.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import { formatAge } from '../output/format-time.ts'
import { toOneLine } from '../output/printable.ts'
import { shortIdOf, titleOf } from './session-text.ts'

const MOST_NAMED = 5
const LOOKED_AT = 100
const TITLE_COLUMNS = 50

/** Where the beginning of an id is not enough, the refusal also shows which sessions may be meant. */
export async function listCandidates<Result>(
  { store, now }: { store: SessionStore; now: Date },
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
  store: SessionStore,
  { id, count, now }: { id: string; count: number; now: Date },
): Promise<string[]> {
  // A search also finds titles.
  const { sessions } = await store.list({ search: id }, { limit: LOOKED_AT, offset: 0 })
  const shown = sessions.filter((session) => session.id.startsWith(id)).slice(0, MOST_NAMED)
  const lines = shown.map(
    (session) =>
      `  ${shortIdOf(session)}  ${session.backend}  ${formatAge(session.last_used, now)}  ${toOneLine(titleOf(session), TITLE_COLUMNS)}`,
  )
  return shown.length < count ? [...lines, `  and ${count - shown.length} more`] : lines
}
