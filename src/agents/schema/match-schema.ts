/**
 * Whether a value matches a schema that `findSchemaProblem` accepted. Both may come from strangers: the number of steps,
 * the depth and the time for regular expressions are limited, and a value that exceeds a limit does not match. Pure.
 */
import { type Context, createContext, Script } from 'node:vm'
import { toJsonText } from '../../kit/json/write-json.ts'
import { isObject, type JsonRecord } from '../adapter/json-fields.ts'
import { resolveReference, type Schema, type TYPES } from './keywords.ts'

const STEP_LIMIT = 200_000
const DEPTH_LIMIT = 200

/** The first place where the value does not match; undefined if it matches. */
export function findMismatch(value: unknown, schema: JsonRecord): string | undefined {
  return new Matching(schema).mismatch({ value, schema, path: '$', depth: 0 })
}

type Visit = { value: unknown; schema: Schema; path: string; depth: number }

class Matching {
  readonly #root: JsonRecord
  readonly #patterns = new PatternMatcher()
  #steps = 0

  constructor(root: JsonRecord) {
    this.#root = root
  }

  mismatch(visit: Visit): string | undefined {
    const { value, schema, path, depth } = visit
    this.#steps += 1
    if (this.#steps > STEP_LIMIT || depth > DEPTH_LIMIT) return `${path} is too large to be checked`
    if (typeof schema === 'boolean') return schema ? undefined : `${path} is not allowed`
    for (const [keyword, argument] of Object.entries(schema)) {
      const check = Object.hasOwn(RULES, keyword) ? RULES[keyword] : undefined
      const problem = check?.(value, argument, { path, schema })
      if (problem !== undefined) return `${path} ${problem}`
    }
    return this.#ofPattern(visit) ?? this.#inParts(visit) ?? this.#ofCombined(visit)
  }

  #next(visit: Visit, schema: unknown, over: Partial<Visit> = {}): string | undefined {
    return this.mismatch({ ...visit, ...over, schema: schema as Schema, depth: visit.depth + 1 })
  }

