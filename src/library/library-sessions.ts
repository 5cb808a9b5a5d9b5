/** The sessions of the user, for a program. */
import { realpathSync } from 'node:fs'
import { checker } from '../kit/schema.ts'
import { USER } from '../prompts/caller.ts'
import type { SessionEdit, SessionFilter } from '../sessions/session-store.ts'
import { validateSessionChange, validateSessionQuery } from './checks.generated.js'
import { throwingDroverErrors } from './drover-error.ts'
import type { Instance } from './instance.ts'
import type { SessionTurn } from './messages.generated.ts'
import type { SessionSearch } from './requests.shape.ts'
import type { Sessions } from './types.ts'

const checkQuery = checker<SessionSearch>('the query', validateSessionQuery)
const checkChange = checker<SessionEdit>('the change', validateSessionChange)

const DEFAULT_LIMIT = 100

export function sessionCalls(instance: Instance): Sessions {
  const sessions = async () => (await instance.open()).drover.sessions
  const store = async () => await (await sessions()).of(USER)
  return {
    list: (query = {}) =>
      throwingDroverErrors(async () => {
        const { limit = DEFAULT_LIMIT, offset = 0, ...filter } = checkQuery(query)
        return await (await store()).list(toFilter(filter), { limit, offset })
      }),
    get: (id) => throwingDroverErrors(async () => await (await store()).find(id)),
    edit: (id, change) => throwingDroverErrors(async () => await (await store()).edit(id, checkChange(change))),
    delete: (id) => throwingDroverErrors(async () => await (await store()).delete(id)),
    turns: (id) =>
      throwingDroverErrors(async () => {
        const turns: SessionTurn[] = []
        for await (const turn of (await sessions()).turns(USER, id)) turns.push(turn)
        return turns
      }),
  }
}

function toFilter({ resumable, workdir, ...filter }: Omit<SessionSearch, 'limit' | 'offset'>): SessionFilter {
  return {
    ...filter,
    ...(resumable === true && { isResumable: true }),
    ...(workdir !== undefined && { workdir: resolved(workdir) }),
  }
}

/** Sessions have the directory with links resolved. One that is gone has its name. */
function resolved(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
