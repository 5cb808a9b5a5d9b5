import { ChainRequest } from '../../prompts/prompt-request.shape.ts'
import { ChainResult } from '../../prompts/prompt-result.shape.ts'
import { RUN_ERRORS } from '../api-description/error-responses.shape.ts'
import {
  ACCEPTED_RESPONSE,
  IDEMPOTENCY_KEY,
  jsonResponse,
  type Operation,
  operation,
  PREFER,
  withExecution,
} from '../api-description/operation.shape.ts'
import { ANSWERED, TIMED_OUT } from './prompt.shape.ts'

const request: ChainRequest = {
  steps: [
    { name: 'review', backend: 'claude', prompt: 'Review src/parser.ts.' },
    { name: 'plan', backend: 'codex', prompt: 'Plan the fixes for this review:\n\n{{previous}}' },
  ],
  stop_on_failure: true,
}

const result: ChainResult = {
  total_steps: 2,
  completed_steps: 1,
  failed_step: 2,
  total_duration_ms: 308_131,
  results: [
    { step: 1, name: 'review', ...ANSWERED, session_id: '' },
    { step: 2, name: 'plan', ...TIMED_OUT, session_id: '' },
  ],
}

export const OPERATIONS: readonly Operation[] = [
  operation('post /api/v1/chain', 'executeChain', {
    summary: 'Run prompts one after another',
    description: 'A step can use the answers of earlier steps. No sessions are stored.',
    parameters: [IDEMPOTENCY_KEY, PREFER],
    body: { shape: ChainRequest, examples: { example: request } },
    responses: {
      200: withExecution(jsonResponse('The chain has ended.', ChainResult, result)),
      202: ACCEPTED_RESPONSE,
    },
    errors: RUN_ERRORS,
  }),
]
