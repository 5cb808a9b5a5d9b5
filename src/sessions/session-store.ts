import type { Backend, SessionFile, Usage } from '../agents/adapter/agent.ts'
import type { Session, SessionPage } from './session.shape.ts'
import type { SessionMessages } from './session-messages.ts'
import type { SessionStatus } from './session-statuses.ts'

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
  | 'is_demo'
  | 'metadata'
  | 'policy'
  | 'api_key'
  | 'shared'
> & {
  /** The id of the API key that it belongs to. */
  keyId?: string | undefined
  /** The id of the session, if the caller has already chosen one. */
  id?: string | undefined
}

export type TurnEnd = {
  /** `interrupted` becomes `paused` if the session can be resumed, otherwise `error`. */
  outcome: 'completed' | 'error' | 'interrupted'
  errorMessage?: string
  usage: Usage
  /** The agent's total for the whole session, if it reports one: the next turn's usage is the difference. */
  threadUsage?: Usage
  backendSessionId?: string
  model?: string
  /** The agent no longer has the session, so it cannot be resumed. */
  isForgotten?: boolean
}

export type SessionFilter = {
  backend?: Backend
  status?: SessionStatus
  tag?: string
  model?: string
  /** Exactly this directory. */
  workdir?: string
  /** Part of the title or the first prompt, or the start of the id; case-insensitive. */
  search?: string
  /** Last used at or after `since` and before `until`: RFC 3339, UTC. */
  since?: string
  until?: string
  /** Only sessions that an agent can continue. */
  isResumable?: boolean
}

/** What can be done with the sessions that someone sees. All others seem to be missing. */
export type VisibleSessions = {
  /** Finds a session by its id, or by a unique prefix of it. Only this and `edit` return whole prompts. */
  find(idOrPrefix: string): Promise<Session>
  /** Sorted by last use, newest first, with only the beginnings of the prompts. */
  list(filter: SessionFilter, page: { limit: number; offset: number }): Promise<SessionPage>
  edit(idOrPrefix: string, change: SessionEdit): Promise<Session>
  /** Returns the full id. Refuses a session in which a turn is running. */
  delete(idOrPrefix: string): Promise<string>
  /** Throws a Fault if the session may be seen and not changed. */
  requireOwn(id: string): Promise<void>
}

/** `title: null` removes the title. Metadata entries replace those of the same name. */
export type SessionEdit = {
  title?: string | null
  /** Replaces all tags. */
  tags?: readonly string[]
  addTags?: readonly string[]
  removeTags?: readonly string[]
  /** Whether every API key sees the session. */
  shared?: boolean
  metadata?: Session['metadata']
}

/** A session that another machine has. `file` is what is stored of it, without its last `missingTurns`. */
export type MovedSession = { machine: string; file?: SessionFile; missingTurns?: number }

/** What agents keep of sessions, stored so that another machine can continue them. */
export type SessionFiles = {
  /** Stores the file of a session in which this process runs a turn; undefined: it has none that can be stored. */
  save(id: string, file: SessionFile | undefined): Promise<void>
  /** Undefined if the session is on this machine. */
  findMoved(id: string): Promise<MovedSession | undefined>
  /** The session is on this machine from now on. */
  noteHere(id: string): Promise<void>
}

/** Without `seenBy`, everything is visible, as to the user of the machine. */
/** At the signal it stops between two pieces. */
export type UnusedDeletion = { isDryRun: boolean; signal?: AbortSignal }

export type SessionStore = VisibleSessions & {
  /** The sessions that the API key with this id sees. It may change and delete only its own. Undefined: all. */
  seenBy(keyId: string | undefined): VisibleSessions
  /** Undefined: all sessions are on this machine. */
  readonly files?: SessionFiles | undefined
  /** What agents are told with the next prompt. */
  readonly messages: SessionMessages
  /** Adds an `active` session owned by this process. If the process dies, another one ends the turn. */
  create(session: NewSession): Promise<Session>
  /** Adds a session without a turn. `create` with its id begins it. */
  prepare(session: NewSession): Promise<Session>
  /** Starts another turn of a session. Refuses a session in which a turn is running. */
  reopen(id: string): Promise<{ session: Session; threadUsage?: Usage }>
  /** Saves what the agent reports when it starts, at once, so that a crash does not lose it. */
  recordAgentSession(id: string, facts: { backendSessionId?: string; model?: string }): Promise<void>
  /** Ends the turn. Returns undefined if the session was deleted meanwhile. */
  finishTurn(id: string, end: TurnEnd): Promise<Session | undefined>
  /** Deletes sessions last used before this moment, except those with a running turn, in pieces. Returns the ids, oldest first. */
  deleteUnusedSince(moment: string, options: UnusedDeletion): Promise<string[]>
  /**
   * Ends the agents that dead processes left running, and the turns they left `active`. `deadOwners` names every dead
   * process, even one that left no turn.
   */
  endAbandonedTurns(): Promise<{ ended: number; deadOwners: string[] }>
  /** The name of this process. The store holds a lock of that name until it is closed. */
  owner(): Promise<string>
  count(): Promise<number>
  /** Throws a Fault if no session could be stored now. */
  checkWritable(): Promise<void>
  close(): Promise<void>
}
