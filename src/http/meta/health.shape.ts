import { Type } from 'typebox'
import { literals, type Message, namedObject, optionalInteger, optionalText } from '../../kit/shape.ts'
import { OPEN_ERRORS } from '../api-description/error-responses.shape.ts'
import { type Operation, operation } from '../api-description/operation.shape.ts'
import { NativeError } from '../errors/error-body.shape.ts'

const BackendHealth = Type.Object({
  name: Type.String(),
  available: Type.Boolean({ description: 'Whether it can run prompts.' }),
  version: optionalText('Omitted until the agent has printed its version.'),
  demo: Type.Optional(Type.Literal(true, { description: 'The built-in demo agent replaces it.' })),
})

const StoreHealth = Type.Object({
  available: Type.Boolean(),
  session_count: optionalInteger('Only for a sender that sees all sessions. 0 if the session store is not available.', {
    minimum: 0,
  }),
  error: optionalText('Only present if the session store is not available.'),
})

const Health = namedObject('Health', {
  status: literals(['ok', 'degraded', 'unhealthy'], {
    description:
      '`degraded`: an enabled agent is not installed here, or on no worker if workers run the prompts. `unhealthy`: no session can be stored, for example because the disk is full.',
  }),
  version: Type.String({ description: 'The version of drover.' }),
  uptime: Type.String({ description: 'For example `1h0m5s`.' }),
  uptime_ms: Type.Integer({ minimum: 0 }),
  backends: Type.Array(BackendHealth, { description: 'The enabled backends in canonical order.' }),
  session_store: StoreHealth,
})
export type Health = Message<typeof Health>

const Ready = namedObject('Ready', { ready: Type.Boolean({ description: 'Whether the server can take requests.' }) })
export type Ready = Message<typeof Ready>

const ok: Health = {
  status: 'ok',
  version: '0.2.0',
  uptime: '2m31s',
  uptime_ms: 151_204,
  backends: [{ name: 'claude', available: true, version: '2.1.0' }],
  session_store: { available: true, session_count: 12 },
}

const unhealthy: Health = {
  ...ok,
  status: 'unhealthy',
  backends: [],
  session_store: { available: false, session_count: 0, error: 'the session store is not available' },
}

export const OPERATIONS: readonly Operation[] = [
  operation('get /health', 'healthCheck', {
    tag: 'health',
    summary: 'Check whether the server works',
    responses: {
      200: {
        description: 'The server works. Some agents may not be installed.',
        content: { 'application/json': { shape: Health, examples: { ok } } },
      },
      503: {
        description:
          'The session store is not available, or the server is shutting down, which only open connections see: it refuses new ones.',
        content: { 'application/json': { shape: Type.Union([Health, NativeError]), examples: { unhealthy } } },
        headers: ['Retry-After'],
      },
    },
    errors: OPEN_ERRORS.filter((name) => name !== 'Unavailable'),
    isOpen: true,
  }),
  operation('get /ready', 'readyCheck', {
    tag: 'health',
    summary: 'Ask whether the server can take requests',
    responses: {
      200: {
        description: 'The server takes requests.',
        content: { 'application/json': { shape: Ready, examples: { ready: { ready: true } } } },
      },
      503: {
        description: 'The session store is not available, or the server is shutting down.',
        content: {
          'application/json': { shape: Type.Union([Ready, NativeError]), examples: { waiting: { ready: false } } },
        },
        headers: ['Retry-After'],
      },
    },
    errors: OPEN_ERRORS.filter((name) => name !== 'Unavailable'),
    isOpen: true,
  }),
]
