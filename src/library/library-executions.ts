/** The executions of the user, for a program: also those of other processes. */
import { checker } from '../kit/schema.ts'
import { USER } from '../prompts/caller.ts'
import { validateExecutionQuery } from './checks.generated.js'
import { throwingDroverErrors } from './drover-error.ts'
import { followEach } from './follow-each.ts'
import type { Instance } from './instance.ts'
import type { ExecutionSearch } from './requests.shape.ts'
import type { UserExecutions } from './types.ts'

const checkQuery = checker<ExecutionSearch>('the query', validateExecutionQuery)

const DEFAULT_LIMIT = 100

export function executionCalls(instance: Instance): UserExecutions {
  const executions = async () => (await instance.open()).drover.executions
  return {
    list: (query = {}) =>
      throwingDroverErrors(async () => {
        const { limit = DEFAULT_LIMIT, ...filter } = checkQuery(query)
        return await (await executions()).list(USER, filter, { limit })
      }),
    get: (id) => throwingDroverErrors(async () => await (await executions()).find(USER, id)),
    cancel: (id) => throwingDroverErrors(async () => await (await executions()).cancel(USER, id)),
    follow: (id, options) => followEach(instance, options, async (from) => (await executions()).follow(USER, id, from)),
  }
}
