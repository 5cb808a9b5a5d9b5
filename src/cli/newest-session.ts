import { realpathSync } from 'node:fs'
import type { Backend } from '../agents/agent.ts'
import type { Session } from '../sessions/session.ts'
import type { SessionFilter, SessionStore } from '../sessions/session-store.ts'
import type { Invocation } from './command.ts'
import { nothingToContinue } from './faults.ts'

export type Wanted = {
  /** Only sessions of this directory: what was said about another project does not belong here. */
  isHere: boolean
  isResumable: boolean
}

/** What `--backend` and the wish say together. */
export function filterOf({ flags, world }: Invocation, { isHere, isResumable }: Wanted): SessionFilter {
  const backend = flags.text('backend') as Backend | undefined
  return {
    ...(isResumable && { isResumable }),
    ...(isHere && { workdir: realpathSync(world.cwd) }),
    ...(backend !== undefined && { backend }),
  }
}

/** The one that was used last. */
export async function newestSession(invocation: Invocation, store: SessionStore, wanted: Wanted): Promise<Session> {
  const filter = filterOf(invocation, wanted)
  const { sessions } = await store.list(filter, { limit: 1, offset: 0 })
  const [newest] = sessions
  if (newest === undefined) throw nothingToContinue({ workdir: filter.workdir, backend: filter.backend })
  return newest
}
