/** What the page knows about the server, and how the stream of changes changes it. Pure. */
import type { Usage } from '../../agents/adapter/agent.shape.ts'
import type { StateChange } from '../../executions/state-feed.ts'
import type { Execution } from '../../executions/store/execution.shape.ts'
import type { PendingApproval } from '../../prompts/approvals.shape.ts'

export type ServerState = {
  /** The latest executions and all that run, by id. */
  executions: ReadonlyMap<string, Execution>
  /** By id. */
  approvals: ReadonlyMap<string, PendingApproval>
  activities: ReadonlyMap<string, { text: string; usage: Usage | undefined }>
}

export function applyChange(state: ServerState, change: StateChange | { type: 'heartbeat' }): ServerState {
  switch (change.type) {
    case 'execution': {
      const { id } = change.execution
      const known = state.executions.get(id)
      const executions = new Map(state.executions).set(id, { ...known, ...change.execution })
      return { ...state, executions }
    }
    case 'execution_removed':
      return { ...state, executions: without(state.executions, change.id) }
    case 'approval':
      return { ...state, approvals: new Map(state.approvals).set(change.approval.approval_id, change.approval) }
    case 'approval_settled':
      return { ...state, approvals: without(state.approvals, change.approval_id) }
    case 'activity': {
      const { id, text, usage } = change
      return { ...state, activities: new Map(state.activities).set(id, { text, usage }) }
    }
    default:
      return state
  }
}

/** Changes when an execution begins or ends: of all, or of one session. */
export function stateVersion({ executions }: Pick<ServerState, 'executions'>, session?: string): string {
  return [...executions.values()]
    .filter(({ session_id: id }) => session === undefined || id === session)
    .map(({ id, state }) => `${id} ${state}`)
    .sort()
    .join()
}

function without<V>(map: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> {
  const rest = new Map(map)
  rest.delete(key)
  return rest
}
