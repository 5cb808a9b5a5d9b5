/** An agent may have forgotten a session that drover still knows; then a new one is offered. Pure. */
import { sessionExpired } from '../sessions/faults.ts'
import type { Session } from '../sessions/session.shape.ts'

type Trouble = { code?: string; message: string }

/** The agent's own trouble, in words that help somebody who resumed a session. */
export function sayExpired<T extends Trouble>(trouble: T, resumes: Session | undefined): T {
  if (resumes === undefined || trouble.code !== 'agent_session_missing') return trouble
  const { code, message } = sessionExpired(resumes)
  return { ...trouble, code, message }
}
