/** Checks values against generated validators. A valid value is returned unchanged: nothing is coerced or filled in. */
import { messageInvalid } from './faults.ts'
import { jsonLocation } from './json-value.ts'
import { nearestWord } from './match-names.ts'

/** An error of a generated validator, as ajv reports it. */
type ValidatorError = {
  keyword: string
  instancePath: string
  params: Record<string, unknown>
  propertyName?: string
}

/** A generated validator. */
export type Validate = {
  (value: unknown): boolean
  errors?: ValidatorError[] | null
  /** Only of a request. */
  readonly optional?: OptionalFields
}

/** The fields of a request in which null means that they are not given, and those of the requests in its fields. */
export type OptionalFields = {
  readonly names: readonly string[]
  readonly within: Readonly<Record<string, OptionalFields>>
}

/** The path at which a value breaks its shape, and the rule it breaks. */
export type Problem = { path: string; rule: string }

/** A rule that JSON Schema cannot express: returns the problems of a value that already fits the schema. */
export type Rule<T> = (value: T) => readonly Problem[]

/** Makes a function that returns a valid value and throws `message_invalid` for any other. */
export function checker<T>(message: string, validate: Validate, rules: readonly Rule<T>[] = []): (value: unknown) => T {
  return (value) => {
    const problems = findProblems(validate, value)
    if (problems.length > 0) throw messageInvalid({ message, problems })
    const fitting = value as T
    const broken = rules.flatMap((rule) => rule(fitting)).slice(0, MAX_PROBLEMS)
    if (broken.length > 0) throw messageInvalid({ message, problems: broken })
    return fitting
  }
}

/** Applies rules to a field, or to each of its items if the field is a list. */
export function within<const F extends string, P>(
  field: F,
  rules: readonly Rule<P>[],
): Rule<{ readonly [K in F]?: P | readonly P[] | null }> {
  const problemsAt = (location: string, part: P) =>
    rules.flatMap((rule) => rule(part)).map(({ path, rule }) => ({ path: path.replace('$', () => location), rule }))
  return (value) => {
    const held = value[field]
    if (held === undefined || held === null) return []
    const location = jsonLocation([field])
    if (!Array.isArray(held)) return problemsAt(location, held as P)
    return held.flatMap((part: P, index) => problemsAt(`${location}[${index}]`, part))
  }
}

/** A small request can have a problem in each of a million items. */
const MAX_PROBLEMS = 100
/** A union has several errors for one problem. */
const MAX_ERRORS = 10 * MAX_PROBLEMS

/** The first problems of a value, at most 100; empty if it is valid. */
export function findProblems(validate: Validate, value: unknown): Problem[] {
  if (validate(value)) return []
  const errors = (validate.errors ?? []).filter(({ keyword }) => !STRUCTURAL.has(keyword)).slice(0, MAX_ERRORS)
  const problems = joinUnionErrors(errors).map((error) => ({
    path: formatPath(value, toSteps(error)),
    rule: describeRange(value, error) ?? describeRule(error),
  }))
  const different = new Map(problems.map((problem) => [`${problem.path} ${problem.rule}`, problem]))
  return [...different.values()].slice(0, MAX_PROBLEMS)
}

/** An integer beyond the numbers of JavaScript is read as a bigint: it has the right type and the wrong size. */
function describeRange(value: unknown, error: ValidatorError): string | undefined {
  if (error.keyword !== 'type' || ![error.params['type']].flat().includes('integer')) return undefined
  const found = valueAt(value, toSteps(error))
  if (typeof found !== 'bigint') return undefined
  return found > 0 ? `is larger than ${Number.MAX_SAFE_INTEGER}` : `is smaller than ${Number.MIN_SAFE_INTEGER}`
}

function valueAt(root: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((here, step) => (here as Record<string, unknown> | undefined)?.[step], root)
}

/** These only report that something inside failed, which has its own error. */
const STRUCTURAL = new Set(['if', 'propertyNames', 'anyOf', 'oneOf', 'allOf', '$ref'])

/**
 * An untagged union reports an error per branch. If the value has the type of one branch, only that branch's errors
 * matter; if it has none, one error names all the types.
 */
function joinUnionErrors(errors: readonly ValidatorError[]): ValidatorError[] {
  return errors.flatMap((error) => {
    if (error.keyword !== 'type') return [error]
    const { instancePath: path } = error
    if (errors.some((other) => isFromMatchingBranch(other, path))) return []
    const types = errors.filter((other) => other.instancePath === path).flatMap((other) => other.params['type'])
    return [{ ...error, params: { type: [...new Set(types)] } }]
  })
}

/** Whether an error is from a branch whose type matched at this path. */
function isFromMatchingBranch(error: ValidatorError, path: string): boolean {
  return error.instancePath === path ? error.keyword !== 'type' : error.instancePath.startsWith(`${path}/`)
}

