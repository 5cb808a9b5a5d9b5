/**
 * Shapes are written for readers. For validators they are rewritten into equivalent rules whose errors can name the allowed
 * values. The rewrites are pure and do not change which values are valid.
 */
import { hash } from 'node:crypto'
import type { OptionalFields } from '../src/kit/schema.ts'

export type Json = { [key: string]: unknown }

/** The schemas for the validator compiler by name: every shape and every named part, which refer to each other. */
export function validatorSchemas(shapes: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> {
  const definitions: Record<string, Json> = {}
  for (const [name, shape] of Object.entries(shapes)) {
    hoist(rewrite({ $id: name, ...plain(shape) }), { definitions, prefix: '' })
  }
  return definitions
}

/** The published schema: standard keywords, named parts defined once. */
export function publishedSchema(shape: Json, definitions: Json): Json {
  return hoist(published(plain(shape)), { definitions, prefix: '#/$defs/' })
}

/** The fields of a request in which null means that they are not given. */
export function optionalFields({ properties = {}, required = [] }: Json): OptionalFields {
  const fields = Object.entries(properties as Record<string, Json>)
  const open = fields.filter(([name, part]) => !(required as string[]).includes(name) && !allowsNull(part))
  const inner = fields.flatMap(([name, part]) => {
    const held = (part['items'] ?? part) as Json
    return held['x-request'] === true ? [[name, optionalFields(held)] as const] : []
  })
  return { names: open.map(([name]) => name), within: Object.fromEntries(inner) }
}

function allowsNull({ anyOf = [] }: Json): boolean {
  return (anyOf as Json[]).some(({ type }) => type === 'null')
}

/** Removes the hidden properties of TypeBox. */
function plain(shape: Json): Json {
  return JSON.parse(JSON.stringify(shape)) as Json
}

function mapSchemas(schema: Json, change: (part: Json) => Json): Json {
  const mapped: Json = { ...schema }
  for (const word of ['properties', 'patternProperties', '$defs']) {
    const parts = schema[word]
    if (isObject(parts)) {
      mapped[word] = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, change(part as Json)]))
    }
  }
  for (const word of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
    const parts = schema[word]
    if (Array.isArray(parts)) mapped[word] = parts.map((part) => change(part))
  }
  for (const word of ['items', 'additionalProperties', 'propertyNames', 'contains', 'if', 'then', 'else', 'not']) {
    const part = schema[word]
    if (isObject(part)) mapped[word] = change(part)
  }
  return mapped
}

function rewrite(schema: Json): Json {
  const {
    'x-max-utf8-bytes': bytes,
    'x-says': says,
    'x-wide': wide,
    'x-tag': tag,
    ...rest
  } = mapSchemas(schema, rewrite)
  const standard = Object.fromEntries(Object.entries(rest).filter(([word]) => !isForReaders(word)))
  if (bytes !== undefined) standard['maxUtf8Bytes'] = bytes
  if (says !== undefined) {
    standard['saidPattern'] = { pattern: standard['pattern'], says }
    delete standard['pattern']
  }
  if (wide === true) {
    delete standard['type']
    standard['wideInteger'] = true
  }
  if (standard['uniqueItems'] === true) standard['items'] = withTypeInSight(standard['items'] as Json)
  if (tag !== undefined) return tagFirst(standard, { tag: String(tag), branches: schema['anyOf'] as Json[] })
  return namesInsteadOfNoOthers(standard)
}

/** Adds the type of named items: behind a reference ajv does not see it, and would compare every item with every other. */
function withTypeInSight(items: Json): Json {
  return items['type'] === 'string' ? { type: 'string', allOf: [items] } : items
}

/** Keywords that validate nothing. */
function isForReaders(word: string): boolean {
  return word.startsWith('x-') || word === 'title' || word === 'description' || word === 'default'
}

/** "No additional properties" becomes "property names are one of these", so that the error contains the allowed names. */
function namesInsteadOfNoOthers(schema: Json): Json {
  if (schema['additionalProperties'] !== false || schema['patternProperties'] !== undefined) return schema
  const { additionalProperties: _none, ...rest } = schema
  return { ...rest, propertyNames: { enum: Object.keys((schema['properties'] ?? {}) as Json) } }
}

