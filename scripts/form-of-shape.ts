/**
 * Derives shapes for step-by-step checks (kit/check-in-order.ts) from the shape of an input: one for its structure,
 * checked before any rule about values, and one for its fields, checked one by one.
 */
import type { TSchema } from 'typebox'
import type { Json } from './rewrite-shape.ts'

/**
 * Checks the names of all fields and that none is null, at every depth; then the types, at every depth. A null list and a
 * null optional object pass, because the check of their field reports them.
 */
export function formOf(shape: TSchema): TSchema {
  const schema = shape as Json
  return { $id: `${schema['$id']}Form`, allOf: [project(schema, namesOf), project(schema, typesOf)] } as TSchema
}

/** The same fields, all optional. */
export function fieldsOf(shape: TSchema): TSchema {
  const { required: _required, ...schema } = shape as Json
  return { ...schema, $id: `${schema['$id']}Fields` } as TSchema
}

type Part = { type: unknown; inner: Json; mayBeNull: boolean }

/** Reduces a shape to its structure. */
function project(schema: Json, keep: (part: Part) => Json, isOptional = false): Json {
  const { properties, items, additionalProperties } = schema
  const type = schema['type'] ?? typeOfWords(schema['enum'])
  if (type === 'array') return keep({ type, inner: { items: project(items as Json, keep) }, mayBeNull: true })
  if (type !== 'object') return keep({ type, inner: {}, mayBeNull: false })
  const required = schema['required'] as string[]
  const fields = Object.entries(properties as Record<string, Json>).map(([name, part]) => {
    return [name, project(part, keep, !required.includes(name))]
  })
  return keep({ type, inner: { properties: Object.fromEntries(fields), additionalProperties }, mayBeNull: isOptional })
}

function typeOfWords(words: unknown): string {
  if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return 'string'
  throw new Error('only objects, lists and single values can be checked in steps')
}

const NULL = { type: 'null' }

function namesOf({ type, inner, mayBeNull }: Part): Json {
  // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword in an object that is never awaited
  return mayBeNull ? inner : { ...inner, if: NULL, then: { type } }
}

function typesOf({ type, inner, mayBeNull }: Part): Json {
  const { additionalProperties: _names, ...rest } = inner
  // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword in an object that is never awaited
  return mayBeNull ? { if: { not: NULL }, then: { type, ...rest } } : { type, ...rest }
}