/** The path of an error, as steps from the root. A missing or unknown field is reported itself, not its parent. */
function toSteps(error: ValidatorError): string[] {
  const steps = error.instancePath.split('/').slice(1).map(unescapePointer)
  if (error.keyword === 'required') steps.push(String(error.params['missingProperty']))
  else if (error.propertyName !== undefined) steps.push(error.propertyName)
  return steps
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** Formats the steps of a JSON pointer, in which `0` may be an index or a name, as a path in this value. */
export function formatPath(root: unknown, steps: readonly string[]): string {
  let here: unknown = root
  const path = steps.map((step) => {
    const isIndex = Array.isArray(here)
    here = typeof here === 'object' && here !== null ? (here as Record<string, unknown>)[step] : undefined
    return isIndex ? Number(step) : step
  })
  return jsonLocation(path)
}

const FORMATS: Record<string, string> = {
  date: 'a date such as 2026-01-31',
  'date-time': 'an RFC 3339 date-time such as 2026-01-31T09:30:00Z',
  uri: 'an absolute URI',
  uuid: 'a UUID',
}

type Params = Record<string, unknown>

const RULES: Record<string, (params: Params) => string> = {
  required: () => 'is required',
  type: ({ type }) => `must be ${[type].flat().map(nameType).join(' or ')}`,
  wideInteger: () => 'must be an integer',
  enum: ({ allowedValues }) => `must be ${oneOf(allowedValues as unknown[])}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`),
  maxLength: ({ limit }) => `must have at most ${limit} characters`,
  maxUtf8Bytes: ({ limit }) => `must have at most ${limit} bytes in UTF-8`,
  pattern: ({ pattern }) => `must match ${pattern}`,
  saidPattern: ({ says }) => `must be ${says}`,
  format: ({ format }) => `must be ${FORMATS[String(format)] ?? `a ${format}`}`,
  minItems: ({ limit }) => `must have at least ${count(limit, 'item')}`,
  maxItems: ({ limit }) => `must have at most ${count(limit, 'item')}`,
  uniqueItems: ({ i, j }) => `must not contain the same item twice (items ${j} and ${i} are equal)`,
  contains: () => 'lacks a required item',
  minProperties: ({ limit }) => `must have at least ${count(limit, 'field')}`,
  maxProperties: ({ limit }) => `must have at most ${count(limit, 'field')}`,
}

function describeRule(error: ValidatorError): string {
  if (error.propertyName !== undefined && error.keyword === 'enum') {
    return unknownField(error.propertyName, error.params['allowedValues'] as string[])
  }
  return RULES[error.keyword]?.(error.params) ?? `breaks the rule ${error.keyword}`
}

function unknownField(name: string, known: readonly string[]): string {
  const nearest = nearestWord(name, known)
  const allowed = known.length === 0 ? 'no fields are allowed here' : `allowed: ${known.join(', ')}`
  return `is not a known field (${nearest === undefined ? allowed : `did you mean ${JSON.stringify(nearest)}?`})`
}

function nameType(type: unknown): string {
  return type === 'null' ? 'null' : `${/^[aeiou]/.test(String(type)) ? 'an' : 'a'} ${type}`
}

function oneOf(values: readonly unknown[]): string {
  const shown = values.map((value) => JSON.stringify(value)).join(', ')
  return values.length === 1 ? shown : `one of ${shown}`
}

function count(limit: unknown, noun: string): string {
  return `${limit} ${noun}${limit === 1 ? '' : 's'}`
}

/** Clients in languages whose fields always have a value send an empty text or 0. */
const TEXTS: readonly string[] = ['model', 'workdir', 'approval_mode', 'sandbox_mode', 'output_format', 'name']
const NUMBERS: readonly string[] = ['max_turns', 'timeout_secs', 'max_parallel']

/** Makes a function that returns a valid request without its empty fields, and throws `message_invalid` for any other. */
export function requestChecker<T>(message: string, validate: Validate): (value: unknown) => T {
  const check = checker<T>(message, validate)
  return (value) => check(omitEmpty(value, validate.optional))
}

/**
 * Removes fields whose empty value means that they are not given, even from requests in a list. Everything else is left for
 * the validator.
 */
export function omitEmpty(request: unknown, optional: OptionalFields | undefined): unknown {
  if (optional === undefined || typeof request !== 'object' || request === null || Array.isArray(request)) {
    return request
  }
  const { names, within } = optional
  const isEmpty = ([name, value]: [string, unknown]) => names.includes(name) && isNothing(name, value)
  const fields = Object.entries(request)
  // Most requests have nothing to remove, and every prompt passes here.
  if (!fields.some((field) => isEmpty(field) || Object.hasOwn(within, field[0]))) return request
  const given = fields.filter((field) => !isEmpty(field))
  return Object.fromEntries(
    given.map(([name, value]) => [name, Object.hasOwn(within, name) ? omitWithin(value, within[name]) : value]),
  )
}

function omitWithin(value: unknown, optional: OptionalFields | undefined): unknown {
  return Array.isArray(value) ? value.map((item) => omitEmpty(item, optional)) : omitEmpty(value, optional)
}

function isNothing(name: string, value: unknown): boolean {
  if (value === null) return true
  return value === '' ? TEXTS.includes(name) : value === 0 && NUMBERS.includes(name)
}
