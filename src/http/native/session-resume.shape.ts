import { ResumeRequest } from '../../prompts/prompt-request.shape.ts'
import { RUN_ERRORS, SESSION_ERRORS } from '../api-description/error-responses.shape.ts'
import {
  ACCEPTED_RESPONSE,
  EXAMPLE,
  IDEMPOTENCY_KEY,
  type Operation,
  operation,
  PREFER,
} from '../api-description/operation.shape.ts'
import { PROMPT_RESPONSE } from './prompt.shape.ts'
import { SESSION_ID } from './sessions.shape.ts'

const requests: Record<string, ResumeRequest> = {
  minimal: { prompt: 'Now write a test for it.' },
  image: { prompt: 'The page still looks like this.', attachments: [EXAMPLE.image] },
}

export const OPERATIONS: readonly Operation[] = [
  operation('post /api/v1/sessions/{id}/resume', 'resumeSession', {
    summary: 'Run another prompt in a session',
    description:
      'Uses the backend of the session. With `fork`, a new session starts with the settings of this one; on another `backend`, with its conversation.',
    parameters: [SESSION_ID, IDEMPOTENCY_KEY, PREFER],
    body: { shape: ResumeRequest, examples: requests },
    responses: { 200: PROMPT_RESPONSE, 202: ACCEPTED_RESPONSE },
    errors: [...new Set([...SESSION_ERRORS, ...RUN_ERRORS])],
  }),
]
