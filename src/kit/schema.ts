/** Checks values against generated validators. A value comes back untouched or not at all: nothing is coerced or filled in. */
import { messageInvalid } from './faults.ts'
import { jsonLocation } from './json-location.ts'
import { nearestWord } from './nearest.ts'

/** One complaint of a generated validator, as ajv gives it. */
type Complaint = {
  keyword: string
  instancePath: string
  params: Record<string, unknown>
  propertyName?: string
}

/** A generated validator. */
export type Validate = { (value: unknown): boolean; errors?: Complaint[] | null }

/** Where a value breaks its shape, and the rule it breaks with what is allowed. */
export type Problem = { path: string; rule: string }

/** What JSON Schema cannot say: a named function that gives the problems of a value which already fits the schema. */
export type Rule<T> = (value: T) => readonly Problem[]

/** Makes the function that lets only fitting values through. */
export function checker<T>(message: string, validate: Validate, rules: readonly Rule<T>[] = []): (value: unknown) => T {
  return (value) => {
    const problems = findProblems(validate, value)
    if (problems.length > 0) throw messageInvalid({ message, problems })
    const fitting = value as T
    const broken = rules.flatMap((rule) => rule(fitting))
    if (broken.length > 0) throw messageInvalid({ message, problems: broken })
    return fitting
  }
}

/** The rules of a part, asked about the field that holds it, or about each item where the field is a list of them. */
export function within<const F extends string, P>(
  field: F,
  rules: readonly Rule<P>[],
): Rule<{ readonly [K in F]?: P | readonly P[] | null }> {
  const problemsAt = (place: string, part: P) =>
    rules.flatMap((rule) => rule(part)).map(({ path, rule }) => ({ path: path.replace('$', () => place), rule }))
  return (value) => {
    const held = value[field]
    if (held === undefined || held === null) return []
    const place = jsonLocation([field])
    if (!Array.isArray(held)) return problemsAt(place, held as P)
    return held.flatMap((part: P, index) => problemsAt(`${place}[${index}]`, part))
  }
}

/** The problems of a value; none when it fits. */
export function findProblems(validate: Validate, value: unknown): Problem[] {
  if (validate(value)) return []
  const complaints = validate.errors ?? []
  const telling = complaints.filter((complaint) => !STRUCTURAL.has(complaint.keyword))
  const problems = unionsJoined(telling).map((complaint) => ({
    path: formatPath(value, placeOf(complaint)),
    rule: ruleOf(complaint),
  }))
  return [...new Map(problems.map((problem) => [`${problem.path} ${problem.rule}`, problem])).values()]
}

/** These only say that something inside them failed; what failed has a complaint of its own. */
const STRUCTURAL = new Set(['if', 'propertyNames', 'anyOf', 'oneOf', 'allOf', '$ref'])

/**
 * A union without a tag complains once per branch. Where one branch got past the type, the others are noise; where none
 * did, one complaint names all the types.
 */
function unionsJoined(complaints: readonly Complaint[]): Complaint[] {
  return complaints.flatMap((complaint) => {
    if (complaint.keyword !== 'type') return [complaint]
    const { instancePath: spot } = complaint
    if (complaints.some((other) => isCloser(other, spot))) return []
    const types = complaints.filter((other) => other.instancePath === spot).flatMap((other) => other.params['type'])
    return [{ ...complaint, params: { type: [...new Set(types)] } }]
  })
}

/** A complaint from a branch that fitted at this spot as far as the type. */
function isCloser(complaint: Complaint, spot: string): boolean {
  return complaint.instancePath === spot ? complaint.keyword !== 'type' : complaint.instancePath.startsWith(`${spot}/`)
}

/** The place a complaint is about, as steps from the root: a missing or unknown field is blamed itself, not its parent. */
function placeOf(complaint: Complaint): string[] {
  const steps = complaint.instancePath.split('/').slice(1).map(unescapePointer)
  if (complaint.keyword === 'required') steps.push(String(complaint.params['missingProperty']))
  else if (complaint.propertyName !== undefined) steps.push(complaint.propertyName)
  return steps
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** The pointer's steps, in which `0` may be an index or a name, as a place in this value. */
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
  uniqueItems: ({ i, j }) => `must not hold the same item twice (items ${j} and ${i} are equal)`,
  contains: () => 'lacks an item that it must hold',
  minProperties: ({ limit }) => `must have at least ${count(limit, 'field')}`,
  maxProperties: ({ limit }) => `must have at most ${count(limit, 'field')}`,
}

function ruleOf(complaint: Complaint): string {
  if (complaint.propertyName !== undefined && complaint.keyword === 'enum') {
    return unknownField(complaint.propertyName, complaint.params['allowedValues'] as string[])
  }
  return RULES[complaint.keyword]?.(complaint.params) ?? `breaks the rule ${complaint.keyword}`
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
