/**
 * The part of JSON Schema (draft 2020-12) that drover validates answers with. A schema comes from a client, so it is
 * interpreted, never compiled to code, and a keyword that drover does not validate is refused instead of ignored.
 */
import { orUndefined } from '../../kit/fault.ts'
import { isObject, type JsonRecord } from '../adapter/json-fields.ts'

export type Schema = JsonRecord | boolean

/** What the value of a keyword must be. */
export type KeywordKind =
  | 'schema'
  | 'list of schemas'
  | 'map of schemas'
  | 'whole number of at least 0'
  | 'number'
  | 'positive number'
  | 'boolean'
  | 'list of names'
  | 'type'
  | 'pattern'
  | 'reference'
  | 'list'
  | 'any'

export const KEYWORDS: Readonly<Record<string, KeywordKind>> = {
  type: 'type',
  enum: 'list',
  const: 'any',
  properties: 'map of schemas',
  required: 'list of names',
  additionalProperties: 'schema',
  propertyNames: 'schema',
  minProperties: 'whole number of at least 0',
  maxProperties: 'whole number of at least 0',
  items: 'schema',
  prefixItems: 'list of schemas',
  minItems: 'whole number of at least 0',
  maxItems: 'whole number of at least 0',
  uniqueItems: 'boolean',
  minLength: 'whole number of at least 0',
  maxLength: 'whole number of at least 0',
  pattern: 'pattern',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'positive number',
  anyOf: 'list of schemas',
  oneOf: 'list of schemas',
  allOf: 'list of schemas',
  not: 'schema',
  $ref: 'reference',
  $defs: 'map of schemas',
  definitions: 'map of schemas',
}

/** Keywords that say nothing about whether a value is valid. `format` is one of them by default. */
const ANNOTATIONS: readonly string[] = [
  ...['$schema', '$id', '$comment', 'title', 'description', 'default', 'examples', 'example', 'format'],
  ...['deprecated', 'readOnly', 'writeOnly', 'contentEncoding', 'contentMediaType', 'discriminator'],
]

export function isAnnotation(keyword: string): boolean {
  return ANNOTATIONS.includes(keyword) || keyword.startsWith('x-')
}

export const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'] as const

/** The schema that a reference names (RFC 6901); only references into the same schema are resolved. Pure. */
export function resolveReference(reference: string, root: JsonRecord): Schema | undefined {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let value: unknown = root
  for (const part of reference.slice(2).split('/')) {
    const name = decode(part)
    if (Array.isArray(value)) value = value[Number(name)]
    else value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }
  return isObject(value) || typeof value === 'boolean' ? value : undefined
}

function decode(part: string): string {
  const text = part.replaceAll('~1', '/').replaceAll('~0', '~')
  return orUndefined(() => decodeURIComponent(text)) ?? text
}
