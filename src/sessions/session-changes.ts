/** How a session begins and changes: the agent reports its id, a turn ends, a person edits it. Pure. */
import { addUsage, NO_USAGE } from '../agents/adapter/token-usage.ts'
import { sessionNotResumable } from './faults.ts'
import type { Session } from './session.shape.ts'
import { checkMetadata, checkTag, checkTags, checkTitle } from './session-rules.ts'
import type { SessionStatus } from './session-statuses.ts'
import type { NewSession, SessionEdit, TurnEnd } from './session-store.ts'

/** The error message of a turn whose process died while the agent was running. */
const ABANDONED = 'the process that ran this turn ended before the agent did'

const NOT_STORED = 'the process that ran this turn ended before it stored the result'

/** The end of a turn, before it is saved. */
export type EndedTurn = { id: string; end: TurnEnd; at: string }

/** The end of a turn whose process is gone. `last_used` stays at the start of the turn. */
export function abandonTurn({ id, last_used }: Pick<Session, 'id' | 'last_used'>): EndedTurn {
  return { id, end: { outcome: 'interrupted', errorMessage: ABANDONED, usage: NO_USAGE }, at: last_used }
}

/** The session after a turn that has ended, if its process died before it stored the result. */
export function loseResult(session: Session): Session {
  const status = statusAfter({ outcome: 'interrupted', isResumable: isResumable(session) })
  return { ...session, status, error_message: NOT_STORED }
}

/** An agent can continue a session for which it reported its own id. */
export function isResumable({ backend_session_id }: Pick<Session, 'backend_session_id'>): boolean {
  return backend_session_id !== undefined
}

export function statusAfter(end: { outcome: TurnEnd['outcome']; isResumable: boolean }): SessionStatus {
  if (end.outcome !== 'interrupted') return end.outcome
  return end.isResumable ? 'paused' : 'error'
}

/** The session with a turn that begins now. Throws if no agent can continue it. */
export function reopenSession(session: Session, now: string): Session {
  if (!isResumable(session)) throw sessionNotResumable(session)
  return { ...session, status: 'active', last_used: now }
}

/** The session after its turn. What the agent did not report this time stays unchanged. */
export function endTurn(
  session: Session,
  { end, at, countsTokens }: { end: TurnEnd; at: string; countsTokens: boolean },
): Session {
  const { error_message: _last, ...rest } = session
  const updated = end.isForgotten === true ? withoutAgentSession(rest) : withAgentSession(rest, end)
  const hasFailed = end.outcome !== 'completed'
  return {
    ...updated,
    status: statusAfter({ outcome: end.outcome, isResumable: isResumable(updated) }),
    last_used: at,
    turn_count: session.turn_count + 1,
    token_usage: countsTokens ? addUsage(session.token_usage, end.usage) : session.token_usage,
    ...(hasFailed && end.errorMessage !== undefined && { error_message: end.errorMessage }),
  }
}

function withoutAgentSession({ backend_session_id: _forgotten, ...session }: Session): Session {
  return session
}

/** Adds what the agent reported; a later report replaces an earlier one. */
export function withAgentSession(session: Session, facts: { backendSessionId?: string; model?: string }): Session {
  return {
    ...session,
    ...(facts.backendSessionId !== undefined && { backend_session_id: facts.backendSessionId }),
    ...(facts.model !== undefined && { model: facts.model }),
  }
}

/** Applies an edit. A tag that is both added and removed is removed. */
export function editSession(session: Session, change: SessionEdit): Session {
  const { title, addTags = [], removeTags = [] } = change
  const removed = new Set(removeTags.map(checkTag))
  const added = addTags.map(checkTag)
  const tags = checkTags([...(change.tags ?? session.tags), ...added].filter((tag) => !removed.has(tag)))
  const metadata = checkMetadata({ ...session.metadata, ...change.metadata })
  const { title: oldTitle, shared: wasShared = false, ...bare } = session
  const untitled = { ...bare, ...((change.shared ?? wasShared) && { shared: true as const }) }
  const newTitle = title === undefined ? oldTitle : title
  if (newTitle === null || newTitle === undefined) return { ...untitled, tags, metadata }
  return { ...untitled, tags, metadata, title: checkTitle(newTitle) }
}

/** Throws if the title or the tags break a rule. */
export function beginSession(
  { title, keyId: _, ...rest }: NewSession,
  { id, now }: { id: string; now: string },
): Session {
  return {
    ...rest,
    ...(title !== undefined && { title: checkTitle(title) }),
    tags: checkTags(rest.tags),
    id: rest.id ?? id,
    status: 'active',
    created_at: now,
    last_used: now,
    turn_count: 0,
    token_usage: NO_USAGE,
  }
}
