/** Reads `schema/openapi.json` and checks requests and responses against it, as a client would. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import type { Answer } from './start-server.ts'

type Schema = Readonly<Record<string, unknown>>
type Media = { schema: Schema; 'x-event-schema'?: Schema; examples?: Record<string, { value: unknown }> }
type Response = { description: string; headers?: Record<string, unknown>; content?: Record<string, Media> }
export type DescribedOperation = {
  operationId: string
  tags: string[]
  security?: object[]
  parameters?: { name: string; in: string; schema: Schema; example?: unknown }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Response | { $ref: string }>
}
export type OpenApiDocument = {
  openapi: string
  info: { version: string }
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, DescribedOperation>>
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, Response>
    headers: Record<string, { required?: boolean }>
  }
}

export const OPENAPI: OpenApiDocument = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', 'schema', 'openapi.json'), 'utf8'),
)

export function listOperations(): { method: string; path: string; operation: DescribedOperation }[] {
  return Object.entries(OPENAPI.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

export function responseOf(operation: DescribedOperation, status: number): Response | undefined {
  const found = operation.responses[status] ?? operation.responses['default']
  if (found === undefined || !('$ref' in found)) return found
  return OPENAPI.components.responses[found.$ref.replace('#/components/responses/', '')]
}

/**
 * Explains why a value does not match a schema of the document; null if it matches. Objects are treated as closed, so an
 * undescribed field is an error too.
 */
export function misfit(schema: Schema, value: unknown): string | null {
  const key = JSON.stringify(schema)
  const validate = compiled.get(key) ?? ajv.compile({ ...(closed(schema) as Schema), components: CLOSED_COMPONENTS })
  compiled.set(key, validate)
  return validate(value) ? null : ajv.errorsText(validate.errors)
}

const ajv = new Ajv({ strict: false, allErrors: true })
addFormats.default(ajv)
/** By schema as JSON: compiling takes far longer than checking, and many examples have the same schema. */
const compiled = new Map<string, ReturnType<typeof ajv.compile>>()
const CLOSED_COMPONENTS = closed({ schemas: OPENAPI.components.schemas })

function closed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closed)
  if (typeof part !== 'object' || part === null) return part
  const inner = Object.fromEntries(Object.entries(part).map(([word, value]) => [word, closed(value)]))
  return 'properties' in part && !('additionalProperties' in part) && part['properties'] !== null && isSchema(part)
    ? { ...inner, additionalProperties: false }
    : inner
}

/** Not a schema with a field named `properties`. */
function isSchema(part: object): boolean {
  return 'type' in part && part['type'] === 'object'
}

/** The differences between a real response and the document. */
export function findUndescribed(method: string, path: string, answer: Answer): string[] {
  const operation = OPENAPI.paths[path]?.[method.toLowerCase()]
  const response = operation && responseOf(operation, answer.status)
  if (response === undefined) return [`${method} ${path} has no ${answer.status}`]
  const mediaType = answer.headers['content-type']?.split(';')[0] ?? ''
  const media = response.content?.[mediaType]
  const missing = Object.keys(response.headers ?? {}).filter(
    (name) => OPENAPI.components.headers[name]?.required !== false && answer.headers[name.toLowerCase()] === undefined,
  )
  const bodies = media === undefined ? [] : bodiesOf(mediaType, answer)
  return [
    ...(media === undefined && answer.text !== '' ? [`${mediaType} is not described`] : []),
    ...missing.map((name) => `the header ${name} is missing`),
    ...bodies.flatMap((body) => misfit(media?.['x-event-schema'] ?? media?.schema ?? {}, body) ?? []),
  ]
}

/** The body of a whole response, or each event of a stream. */
function bodiesOf(mediaType: string, { text, body }: Answer): unknown[] {
  const lines = text.split('\n').filter((line) => line !== '')
  switch (mediaType) {
    case 'application/x-ndjson':
      return lines.map((line) => JSON.parse(line))
    case 'text/event-stream':
      return lines
        .filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]')
        .map((line) => JSON.parse(line.slice('data: '.length)))
    default:
      return [mediaType.endsWith('json') ? body : text]
  }
}
