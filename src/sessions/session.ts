import type { Session, SessionPolicy } from './session.shape.ts'

export type { Session, SessionPolicy }
export type SessionStatus = Session['status']
