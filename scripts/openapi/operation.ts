/** One operation of the API as it is described, and how that becomes a part of the OpenAPI document. */
import type { TSchema } from 'typebox'
import type { Json } from '../rewrite-shape.ts'
import { type Body, headerReferences, toMedia } from './media.ts'
import { type RefusalName, refusalResponses, styleOf } from './refusals.ts'
import type { SchemaBook } from './schema.ts'

export const TAGS = {
  native: 'Custom API',
  health: 'Health',
  chat: 'OpenAI Compatible',
  message: 'Anthropic Compatible',
} as const

export type Operation = {
  method: 'get' | 'post' | 'patch' | 'delete'
  path: string
  id: string
  tag: keyof typeof TAGS
  summary: string
  description?: string
  parameters?: readonly Parameter[]
  /** Always JSON. */
  body?: Body
  answers: Readonly<Record<number, Answer>>
  refusals: readonly RefusalName[]
  /** Needs no key even where keys are set. */
  isOpen?: true
}

export type Answer = {
  description: string
  /** By media type. */
  content?: Readonly<Record<string, Body>>
  /** Names of header components, beside the request id, which every answer has. */
  headers?: readonly string[]
}

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  shape: TSchema
  isRequired: boolean
  example?: unknown
}

export function toOperationObject(operation: Operation, book: SchemaBook): Json {
  const { id, tag, summary, description, parameters, body, answers, refusals, isOpen } = operation
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
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, toResponse(answer, book)])),
      ...refusalResponses(styleOf(operation.path), refusals),
    },
  }
}

function toParameter({ name, in: place, shape, isRequired, example }: Parameter, book: SchemaBook): Json {
  const { description, ...schema } = book.schemaOf(shape)
  return { name, in: place, required: isRequired, description, schema, ...(example !== undefined && { example }) }
}

function toResponse({ description, content = {}, headers = [] }: Answer, book: SchemaBook): Json {
  const media = Object.entries(content).map(([type, body]) => [type, toMedia(body, book)])
  return {
    description,
    headers: headerReferences(headers),
    ...(media.length > 0 && { content: Object.fromEntries(media) }),
  }
}
