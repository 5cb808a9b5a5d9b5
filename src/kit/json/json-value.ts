/** What a JSON text can say. Integers that a number cannot hold exactly are bigints. */
export type JsonValue = null | boolean | number | bigint | string | readonly JsonValue[] | JsonObject

export type JsonObject = { readonly [key: string]: JsonValue }

/**
 * How many objects and arrays may stand inside one another, in what is read and in what is written. Far above any
 * message of ours, far below what the call stack carries.
 */
export const MAX_JSON_DEPTH = 512

/** `Array.isArray` for the compiler too, which otherwise learns nothing about read-only arrays. */
export function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
