/** The error responses that endpoints list by name. Examples are made from real faults by the code that sends them. */
import { NATIVE_BACKENDS } from '../../agents/adapter/agent.ts'
import { backendUnavailable } from '../../agents/faults.ts'
import {
  executionAmbiguous,
  executionEnded,
  executionLost,
  executionNotFound,
  idempotencyKeyReused,
} from '../../executions/store/faults.ts'
import type { Fault } from '../../kit/fault.ts'
import { messageInvalid } from '../../kit/faults.ts'
import {
  backendNotFound,
  queueFull,
  shuttingDown,
  unsupportedFeature,
  workdirNotAllowed,
} from '../../prompts/faults.ts'
import { sessionActive, sessionAmbiguous, sessionNotFound, sessionNotResumable } from '../../sessions/faults.ts'
import * as http from '../errors/faults.ts'

export type ErrorResponse = {
  status: number
  description: string
  headers?: readonly string[]
  examples: readonly Fault[]
  onlyNative?: readonly Fault[]
  onlyCompatible?: readonly Fault[]
}

export type ErrorName = keyof typeof ERROR_RESPONSES

const ID = '9f2c1f6be04d4c7d8b3a5e6f70819203'
const EXECUTION_ID = 'exec_5c1f0a9be34d7c2f81a6d0e4'
const RESPONSE_ID = 'resp_5c1f0a9be34d7c2f81a6d0e4'

export const ERROR_RESPONSES = {
  BadRequest: {
    status: 400,
    description: 'The request is invalid. The message names the field or the unsupported feature.',
    examples: [backendUnavailable({ backend: 'codex', reason: 'not_installed', wanted: 'codex' })],
    onlyNative: [
      messageInvalid({ message: 'the request', problems: [{ path: '$.prompt', rule: 'is required' }] }),
      backendNotFound({ backend: 'clod', known: NATIVE_BACKENDS }),
      workdirNotAllowed({ workdir: '/etc', problem: 'is blocked for agents; choose another one' }),
    ],
    onlyCompatible: [
      messageInvalid({ message: 'the request', problems: [{ path: '$.messages', rule: 'is required' }] }),
      unsupportedFeature({
        place: '$.messages[0].content[1]',
        feature: 'content of type input_audio',
        advice: 'send text, images or PDF documents',
      }),
      http.upstreamRejected({ backend: 'claude', reason: 'prompt is too long', agentCode: 'agent_request_rejected' }),
    ],
  },
  Unauthorized: {
    status: 401,
    description: 'The server requires an API key, and the request has no key or a wrong one.',
    headers: ['WWW-Authenticate'],
    examples: [http.unauthorized({ problem: 'missing' })],
  },
  NotFound: {
    status: 404,
    description: 'The resource or the path does not exist.',
    examples: [http.pathNotFound({ path: '/nowhere' })],
    onlyNative: [sessionNotFound({ id: ID }), executionNotFound({ id: EXECUTION_ID })],
    onlyCompatible: [
      http.modelNotFound({ model: 'clod', list: '/openai/v1/models' }),
      http.responseNotFound({ id: RESPONSE_ID }),
      http.conversationNotFound({ id: `conv_${ID}` }),
      http.upstreamModelUnknown({
        ...{ backend: 'claude', reason: 'model: claude-9', agentCode: 'agent_model_unknown', model: 'claude-9' },
      }),
    ],
  },
  PaymentRequired: {
    status: 402,
    description: 'The account that the agent uses has no credit left.',
    examples: [
      http.upstreamOutOfCredit({
        backend: 'claude',
        reason: 'Credit balance is too low',
        agentCode: 'agent_out_of_credit',
      }),
    ],
  },
  MethodNotAllowed: {
    status: 405,
    description: 'The path does not support this method.',
    headers: ['Allow'],
    examples: [http.methodNotAllowed({ method: 'PUT', path: '/api/v1/prompt', allow: ['POST'] })],
  },
  Conflict: {
    status: 409,
    description: 'The state of the session or execution does not allow this operation.',
    examples: [
      sessionActive({ id: ID }),
      sessionNotResumable({ id: ID, backend: 'codex' }),
      sessionAmbiguous({ id: '9f2c', count: 2 }),
      executionAmbiguous({ id: 'exec_5c1f' }),
      executionEnded({ id: EXECUTION_ID, state: 'completed' }),
      executionLost({ id: EXECUTION_ID, state: 'lost' }),
    ],
    onlyCompatible: [http.responseRunning({ id: RESPONSE_ID })],
  },
  TooLarge: {
    status: 413,
    description: 'The request body is larger than the server accepts.',
    examples: [http.requestTooLarge({ limitBytes: 10_485_760 })],
  },
  UnsupportedMediaType: {
    status: 415,
    description: 'The request body is not JSON.',
    examples: [http.mediaTypeUnsupported({ mediaType: 'text/xml' })],
  },
  KeyReused: {
    status: 422,
    description: 'The `Idempotency-Key` was used for another request.',
    examples: [idempotencyKeyReused({ key: 'b1946ac9-2492-4d23' })],
  },
  TooManyRequests: {
    status: 429,
    description:
      'The client exceeds its rate limit, or has too many open requests. On a compatible API, also sent if the agent exceeds the limit of its model service or of its plan.',
    headers: ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
    examples: [
      http.tooManyRequests({ limit: 20, retryAfterSecs: 1 }),
      http.tooManyOpenRequests({ limit: 256, of: 'key' }),
    ],
    onlyCompatible: [
      http.upstreamRateLimited({
        backend: 'codex',
        reason: 'rate limit reached, try again in 20s',
        agentCode: 'agent_rate_limited',
        retryAfterSecs: 20,
      }),
      http.upstreamUsageLimited({
        backend: 'claude',
        reason: "You've hit your session limit · resets 3pm (Europe/Berlin)",
        agentCode: 'agent_usage_limited',
        retryAfterSecs: 5400,
      }),
    ],
  },
  InternalError: {
    status: 500,
    description: 'An internal error, or on a compatible API a failed agent.',
    examples: [http.internalError({})],
    onlyCompatible: [
      http.backendExecutionFailed({ backend: 'codex', reason: 'stream disconnected', agentCode: 'agent_unreachable' }),
    ],
  },
  Unavailable: {
    status: 503,
    description: 'The server is busy, is shutting down, or cannot access its files.',
    headers: ['Retry-After'],
    examples: [queueFull({ running: 8, queued: 256 }), http.tooManyConnections({ limit: 512 }), shuttingDown({})],
    onlyCompatible: [
      http.upstreamOverloaded({
        backend: 'claude',
        reason: 'API Error: 529 Overloaded',
        agentCode: 'agent_overloaded',
      }),
    ],
  },
  BadGateway: {
    status: 502,
    description: 'The model service refuses the account of the agent.',
    examples: [http.upstreamAuth({ backend: 'codex', reason: '401 Unauthorized', agentCode: 'agent_auth_failed' })],
  },
  Timeout: {
    status: 504,
    description: 'The agent did not finish in time.',
    examples: [http.backendTimeout({ reason: 'claude did not finish within 300 s and was stopped' })],
  },
} satisfies Record<string, ErrorResponse>

