import { realpathSync, statSync } from 'node:fs'
import type { Backend } from '../../agents/adapter/agent.ts'
import type { Session } from '../../sessions/session.shape.ts'
import type { SessionFilter, SessionStore } from '../../sessions/session-store.ts'
import type { Invocation } from '../command.ts'
import { nothingToContinue } from '../faults.ts'

export type Wanted = {
  /** Only sessions of this directory, which exists: what was said about another project does not belong here. */
  workdir: string | undefined
  isResumable: boolean
}

const PAGE = 50

/** What `--backend` and the wish say together. */
export function filterOf({ flags }: Invocation, { workdir, isResumable }: Wanted): SessionFilter {
  const backend = flags.text('backend') as Backend | undefined
  return {
    ...(isResumable && { isResumable }),
    ...(workdir !== undefined && { workdir: realpathSync(workdir) }),
    ...(backend !== undefined && { backend }),
  }
}

/** The one that was used last, of those whose directory is still there: no agent can work in the others. */
export async function newestSession(invocation: Invocation, store: SessionStore, wanted: Wanted): Promise<Session> {
  const filter = filterOf(invocation, wanted)
  let gone = 0
  for (;;) {
    const { sessions } = await store.list(filter, { limit: PAGE, offset: gone })
    const newest = sessions.find(hasDirectory)
    if (newest !== undefined) return newest
    gone += sessions.length
    if (sessions.length < PAGE) throw nothingToContinue({ workdir: filter.workdir, backend: filter.backend, gone })
  }
}

function hasDirectory({ working_dir: directory }: Session): boolean {
  return statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true
}
