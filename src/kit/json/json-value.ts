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
