import type { Session } from '../sessions/session.shape.ts'
import type { PromptRequest as PromptRequestBody } from './prompt-request.shape.ts'

/** What a caller wants: the request as it comes over the wire, and what the wire cannot carry. */
export type PromptRequest = PromptRequestBody & {
  /** The session to continue. */
  resumes?: Session | undefined
  /** The session whose settings a new one takes over. */
  forks?: Session | undefined
  /** The caller wants text in pieces, as the model writes it. */
  wantsDeltas?: boolean
}
