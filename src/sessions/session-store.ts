/** Where sessions are kept. Small on purpose: another database has to offer just this. */
import type { Backend, Usage } from '../agents/agent.ts'
import type { SessionPage } from './session.shape.ts'
import type { Session, SessionStatus } from './session.ts'

export type NewSession = Pick<
  Session,
  | 'backend'
  | 'working_dir'
  | 'model'
  | 'system_prompt'
  | 'initial_prompt'
  | 'tags'
  | 'title'
  | 'parent_id'
  | 'metadata'
  | 'policy'
>

/** How a turn ended. */
export type TurnEnd = {
  /** `interrupted` becomes `paused` where the session can be resumed, and `error` where it cannot. */
  outcome: 'completed' | 'error' | 'interrupted'
  errorMessage?: string
  usage: Usage
  /** Agents that count a whole session need this to count the next turn alone. */
  threadUsage?: Usage
  backendSessionId?: string
  model?: string
  /** The agent no longer has the session, so that nobody needs to try again. */
  isForgotten?: boolean
}

export type SessionFilter = {
  backend?: Backend
  status?: SessionStatus
  tag?: string
  model?: string
  /** Exactly this directory. */
  workdir?: string
  /** Part of the title or the first prompt, or the beginning of the id; case does not matter. */
  search?: string
  /** Last used at or after, and before: RFC 3339, UTC. */
  since?: string
  until?: string
  /** Only those that an agent can continue. */
  isResumable?: boolean
}

export type { SessionPage }

/** A text replaces the title, null takes it away. Metadata are put in place of those of the same name. */
export type SessionEdit = {
  title?: string | null
  addTags?: readonly string[]
  removeTags?: readonly string[]
  metadata?: Session['metadata']
}

export type SessionStore = {
  /** Adds a session on which this process works from now on: it is `active`, and settled should the process die. */
  create(session: NewSession): Promise<Session>
  /** Takes up a session again. Refuses one that another turn is working on. */
  reopen(id: string): Promise<{ session: Session; threadUsage?: Usage }>
  /** What the agent said at its start, kept at once so that a crash does not lose it. */
  learn(id: string, fact: { backendSessionId?: string; model?: string }): Promise<void>
  /** Ends the turn. Undefined when the session was deleted meanwhile. */
  settle(id: string, end: TurnEnd): Promise<Session | undefined>
  /** By the whole id, or by the beginning of it if that is unique. */
  find(idOrPrefix: string): Promise<Session>
  /** Last used first. */
  list(filter: SessionFilter, page: { limit: number; offset: number }): Promise<SessionPage>
  edit(idOrPrefix: string, change: SessionEdit): Promise<Session>
  /** Gives back the whole id. Refuses a session that is being worked on. */
  delete(idOrPrefix: string): Promise<string>
  /** Deletes what was last used before this moment and is not being worked on. Gives the ids, oldest first. */
  deleteUnusedSince(moment: string, options: { isDryRun: boolean }): Promise<string[]>
  /**
   * Ends the agents that have outlived dead processes, and settles the sessions that those left `active`. `deadOwners`
   * names every process that was found dead, also one that left no session.
   */
  settleAbandoned(): Promise<{ settled: number; deadOwners: string[] }>
  /** What this process is called as long as the store is open: it holds a lock of that name, which ends with it. */
  owner(): Promise<string>
  count(): Promise<number>
  close(): Promise<void>
}
