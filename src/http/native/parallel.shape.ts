import { ParallelRequest } from '../../prompts/prompt-request.shape.ts'
import { ParallelResult } from '../../prompts/prompt-result.shape.ts'
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

const request: ParallelRequest = {
  tasks: [
    { backend: 'claude', prompt: 'Review src/parser.ts.' },
    { backend: 'gemini', prompt: 'Review src/lexer.ts.' },
  ],
  max_parallel: 2,
  fail_fast: false,
}

const result: ParallelResult = {
  total_tasks: 2,
  completed: 1,
  failed: 1,
  canceled: 0,
  total_duration_ms: 300_009,
  results: [
    { ...ANSWERED, session_id: '' },
    { ...TIMED_OUT, session_id: '', backend: 'gemini' },
  ],
}

export const OPERATIONS: readonly Operation[] = [
  operation('post /api/v1/parallel', 'executeParallel', {
    summary: 'Run independent prompts in parallel',
    description: 'A task that fails has an error as its result; the other tasks still run. No sessions are stored.',
    parameters: [IDEMPOTENCY_KEY, PREFER],
    body: { shape: ParallelRequest, examples: { example: request } },
    responses: {
      200: withExecution(jsonResponse('All tasks have ended.', ParallelResult, result)),
      202: ACCEPTED_RESPONSE,
    },
    errors: RUN_ERRORS,
  }),
]
