import { realpathSync, statSync } from 'node:fs'
import type { Session } from '../../sessions/session.shape.ts'
import type { SessionFilter, VisibleSessions } from '../../sessions/session-store.ts'
import type { Invocation } from '../command.ts'
import { nothingToContinue } from '../faults.ts'

export type SessionCriteria = {
  /** Only sessions of this existing directory, so that the context of another project is not mixed in. */
  workdir: string | undefined
  isResumable: boolean
}

const PAGE = 50

/** Combines `--backend` and the criteria. */
export function toSessionFilter({ flags }: Invocation, { workdir, isResumable }: SessionCriteria): SessionFilter {
  const backend = flags.text('backend')
  return {
    ...(isResumable && { isResumable }),
    ...(workdir !== undefined && { workdir: realpathSync(workdir) }),
    ...(backend !== undefined && { backend }),
  }
}

/** The session used last whose directory still exists: no agent can work in the others. */
export async function newestSession(
  invocation: Invocation,
  store: VisibleSessions,
  criteria: SessionCriteria,
): Promise<Session> {
  const filter = toSessionFilter(invocation, criteria)
  let gone = 0
  for (;;) {
    const { sessions } = await store.list(filter, { limit: PAGE, offset: gone })
    const newest = sessions.find(hasDirectory)
    // A page has only the beginnings of prompts.
    if (newest !== undefined) return await store.find(newest.id)
    gone += sessions.length
    if (sessions.length < PAGE) throw nothingToContinue({ workdir: filter.workdir, backend: filter.backend, gone })
  }
}

function hasDirectory({ working_dir: directory }: Session): boolean {
  return statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true
}
