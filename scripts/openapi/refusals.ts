/** How the server says no, in each style. The examples are made by the code that answers, from the catalogues of faults. */
import type { TSchema } from 'typebox'
import { backendUnavailable } from '../../src/agents/faults.ts'
import { toErrorBody } from '../../src/http/errors/error-body.ts'
import * as http from '../../src/http/errors/faults.ts'
import { toRefusal } from '../../src/http/errors/http-error.ts'
import { NativeError } from '../../src/http/errors/native-error.shape.ts'
import { ChatProblem, MessageProblem } from '../../src/http/errors/problem.shape.ts'
import type { Fault } from '../../src/kit/fault.ts'
import { messageInvalid } from '../../src/kit/faults.ts'
import { backendNotFound, queueFull, workdirNotAllowed } from '../../src/prompts/faults.ts'
import { sessionActive, sessionAmbiguous, sessionNotFound, sessionNotResumable } from '../../src/sessions/faults.ts'
import type { Json } from '../rewrite-shape.ts'
import { headerReferences, toMedia } from './media.ts'
import type { SchemaBook } from './schema.ts'

const STYLES = {
  Native: { url: '/api/v1/', mediaType: 'application/json', shape: NativeError },
  Chat: { url: '/openai/v1/', mediaType: 'application/problem+json', shape: ChatProblem },
  Message: { url: '/anthropic/v1/', mediaType: 'application/problem+json', shape: MessageProblem },
} satisfies Record<string, { url: string; mediaType: string; shape: TSchema }>

export type Style = keyof typeof STYLES

export function styleOf(path: string): Style {
  if (path.startsWith('/openai/')) return 'Chat'
  return path.startsWith('/anthropic/') ? 'Message' : 'Native'
}

export type RefusalName = keyof typeof REFUSALS

type Kind = {
  status: number
  description: string
  headers?: readonly string[]
  /** Some of which only one style has. */
  examples: readonly Fault[]
  onlyNative?: readonly Fault[]
  onlyCompatible?: readonly Fault[]
}

const ID = '9f2c1f6be04d4c7d8b3a5e6f70819203'

const REFUSALS = {
  BadRequest: {
    status: 400,
    description: 'The request is not valid; the message names the field, or says what cannot be had.',
    examples: [backendUnavailable({ backend: 'codex', reason: 'not_installed', wanted: 'codex' })],
    onlyNative: [
      messageInvalid({ message: 'the request', problems: [{ path: '$.prompt', rule: 'is required' }] }),
      backendNotFound({ backend: 'clod' }),
      workdirNotAllowed({ workdir: '/etc', problem: 'lies under /etc, where agents may not work' }),
    ],
    onlyCompatible: [
      messageInvalid({ message: 'the request', problems: [{ path: '$.messages', rule: 'is required' }] }),
      http.unsupportedFeature({ place: '$.messages[0].content[1]', feature: 'an image' }),
    ],
  },
  Unauthorized: {
    status: 401,
    description: 'The server has API keys, and the request carries none or a wrong one.',
    headers: ['WWW-Authenticate'],
    examples: [http.unauthorized({ problem: 'missing' })],
  },
  NotFound: {
    status: 404,
    description: 'There is no such thing, or no such path.',
    examples: [http.pathNotFound({ path: '/nowhere' })],
    onlyNative: [sessionNotFound({ id: ID })],
    onlyCompatible: [http.modelNotFound({ model: 'clod' })],
  },
  MethodNotAllowed: {
    status: 405,
    description: 'The path was called with a method that it does not have.',
    headers: ['Allow'],
    examples: [http.methodNotAllowed({ method: 'PUT', path: '/api/v1/prompt', allow: ['POST'] })],
  },
  Conflict: {
    status: 409,
    description: 'The state of the session does not allow it.',
    examples: [
      sessionActive({ id: ID }),
      sessionNotResumable({ id: ID, backend: 'codex' }),
      sessionAmbiguous({ id: '9f2c', count: 2 }),
    ],
  },
  TooLarge: {
    status: 413,
    description: 'The body has more bytes than the server takes.',
    examples: [http.requestTooLarge({ limitBytes: 10_485_760 })],
  },
  UnsupportedMediaType: {
    status: 415,
    description: 'The body is not JSON.',
    examples: [http.mediaTypeUnsupported({ mediaType: 'text/xml' })],
  },
  TooManyRequests: {
    status: 429,
    description: 'The rate limit is exceeded.',
    headers: ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
    examples: [http.tooManyRequests({ limit: 20, retryAfterSecs: 1 })],
  },
  InternalError: {
    status: 500,
    description: 'Something went wrong; where a compatible API ran an agent, the agent may have failed.',
    examples: [http.internalError({})],
    onlyCompatible: [
      http.backendExecutionFailed({ backend: 'codex', reason: 'stream disconnected', code: 'agent_unreachable' }),
    ],
  },
  Unavailable: {
    status: 503,
    description: 'The server is busy, stopping, or cannot use its files.',
    headers: ['Retry-After'],
    examples: [queueFull({ running: 8, queued: 256 }), http.shuttingDown({})],
  },
  Timeout: {
    status: 504,
    description: 'The agent did not finish in time.',
    examples: [http.backendTimeout({ reason: 'claude did not finish within 300 s and was ended' })],
  },
} satisfies Record<string, Kind>

const OTHER: Omit<Kind, 'status'> = {
  description: 'Whatever else can go wrong has a body of the same form.',
  examples: [http.requestTimeout({ limitSecs: 30 }), http.originNotAllowed({ origin: 'https://elsewhere.example' })],
}

/** What any operation may answer. */
export const ALWAYS: readonly RefusalName[] = [
  'Unauthorized',
  'MethodNotAllowed',
  'TooManyRequests',
  'InternalError',
  'Unavailable',
]
export const WITH_BODY: readonly RefusalName[] = ['BadRequest', 'TooLarge', 'UnsupportedMediaType', ...ALWAYS]

/** References to the refusals that an operation lists, and one for all that it does not. */
export function refusalResponses(style: Style, names: readonly RefusalName[]): Json {
  const listed = names.map((name) => [REFUSALS[name].status, { $ref: `#/components/responses/${style}${name}` }])
  return { ...Object.fromEntries(listed), default: { $ref: `#/components/responses/${style}Other` } }
}

export function refusalComponents(book: SchemaBook): Json {
  const components = (Object.keys(STYLES) as Style[]).flatMap((style) => [
    ...Object.entries(REFUSALS).map(([name, kind]) => [`${style}${name}`, toComponent(style, kind, book)]),
    [`${style}Other`, toComponent(style, OTHER, book)],
  ])
  return Object.fromEntries(components)
}

function toComponent(style: Style, kind: Omit<Kind, 'status'>, book: SchemaBook): Json {
  const { description, headers = [], examples, onlyNative = [], onlyCompatible = [] } = kind
  const own = style === 'Native' ? onlyNative : onlyCompatible
  const bodies = [...own, ...examples].map((fault) => toExample(style, fault))
  return {
    description,
    headers: headerReferences(headers),
    content: {
      [STYLES[style].mediaType]: toMedia({ shape: STYLES[style].shape, examples: Object.fromEntries(bodies) }, book),
    },
  }
}

function toExample(style: Style, fault: Fault): [string, object] {
  const refusal = toRefusal(fault)
  const { body } = toErrorBody(refusal, { url: STYLES[style].url, errorsBase: 'https://drover.dev/errors' })
  return [refusal.code, body]
}
