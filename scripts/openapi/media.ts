import type { TSchema } from 'typebox'
import type { Json } from '../rewrite-shape.ts'
import type { SchemaBook } from './schema.ts'

/** What a body is like. In a stream the shape and the examples are those of one event. */
export type Body = { shape: TSchema; examples: Readonly<Record<string, unknown>> }

export function toMedia({ shape, examples }: Body, book: SchemaBook): Json {
  const named = Object.entries(examples).map(([name, value]) => [name, { value }])
  return { schema: book.schemaOf(shape), ...(named.length > 0 && { examples: Object.fromEntries(named) }) }
}

/** The headers of an answer; every answer has the request id. */
export function headerReferences(names: readonly string[]): Json {
  return Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
