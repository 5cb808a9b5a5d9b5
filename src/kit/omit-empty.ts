/** Fields of a request that an empty value leaves open. Pure. */
import { checker, type OptionalFields, type Validate } from './schema.ts'

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
