/** A JSON value. Integers that a number cannot hold exactly are bigints. */
export type JsonValue = null | boolean | number | bigint | string | readonly JsonValue[] | JsonObject

export type JsonObject = { readonly [key: string]: JsonValue }

/**
 * How deep objects and arrays may be nested, both when reading and when writing. Far above any message of drover, far
 * below the limit of the call stack.
 */
export const MAX_JSON_DEPTH = 512

/** `Array.isArray` that also narrows read-only arrays for the compiler. */
export function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}

const PLAIN_KEY = /^[A-Za-z0-9_]+$/

/** Keys in locations are cut here: a location is read by people, and a hostile key can be megabytes long. */
export const MAX_LOCATION_KEY = 128

/** Names a place in a JSON value: `$` is the whole value, then `.key` or `["odd key"]` for members and `[n]` for elements. */
export function jsonLocation(path: readonly (string | number)[]): string {
  return `$${path.map(step).join('')}`
}

function step(part: string | number): string {
  if (typeof part === 'number') return `[${part}]`
  const key = part.length <= MAX_LOCATION_KEY ? part : `${part.slice(0, MAX_LOCATION_KEY)}…`
  return PLAIN_KEY.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
}

type Defined<T> = { [F in keyof T as undefined extends T[F] ? never : F]: T[F] } & {
  [F in keyof T as undefined extends T[F] ? F : never]?: Exclude<T[F], undefined>
}

/** Drops the undefined fields of an object: messages omit what is absent. */
export function withoutUndefined<const T extends object>(object: T): Defined<T> {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Defined<T>
}
