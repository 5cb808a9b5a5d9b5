/** Checks a schema from a client before anything is started. Pure. */
import { toJsonText } from '../../kit/json/write-json.ts'
import { isObject, type JsonRecord } from '../adapter/json-fields.ts'
import { isAnnotation, KEYWORDS, type KeywordKind, resolveReference, TYPES } from './keywords.ts'

/** Fits into one argument of a command, with room to spare. */
export const SCHEMA_LIMIT_BYTES = 65_536
export const DEPTH_LIMIT = 32
const PATTERN_LIMIT = 1000
/** For all patterns of a schema. The event loop waits until they are compiled, and a class like \p{L} takes up to 1 ms. */
const PATTERNS_LIMIT = 4096
const UNICODE_CLASSES_LIMIT = 16

/** The first reason why drover cannot validate with this schema; undefined if it can. */
export function findSchemaProblem(schema: JsonRecord): string | undefined {
  const problem = findSizeProblem(schema)
  return (
    problem ?? findProblemAt(schema, { path: '$', root: schema, depth: 0, patterns: { characters: 0, classes: 0 } })
  )
}

/** First, because it is cheap. */
function findSizeProblem(schema: JsonRecord): string | undefined {
  try {
    const bytes = Buffer.byteLength(toJsonText(schema))
    return bytes > SCHEMA_LIMIT_BYTES ? `$ has ${bytes} bytes; at most ${SCHEMA_LIMIT_BYTES} are allowed` : undefined
  } catch (error) {
    // A value that is far too deep cannot be serialized.
    if (error instanceof RangeError) return tooDeep('$')
    throw error
  }
}

function tooDeep(path: string): string {
  return `${path} is nested deeper than ${DEPTH_LIMIT} levels`
}

type Place = {
  path: string
  root: JsonRecord
  depth: number
  /** The patterns so far. */
  readonly patterns: { characters: number; classes: number }
}

function findProblemAt(schema: unknown, place: Place): string | undefined {
  const { path, depth } = place
  if (depth > DEPTH_LIMIT) return tooDeep(path)
  if (typeof schema === 'boolean') return undefined
  if (!isObject(schema)) return `${path} must be a schema: an object or a boolean`
  for (const [keyword, value] of Object.entries(schema)) {
    if (isAnnotation(keyword)) continue
    const kind = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined
    const at = { ...place, path: `${path}.${keyword}`, depth: depth + 1 }
    if (kind === undefined) return `${at.path} is not supported`
    const problem = CHECKS[kind](value, at)
    if (problem !== undefined) return problem
  }
  return undefined
}

type Check = (value: unknown, place: Place) => string | undefined

/** Accepts the values for which the test is true. */
const rule =
  (expected: string, isMet: (value: unknown) => boolean): Check =>
  (value, { path }) =>
    isMet(value) ? undefined : `${path} must be ${expected}`

const isNumber = (value: unknown) => typeof value === 'number' || typeof value === 'bigint'
const isTexts = (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === 'string')
const isType = (value: unknown) => TYPES.some((type) => type === value)

const CHECKS: Readonly<Record<KeywordKind, Check>> = {
  schema: findProblemAt,
  'list of schemas': (value, place) =>
    Array.isArray(value) && value.length > 0
      ? firstProblem(
          value.map((each, at) => [`[${at}]`, each] as const),
          place,
        )
      : `${place.path} must be a list of schemas that is not empty`,
  'map of schemas': (value, place) =>
    isObject(value)
      ? firstProblem(
          Object.entries(value).map(([name, each]) => [`.${name}`, each] as const),
          place,
        )
      : `${place.path} must be an object of schemas`,
  'whole number of at least 0': rule(
    'a whole number of at least 0',
    (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  ),
  number: rule('a number', isNumber),
  'positive number': rule('a number greater than 0', (value) => isNumber(value) && Number(value) > 0),
  boolean: rule('true or false', (value) => typeof value === 'boolean'),
  'list of names': rule('a list of strings', isTexts),
  type: rule(`one of ${TYPES.join(', ')}, or a list of them`, (value) =>
    Array.isArray(value) ? value.length > 0 && value.every(isType) : isType(value),
  ),
  pattern: checkPattern,
  reference: (value, { path, root }) =>
    typeof value === 'string' && resolveReference(value, root) !== undefined
      ? undefined
      : `${path} must refer to a schema in this schema, as "#/$defs/name" does`,
  list: rule('a list that is not empty', (value) => Array.isArray(value) && value.length > 0),
  any: () => undefined,
}

function firstProblem(schemas: readonly (readonly [string, unknown])[], place: Place): string | undefined {
  for (const [name, schema] of schemas) {
    const problem = findProblemAt(schema, { ...place, path: `${place.path}${name}` })
    if (problem !== undefined) return problem
  }
  return undefined
}

function checkPattern(value: unknown, { path, patterns }: Place): string | undefined {
  if (typeof value !== 'string' || value.length > PATTERN_LIMIT) {
    return `${path} must be a regular expression of at most ${PATTERN_LIMIT} characters`
  }
  patterns.characters += value.length
  patterns.classes += value.match(/\\p/gi)?.length ?? 0
  if (patterns.characters > PATTERNS_LIMIT) {
    return `${path} is too much: all patterns together may have at most ${PATTERNS_LIMIT} characters`
  }
  if (patterns.classes > UNICODE_CLASSES_LIMIT) {
    return `${path} is too much: all patterns together may have at most ${UNICODE_CLASSES_LIMIT} classes like \\p{L}`
  }
  try {
    new RegExp(value, 'u')
    return undefined
  } catch {
    return `${path} is not a valid regular expression`
  }
}
