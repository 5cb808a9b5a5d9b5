import { CompareRequest } from '../../prompts/prompt-request.shape.ts'
import { ComparisonResult } from '../../prompts/prompt-result.shape.ts'
import { RUN_ERRORS } from '../api-description/error-responses.shape.ts'
import {
  IDEMPOTENCY_KEY,
  jsonResponse,
  type Operation,
  PREFER,
  withExecution,
} from '../api-description/operation.shape.ts'
import { ACCEPTED_RESPONSE } from '../executions/accepted.shape.ts'
import { ANSWERED, TIMED_OUT } from './prompt.shape.ts'

const request: CompareRequest = { prompt: 'Name three risks of this design.', backends: ['claude', 'codex'] }

const result: ComparisonResult = {
  prompt: 'Name three risks of this design.',
  backends: ['claude', 'codex'],
  results: [
    { ...ANSWERED, session_id: '' },
    { ...TIMED_OUT, session_id: '' },
  ],
  total_duration_ms: 300_007,
}

export const OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/api/v1/compare',
    id: 'executeCompare',
    tag: 'native',
    summary: 'Run the same prompt on several agents',
    description: 'An agent that fails has an error as its result; the others still run. No sessions are stored.',
    parameters: [IDEMPOTENCY_KEY, PREFER],
    body: { shape: CompareRequest, examples: { example: request } },
    responses: {
      200: withExecution(jsonResponse('All agents have ended.', ComparisonResult, result)),
      202: ACCEPTED_RESPONSE,
    },
    errors: RUN_ERRORS,
  },
]
