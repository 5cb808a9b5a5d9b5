/** What an endpoint declares about itself. `scripts/openapi` assembles these declarations into `schema/openapi.json`. */
import { type TSchema, Type } from 'typebox'
import { ExecutionAccepted } from '../../executions/store/execution.shape.ts'
import type { ErrorName } from './error-responses.shape.ts'

export type Operation = {
  method: 'get' | 'post' | 'patch' | 'delete'
  path: string
  id: string
  tag: 'native' | 'health' | 'chat' | 'message'
  summary: string
  description?: string
  parameters?: readonly Parameter[]
  /** Always JSON. */
  body?: Content
  /** Successful responses, by status. */
  responses: Readonly<Record<number, Response>>
  errors: readonly ErrorName[]
  /** Needs no API key, even if the server has keys. */
  isOpen?: true
}

type Described = Omit<Operation, 'method' | 'path' | 'id' | 'tag'> & Partial<Pick<Operation, 'tag'>>

export function operation(at: `${Operation['method']} ${string}`, id: string, described: Described): Operation {
  const [method = '', path = ''] = at.split(' ')
  return { method: method as Operation['method'], path, id, tag: 'native', ...described }
}

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  shape: TSchema
  isRequired: boolean
  example?: unknown
}

export function pathParameter(name: string, shape: TSchema, example: string): Parameter {
  return { name, in: 'path', shape, isRequired: true, example }
}

export function optionalHeader(name: string, shape: TSchema, example?: string): Parameter {
  return { name, in: 'header', shape, isRequired: false, ...(example !== undefined && { example }) }
}

/** Of every endpoint that runs something. */
export const IDEMPOTENCY_KEY = optionalHeader(
  'Idempotency-Key',
  Type.String({
    minLength: 1,
    maxLength: 255,
    description:
      'For 24 hours, a repeated request with the same key and body gets the same execution: it is attached while the agent runs, and gets the stored answer afterwards. With a key, the agent keeps running when the client disconnects.',
  }),
  'b1946ac9-2492-4d23-8b3a-5e6f70819203',
)

/** `respond-async` is the same as `detach` in the body. */
export const PREFER = optionalHeader(
  'Prefer',
  Type.String({ description: '`respond-async`: answer immediately with 202 and the id of the execution.' }),
)

/** Of every stream of numbered events. */
export const LAST_EVENT_ID = optionalHeader(
  'Last-Event-ID',
  Type.String({ description: 'The number of the last event that the client has received.' }),
)

export function toQueryParameters(shape: { properties: Record<string, TSchema> }): Parameter[] {
  return Object.entries(shape.properties).map(([name, each]) => ({ name, in: 'query', shape: each, isRequired: false }))
}

export type Response = {
  description: string
  /** By media type. */
  content?: Readonly<Record<string, Content>>
  /** Names of header components. Every response also has `X-Request-Id`. */
  headers?: readonly string[]
}

/** The shape of a body, with examples by name. */
export type Content = {
  shape: TSchema
  examples: Readonly<Record<string, unknown>>
  /** For a stream, which is text: the shape of the JSON in each of its events. */
  eventShape?: TSchema
}

/** A stream of events. `frame` turns the JSON of an event into the text that is sent. */
export function eventStream<T>(
  { shape, description }: { shape: TSchema; description: string },
  { events, frame }: { events: Readonly<Record<string, T>>; frame: (event: T) => string },
): Content {
  const example = Object.values(events).map(frame).join('')
  return { shape: Type.String({ description }), examples: { example }, eventShape: shape }
}

type NumberedEvents<T> = {
  shape: TSchema
  /** The name of the shape. */
  name: string
  events: Readonly<Record<string, T>>
  /** What they are events of: `execution`, `run`. */
  subject: string
}

/** The responses with numbered events: one per line, or as server-sent events. */
export function eventResponses<T extends { seq?: number; type: string }>({
  shape,
  name,
  events,
  subject,
}: NumberedEvents<T>): Readonly<Record<number, Response>> {
  const article = /^[AEIOU]/.test(name) ? 'an' : 'a'
  const idLine = ({ seq }: T) => (seq === undefined ? '' : `id: ${seq}\n`)
  return {
    200: {
      description: 'The events.',
      content: {
        'application/x-ndjson': eventStream(
          { shape, description: `One event per line, each a JSON object (\`${name}\`).` },
          { events, frame: (event) => `${JSON.stringify(event)}\n` },
        ),
        'text/event-stream': eventStream(
          { shape, description: `Server-sent events; the data is ${article} \`${name}\`.` },
          {
            events,
            frame: (event) => `${idLine(event)}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
          },
        ),
      },
    },
    204: { description: `The client has all events as server-sent events, and the ${subject} has ended.` },
  }
}

export function jsonResponse(description: string, shape: TSchema, example: unknown): Response {
  return { description, content: { 'application/json': { shape, examples: { example } } } }
}

/** A response that names its execution. */
export function withExecution(response: Response): Response {
  return { ...response, headers: [...(response.headers ?? []), 'X-Execution-Id', 'Idempotency-Replayed'] }
}

/** The responses of a document that clients may cache. */
export function cachedResponses(
  description: string,
  mediaType: string,
  shape: TSchema,
): Readonly<Record<number, Response>> {
  return {
    200: { description, content: { [mediaType]: { shape, examples: {} } }, headers: ['ETag'] },
    304: { description: 'The document still matches `If-None-Match`.', headers: ['ETag'] },
  }
}

/** Values that several examples share. */
export const EXAMPLE = {
  executionId: 'exec_5c1f0a9be34d7c2f81a6d0e4',
  sessionId: '9f2c1f6be04d4c7d8b3a5e6f70819203',
  backendSessionId: '0b6f6c5e-6f0a-4a39-9c3b-1b6f3ad0f2d1',
  timestamp: '2026-09-21T13:33:20.000Z',
  unixSeconds: 1_790_000_000,
  usage: { input_tokens: 2104, output_tokens: 57, cached_tokens: 1792, reasoning_tokens: 0 },
  /** A GIF of one pixel. */
  image: {
    data: 'R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==',
    media_type: 'image/gif',
    name: 'page.gif',
  },
} as const

/** The response to a prompt that is detached. */
export const ACCEPTED_RESPONSE = jsonResponse('The prompt keeps running without the client.', ExecutionAccepted, {
  execution_id: EXAMPLE.executionId,
  session_id: EXAMPLE.sessionId,
  state: 'running',
  links: {
    self: `/api/v1/executions/${EXAMPLE.executionId}`,
    events: `/api/v1/executions/${EXAMPLE.executionId}/events`,
    cancel: `/api/v1/executions/${EXAMPLE.executionId}/cancel`,
  },
} satisfies ExecutionAccepted)
