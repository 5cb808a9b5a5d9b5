/** What becomes of a session when a turn ends. Pure. */
import { addUsage } from '../agents/usage.ts'
import type { Session, SessionStatus } from './session.ts'
import type { TurnEnd } from './session-store.ts'

/** Said of a session whose process ended, however, while the agent was at work. */
export const ABANDONED = 'the process that ran this turn ended before the agent did'

/** An agent that told its own id for the session can continue it. */
export function isResumable({ backend_session_id }: Pick<Session, 'backend_session_id'>): boolean {
  return backend_session_id !== undefined
}

export function statusAfter(end: { outcome: TurnEnd['outcome']; isResumable: boolean }): SessionStatus {
  if (end.outcome !== 'interrupted') return end.outcome
  return end.isResumable ? 'paused' : 'error'
}

/** The session once its turn has ended. What the agent did not say this time stays as it was. */
export function endTurn(
  session: Session,
  { end, at, countsTokens }: { end: TurnEnd; at: string; countsTokens: boolean },
): Session {
  const { error_message: _last, ...rest } = session
  const learnt = end.isForgotten === true ? withoutAgentSession(rest) : learn(rest, end)
  const hasFailed = end.outcome !== 'completed'
  return {
    ...learnt,
    status: statusAfter({ outcome: end.outcome, isResumable: isResumable(learnt) }),
    last_used: at,
    turn_count: session.turn_count + 1,
    token_usage: countsTokens ? addUsage(session.token_usage, end.usage) : session.token_usage,
    ...(hasFailed && end.errorMessage !== undefined && { error_message: end.errorMessage }),
  }
}

function withoutAgentSession({ backend_session_id: _forgotten, ...session }: Session): Session {
  return session
}

/** Takes in what the agent said of itself; its latest word counts. */
export function learn(session: Session, fact: { backendSessionId?: string; model?: string }): Session {
  return {
    ...session,
    ...(fact.backendSessionId !== undefined && { backend_session_id: fact.backendSessionId }),
    ...(fact.model !== undefined && { model: fact.model }),
  }
}