  #ofPattern({ value, schema, path }: Visit): string | undefined {
    const { pattern } = schema as { pattern?: string }
    if (pattern === undefined || typeof value !== 'string') return undefined
    const result = this.#patterns.test(pattern, value)
    if (result === 'too slow') return `${path} takes too long to be matched with ${pattern}`
    return result ? undefined : `${path} must match ${pattern}`
  }

  #inParts(visit: Visit): string | undefined {
    const { value } = visit
    if (Array.isArray(value)) return this.#inItems(visit, value)
    return isObject(value) ? this.#inProperties(visit, value) : undefined
  }

  #inItems(visit: Visit, items: readonly unknown[]): string | undefined {
    const { prefixItems = [], items: rest = true } = visit.schema as { prefixItems?: readonly Schema[]; items?: Schema }
    return first(items.entries(), ([at, value]) =>
      this.#next(visit, prefixItems[at] ?? rest, { value, path: `${visit.path}[${at}]` }),
    )
  }

  #inProperties(visit: Visit, object: JsonRecord): string | undefined {
    const { properties = {}, additionalProperties = true, propertyNames = true } = visit.schema as PropertyRules
    return first(Object.entries(object), ([name, value]) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
      const path = `${visit.path}.${name}`
      return this.#next(visit, propertyNames, { value: name, path }) ?? this.#next(visit, schema, { value, path })
    })
  }

  #ofCombined(visit: Visit): string | undefined {
    const { anyOf, oneOf, allOf = [], not, $ref } = visit.schema as CombinedRules
    const fitting = (schemas: readonly Schema[]) => schemas.filter((each) => this.#next(visit, each) === undefined)
    const problem = first(allOf, (each) => this.#next(visit, each))
    if (problem !== undefined) return problem
    if (anyOf !== undefined && !anyOf.some((each) => this.#next(visit, each) === undefined)) {
      return `${visit.path} must match one of anyOf`
    }
    if (oneOf !== undefined && fitting(oneOf).length !== 1) return `${visit.path} must match exactly one of oneOf`
    if (not !== undefined && this.#next(visit, not) === undefined) return `${visit.path} must not match "not"`
    return $ref === undefined ? undefined : this.#next(visit, resolveReference($ref, this.#root) ?? false)
  }
}

type PropertyRules = {
  properties?: Readonly<Record<string, Schema>>
  additionalProperties?: Schema
  propertyNames?: Schema
}

type CombinedRules = {
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  allOf?: readonly Schema[]
  not?: Schema
  $ref?: string
}

function first<T>(values: Iterable<T>, problemOf: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const problem = problemOf(value)
    if (problem !== undefined) return problem
  }
  return undefined
}

type Rule = (value: unknown, argument: unknown, place: { path: string; schema: JsonRecord }) => string | undefined

/** A rule for values of one type; others match. */
const ofText =
  (isMet: (text: string, limit: number) => boolean, says: string): Rule =>
  (value, limit) =>
    typeof value !== 'string' || isMet(value, Number(limit)) ? undefined : `${says} ${limit} characters`
const ofNumber =
  (isMet: (number: number, limit: number) => boolean, says: string): Rule =>
  (value, limit) =>
    typeof value !== 'number' || isMet(value, Number(limit)) ? undefined : `${says} ${limit}`
const ofItems =
  (isMet: (count: number, limit: number) => boolean, says: string): Rule =>
  (value, limit) =>
    !Array.isArray(value) || isMet(value.length, Number(limit)) ? undefined : `${says} ${limit} items`
const ofObject =
  (isMet: (count: number, limit: number) => boolean, says: string): Rule =>
  (value, limit) =>
    !isObject(value) || isMet(Object.keys(value).length, Number(limit)) ? undefined : `${says} ${limit} properties`

const atLeast = (count: number, limit: number) => count >= limit
const atMost = (count: number, limit: number) => count <= limit

/** Rules that look at one value only. */
const RULES: Readonly<Record<string, Rule>> = {
  type: (value, types) => {
    const allowed = Array.isArray(types) ? types : [types]
    return allowed.some((type) => IS_TYPE[type as (typeof TYPES)[number]](value))
      ? undefined
      : `must be of type ${allowed.join(' or ')}`
  },
  enum: (value, choices) =>
    (choices as readonly unknown[]).some((choice) => isSame(value, choice))
      ? undefined
      : `must be one of ${shown(choices).slice(1, -1)}`,
  const: (value, only) => (isSame(value, only) ? undefined : `must be ${shown(only)}`),
  required: (value, names) => {
    const missing = isObject(value) && (names as readonly string[]).find((name) => !Object.hasOwn(value, name))
    return missing ? `must have the property ${JSON.stringify(missing)}` : undefined
  },
  uniqueItems: (value, isUnique) =>
    isUnique === true && Array.isArray(value) && new Set(value.map(canonical)).size < value.length
      ? 'must not contain an item twice'
      : undefined,
  minLength: ofText((text, limit) => text.length >= limit && [...text].length >= limit, 'must have at least'),
  maxLength: ofText((text, limit) => text.length <= limit || [...text].length <= limit, 'must have at most'),
  minimum: ofNumber(atLeast, 'must be at least'),
  maximum: ofNumber(atMost, 'must be at most'),
  exclusiveMinimum: ofNumber((number, limit) => number > limit, 'must be greater than'),
  exclusiveMaximum: ofNumber((number, limit) => number < limit, 'must be less than'),
  multipleOf: ofNumber(isMultiple, 'must be a multiple of'),
  minItems: ofItems(atLeast, 'must have at least'),
  maxItems: ofItems(atMost, 'must have at most'),
  minProperties: ofObject(atLeast, 'must have at least'),
  maxProperties: ofObject(atMost, 'must have at most'),
}

const IS_TYPE: Readonly<Record<(typeof TYPES)[number], (value: unknown) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  object: isObject,
  array: Array.isArray,
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  string: (value) => typeof value === 'string',
}

/** Numbers such as 0.3 have no exact binary form. */
function isMultiple(number: number, divisor: number): boolean {
  const quotient = number / divisor
  return Math.abs(quotient - Math.round(quotient)) <= Number.EPSILON * Math.max(1, Math.abs(quotient)) * 4
}

function isSame(value: unknown, expected: unknown): boolean {
  if (typeof expected === 'bigint') return value === Number(expected)
  return value === expected || (typeof expected === 'object' && canonical(value) === canonical(expected))
}

/** The same text for equal values. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each) =>
    isObject(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : typeof each === 'bigint'
        ? Number(each)
        : each,
  )
}

const SHOWN_LENGTH = 200

function shown(value: unknown): string {
  return toJsonText(value).slice(0, SHOWN_LENGTH)
}

const TEST = new Script('pattern.test(text)')
/** For all patterns of one answer. The event loop waits for it; on a busy machine, an honest one took more than 50 ms. */
const BUDGET_MS = 200

/** Tests texts with regular expressions from strangers. One that would take for ever is stopped. */
class PatternMatcher {
  #context: Context | undefined
  #leftMs = BUDGET_MS

  test(source: string, text: string): boolean | 'too slow' {
    if (this.#leftMs < 1) return 'too slow'
    this.#context ??= createContext({})
    Object.assign(this.#context, { pattern: new RegExp(source, 'u'), text })
    const startedAt = performance.now()
    try {
      return TEST.runInContext(this.#context, { timeout: Math.ceil(this.#leftMs) }) === true
    } catch {
      return 'too slow'
    } finally {
      this.#leftMs -= performance.now() - startedAt
    }
  }
}
