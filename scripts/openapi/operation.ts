/** Converts what an endpoint declares into the words of OpenAPI. */
import type { Content, Operation, Parameter, Response } from '../../src/http/api-description/operation.shape.ts'
import type { Json } from '../rewrite-shape.ts'
import type { SchemaBook } from './schema.ts'

/** The names of the tags are part of the published document. */
export const TAGS: Readonly<Record<Operation['tag'], string>> = {
  native: 'Custom API',
  health: 'Health',
  chat: 'OpenAI Compatible',
  message: 'Anthropic Compatible',
}

/** `errors` are the error responses by status. */
export function toOperationObject(operation: Operation, errors: Json, book: SchemaBook): Json {
  const { id, tag, summary, description, parameters, body, responses, isOpen } = operation
  return {
    operationId: id,
    tags: [TAGS[tag]],
    summary,
    ...(description !== undefined && { description }),
    ...(isOpen && { security: [] }),
    ...(parameters !== undefined && { parameters: parameters.map((parameter) => toParameter(parameter, book)) }),
    ...(body !== undefined && {
      requestBody: { required: true, content: { 'application/json': toMedia(body, book) } },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, response]) => [status, toResponse(response, book)]),
      ),
      ...errors,
    },
  }
}

function toParameter({ name, in: location, shape, isRequired, example }: Parameter, book: SchemaBook): Json {
  const { description, ...schema } = book.schemaOf(shape)
  return { name, in: location, required: isRequired, description, schema, ...(example !== undefined && { example }) }
}

function toResponse({ description, content = {}, headers = [] }: Response, book: SchemaBook): Json {
  const media = Object.entries(content).map(([type, each]) => [type, toMedia(each, book)])
  return {
    description,
    headers: headerReferences(headers),
    ...(media.length > 0 && { content: Object.fromEntries(media) }),
  }
}

/** OpenAPI 3.0 cannot describe the events of a stream, so `x-event-schema` does. */
export function toMedia({ shape, examples, eventShape }: Content, book: SchemaBook): Json {
  const named = Object.entries(examples).map(([name, value]) => [name, { value }])
  const events = eventShape === undefined ? {} : { 'x-event-schema': book.schemaOf(eventShape) }
  return { schema: book.schemaOf(shape), ...events, ...(named.length > 0 && { examples: Object.fromEntries(named) }) }
}

/** Every response has the request id. */
export function headerReferences(names: readonly string[]): Json {
  return Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