/** "Any of these objects" becomes "the tag is known, and the object fits the branch of the tag". */
function tagFirst(schema: Json, union: { tag: string; branches: readonly Json[] }): Json {
  const { anyOf, ...rest } = schema
  const { tag } = union
  const cases = union.branches.map((branch) => tagOf(branch, tag))
  const values = cases.flatMap((each) => each.values ?? [])
  const isByValue = cases.every((each) => each.presence === 'absent' || each.values !== undefined)
  return {
    ...rest,
    type: 'object',
    required: cases.every((each) => each.presence === 'required') ? [tag] : [],
    properties: isByValue ? { [tag]: { enum: values } } : {},
    allOf: (anyOf as Json[]).map((branch, index) => ({
      if: tagCondition(tag, cases[index] as TagCase),
      // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword in an object that is never awaited
      then: named(branch),
    })),
  }
}

/** Makes each branch its own function, so that a process compiles only the branches that it uses. */
function named(branch: Json): Json {
  return { $id: `branch-${hash('sha256', JSON.stringify(branch))}`, ...branch }
}

/** How a branch defines its tag; `values` if the tag is a literal or an enum. */
type TagCase = { presence: 'required' | 'optional' | 'absent'; values: unknown[] | undefined }

function tagCondition(tag: string, { presence, values }: TagCase): Json {
  if (presence === 'absent') return { not: { required: [tag] } }
  const required = presence === 'required' ? { required: [tag] } : {}
  return values === undefined ? required : { ...required, properties: { [tag]: { enum: values } } }
}

function tagOf(branch: Json, tag: string): TagCase {
  if (Array.isArray(branch['anyOf'])) return joinCases(branch['anyOf'].map((inner) => tagOf(inner, tag)))
  const part = (branch['properties'] as Json | undefined)?.[tag] as Json | undefined
  if (part === undefined) return { presence: 'absent', values: undefined }
  const literal = 'const' in part ? [part['const']] : undefined
  const presence = (branch['required'] as string[] | undefined)?.includes(tag) ? 'required' : 'optional'
  return { presence, values: (part['enum'] as unknown[] | undefined) ?? literal }
}

/** A union inside a union counts as one branch, so all its branches must define the tag in the same way. */
function joinCases(cases: readonly TagCase[]): TagCase {
  const presence = cases[0]?.presence
  if (presence === undefined || cases.some((each) => each.presence !== presence)) {
    throw new Error('the branches of a union inside a tagged one differ in whether they have its tag')
  }
  const values = cases.every((each) => each.values !== undefined) ? cases.flatMap((each) => each.values) : undefined
  return { presence, values: values && [...new Set(values)] }
}

function published(schema: Json): Json {
  const {
    'x-tag': tag,
    'x-says': says,
    'x-wide': _wide,
    'x-max-utf8-bytes': bytes,
    anyOf,
    ...rest
  } = mapSchemas(schema, published)
  const described = typeof says === 'string' && rest['description'] === undefined ? { description: says } : {}
  // A character has at least one byte, so a limit in bytes is also a limit in characters, which the standard can express.
  const limit = bytes === undefined ? {} : { maxLength: bytes, 'x-max-utf8-bytes': bytes }
  const union = anyOf === undefined ? {} : { [tag === undefined ? 'anyOf' : 'oneOf']: flat(anyOf as Json[]) }
  return { ...rest, ...described, ...limit, ...union }
}

/** Flattens nested unions for readers. */
function flat(branches: readonly Json[]): Json[] {
  return branches.flatMap((branch) => {
    const isUnionAlone = Array.isArray(branch['oneOf']) && Object.keys(branch).length === 1
    return isUnionAlone ? (branch['oneOf'] as Json[]) : [branch]
  })
}

type Place = { definitions: Json; prefix: string }

/** Moves named parts into `definitions` and replaces them by references with their local description. */
function hoist(schema: Json, place: Place): Json {
  const { $id, 'x-meaning': meaning, ...body } = schema
  const inner = hoistInside(body, place)
  const described = meaning === undefined ? {} : { description: meaning }
  if (typeof $id !== 'string') return { ...inner, ...described }
  define(place, $id, inner)
  return { $ref: `${place.prefix}${$id}`, ...described }
}

function hoistInside(schema: Json, place: Place): Json {
  return mapSchemas(schema, (part) => hoist(part, place))
}

function define({ definitions }: Place, name: string, schema: Json): void {
  const known = definitions[name]
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
    throw new Error(`two different shapes have the name ${name}`)
  }
  definitions[name] = schema
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
