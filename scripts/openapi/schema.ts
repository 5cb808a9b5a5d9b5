/**
 * Converts a shape from JSON Schema 2020-12 to OpenAPI 3.0.3, which has no `const` and no `null` type, allows nothing beside
 * a `$ref`, and allows null only together with a type.
 */
import type { TSchema } from 'typebox'
import { type Json, optionalFields, publishedSchema } from '../rewrite-shape.ts'

const COMPONENTS = '#/components/schemas/'

/** Collects the named parts of all converted shapes. */
export type SchemaBook = {
  /** The schema for the place where the shape is used: a reference if the shape has a name. */
  schemaOf(shape: TSchema): Json
  components(): Json
}

export function createSchemaBook(): SchemaBook {
  const definitions: Json = {}
  return {
    schemaOf: (shape) => convert(publishedSchema(shape as Json, definitions)),
    components() {
      const names = Object.keys(definitions).sort()
      const schemas = Object.fromEntries(names.map((name) => [name, convert(definitions[name] as Json)]))
      return Object.fromEntries(names.map((name) => [name, withDiscriminator(schemas[name] as Json, schemas)]))
    },
  }
}

/** Keywords that are the same in both versions. */
const SHARED = new Set([
  ...['type', 'format', 'enum', 'pattern', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'],
  ...['minProperties', 'maxProperties', 'uniqueItems', 'required', 'description', 'default', 'title'],
])

function convert(schema: Json): Json {
  if (typeof schema['$ref'] === 'string') return convertReference(schema['$ref'], schema['description'])
  // Code generators fail for an enum of null.
  if (isNull(schema)) return { type: 'string', nullable: true, description: schema['description'] ?? 'Always null.' }
  const branches = schema['anyOf'] as Json[] | undefined
  if (branches?.some(isNull)) return convertNullable(schema, branches)
  const converted: Json = {}
  for (const [word, value] of Object.entries(schema)) Object.assign(converted, convertWord(word, value))
  if (Array.isArray(converted['enum'])) converted['type'] ??= typeof converted['enum'][0]
  return withoutDefaults(schema['x-request'] === true ? withNull(converted, optionalFields(schema).names) : converted)
}

/** Optional fields of a request may be null. */
function withNull(schema: Json, names: readonly string[]): Json {
  const properties = Object.entries(schema['properties'] as Record<string, Json>)
  const rule =
    names.length === 0
      ? []
      : ['Null in an optional field means that it is not given, except where the field gives null a meaning.']
  return {
    ...schema,
    ...described({ description: [schema['description'] ?? [], rule].flat().join(' ') }),
    properties: Object.fromEntries(
      properties.map(([name, part]) => [name, names.includes(name) ? orNull(part) : part]),
    ),
  }
}

function convertWord(word: string, value: unknown): Json {
  if (word === 'x-stated-pattern') return { pattern: value }
  if (word === 'x-stated-enum') return { enum: value }
  if (word.startsWith('x-')) return {}
  if (SHARED.has(word)) return { [word]: value }
  if (word === 'const') return { enum: [value], type: typeof value }
  if (word === 'properties') return { properties: mapValues(value as Record<string, Json>, convert) }
  if (word === 'items') return { items: convert(value as Json) }
  if (word === 'additionalProperties')
    return { additionalProperties: typeof value === 'boolean' ? value : convert(value as Json) }
  if (word === 'anyOf' || word === 'oneOf') return { [word]: (value as Json[]).map(convert) }
  throw new Error(`OpenAPI 3.0 has no keyword for ${word}`)
}

function convertReference(reference: string, description: unknown): Json {
  const converted = { $ref: reference.replace('#/$defs/', COMPONENTS) }
  return description === undefined ? converted : { description, allOf: [converted] }
}

/** "Any of these or null" becomes "any of these, nullable". */
function convertNullable({ anyOf: _, ...rest }: Json, branches: readonly Json[]): Json {
  const [first = {}, ...more] = branches.filter((branch) => !isNull(branch))
  if (more.length > 0) return { ...convert(rest), anyOf: [orNull(convert(first)), ...more.map(convert)] }
  const { description, ...converted } = convert(first)
  return { ...convert(rest), ...orNull(converted), ...described({ description, ...described(rest) }) }
}

function orNull(schema: Json): Json {
  // Only a schema with a type can be nullable.
  if ('$ref' in schema) return { anyOf: [schema, { type: 'object', nullable: true, maxProperties: 0 }] }
  if (Array.isArray(schema['anyOf'])) {
    const [first, ...more] = schema['anyOf'] as [Json, ...Json[]]
    return { ...schema, anyOf: [orNull(first), ...more] }
  }
  const values = Array.isArray(schema['enum']) ? { enum: [...schema['enum'], null] } : {}
  return { ...schema, ...values, nullable: true }
}

function isNull(schema: Json): boolean {
  return schema['type'] === 'null'
}

/** Some generators take a field with a default as required, so the description of an optional field names its default. */
function withoutDefaults(schema: Json): Json {
  if (schema['properties'] === undefined) return schema
  const required = (schema['required'] ?? []) as string[]
  const properties = Object.entries(schema['properties'] as Record<string, Json>).map(([name, property]) => {
    const { default: value, description = '', ...rest } = property
    if (value === undefined || required.includes(name)) return [name, property]
    return [name, { ...rest, description: `${description} Default: \`${JSON.stringify(value)}\`.`.trim() }]
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}

/** Adds a discriminator if every branch of a union has a name and a distinct value in the same field. */
function withDiscriminator(schema: Json, schemas: Readonly<Record<string, Json>>): Json {
  const branches = (schema['oneOf'] as { $ref: string }[] | undefined)?.map(({ $ref }) => $ref) ?? []
  const parts = branches.map((reference) => schemas[reference.slice(COMPONENTS.length)]?.['properties'] as Json)
  const tag = Object.keys(parts[0] ?? {}).find((name) => parts.every((part) => tagValue(part, name) !== undefined))
  if (tag === undefined) return schema
  const mapping = Object.fromEntries(branches.map((reference, at) => [tagValue(parts[at] as Json, tag), reference]))
  return { ...schema, discriminator: { propertyName: tag, mapping } }
}

function tagValue(properties: Json, name: string): string | undefined {
  const values = (properties[name] as Json | undefined)?.['enum']
  return Array.isArray(values) && values.length === 1 ? String(values[0]) : undefined
}

function described({ description }: Json): Json {
  return description === undefined ? {} : { description }
}

function mapValues(record: Record<string, Json>, change: (value: Json) => Json): Json {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}
