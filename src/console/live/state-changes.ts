/** What the page knows about the server, and how the stream of changes changes it. Pure. */
import type { Usage } from '../../agents/adapter/agent.shape.ts'
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import type { DrivenRunChange } from '../../drive/service/run-service.ts'
import type { StateChange } from '../../executions/state-feed.ts'
import type { Execution } from '../../executions/store/execution.shape.ts'
import type { PendingApproval } from '../../prompts/approvals.shape.ts'
import { hasEnded } from '../text/state-word.ts'

export type ServerState = {
  /** The latest executions and all that run, by id. */
  executions: ReadonlyMap<string, Execution>
  /** By id. */
  approvals: ReadonlyMap<string, PendingApproval>
  activities: ReadonlyMap<string, { text: string; usage: Usage | undefined }>
  /** All open runs, and the latest of the others, by id. */
  runs: ReadonlyMap<string, DrivenRun>
}

export type ServerChange = StateChange | DrivenRunChange | { type: 'heartbeat' }

export function applyChange(state: ServerState, change: ServerChange): ServerState {
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
    case 'run':
      return { ...state, runs: new Map(state.runs).set(change.run.id, change.run) }
    default:
      return state
  }
}

/** Of what has ended only the latest stay, so that a page that is open for days does not grow. */
export function keepRecent(state: ServerState, limit: number): ServerState {
  const { executions, runs, activities } = state
  const kept = latest(executions, ({ ended_at: at }) => at !== undefined, limit)
  return {
    ...state,
    executions: kept,
    activities: new Map([...activities].filter(([id]) => kept.has(id))),
    runs: latest(runs, hasEnded, limit),
  }
}

function latest<V extends { created_at: string }>(
  map: ReadonlyMap<string, V>,
  isOver: (value: V) => boolean,
  limit: number,
): ReadonlyMap<string, V> {
  const over = [...map].filter(([, value]) => isOver(value))
  const dropped = over.sort(([, a], [, b]) => (a.created_at < b.created_at ? 1 : -1)).slice(limit)
  const rest = new Map(map)
  for (const [id] of dropped) rest.delete(id)
  return rest
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