/** The `default` response of every operation. */
export const OTHER_ERROR: Omit<ErrorResponse, 'status'> = {
  description: 'All other errors have a body of the same form.',
  examples: [
    http.requestTimeout({ limitSecs: 30 }),
    http.originNotAllowed({ origin: 'https://elsewhere.example', canBeListed: true }),
  ],
}

/** Errors of endpoints that need no API key. */
export const OPEN_ERRORS: readonly ErrorName[] = ['MethodNotAllowed', 'TooManyRequests', 'InternalError', 'Unavailable']
/** Errors of every endpoint that needs a key. */
export const COMMON_ERRORS: readonly ErrorName[] = ['Unauthorized', ...OPEN_ERRORS]
export const BODY_ERRORS: readonly ErrorName[] = ['BadRequest', 'TooLarge', 'UnsupportedMediaType', ...COMMON_ERRORS]
export const SESSION_ERRORS: readonly ErrorName[] = ['BadRequest', 'NotFound', 'Conflict', ...COMMON_ERRORS]
/** Errors of endpoints that run something, and that a request with an `Idempotency-Key` can repeat. */
export const RUN_ERRORS: readonly ErrorName[] = [...BODY_ERRORS, 'Conflict', 'KeyReused']
export const AGENT_ERRORS: readonly ErrorName[] = [...RUN_ERRORS, 'PaymentRequired', 'BadGateway', 'Timeout']
