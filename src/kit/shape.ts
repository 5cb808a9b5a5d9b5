/**
 * Building blocks for shapes. A shape is a TypeBox value in a `*.shape.ts` file; its type follows by `Static`, its JSON
 * Schema and its validator are generated from it (`npm run generate`). TypeBox takes longer to load than a whole command
 * may take to start, so shape files are imported for their types only: the program runs on the generated validators.
 */
import { type Static, type TEnum, type TProperties, type TSchema, type TSchemaOptions, Type } from 'typebox'

/** An object with exactly these fields; anything extra is refused. */
export function strict<P extends TProperties>(properties: P, options: TSchemaOptions = {}) {
  return Type.Object(properties, { ...options, additionalProperties: false })
}

/** One of these strings. */
export function literals<const V extends string[]>(values: readonly [...V], options: TSchemaOptions = {}): TEnum<V> {
  return Type.Enum<V>(values, options)
}

/**
 * Exactly one of these objects, told apart by the field `tag`, which is a literal or an enum in every branch. A value is
 * judged against the branch its tag names and no other. One branch may leave the tag out (`Type.Optional`).
 */
export function tagged<B extends TSchema[]>(tag: string, branches: readonly [...B]) {
  return Type.Union([...branches], { 'x-tag': tag })
}

/** Text of at most this many UTF-8 bytes, which JSON Schema cannot say by itself. */
export function textUpToBytes(limit: number, options: TSchemaOptions = {}) {
  return Type.String({ ...options, 'x-max-utf8-bytes': limit })
}

/** Text that matches a pattern; `says` is what a refusal tells people instead of the expression. */
export function textLike(pattern: string, says: string, options: TSchemaOptions = {}) {
  return Type.String({ ...options, pattern, 'x-says': says })
}

/** An integer that may exceed 2^53 (nanoseconds); read as bigint where a number could not hold it. */
export function wideInteger(options: TSchemaOptions = {}) {
  return Type.Unsafe<number | bigint>({ ...options, type: 'integer', 'x-wide': true })
}

/** Gives a part the name under which the published schema defines it once. */
export function named<S extends TSchema>(name: string, shape: S): S {
  return { ...shape, $id: name }
}

export type { Static }
