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
 * Exactly one of these objects, told apart by the field `tag`: by its value, where the branches give it literals or enums,
 * else by whether it is there. One branch may leave the tag out, by `Type.Optional` or by not having it. A branch may be
 * such a union itself. A value is judged against the branch its tag names and no other.
 */
export function tagged<B extends TSchema[]>(tag: string, branches: readonly [...B], options: TSchemaOptions = {}) {
  return Type.Union([...branches], { ...options, 'x-tag': tag })
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

/** Says what a part means at the place where it stands; its own description stays with its name. */
export function meaning<S extends TSchema>(text: string, shape: S): S {
  return { ...shape, 'x-meaning': text }
}

/** A list of exactly these items in this order; `minItems` lets the last ones be left out. */
export function sequence<T extends readonly unknown[]>(items: readonly TSchema[], options: TSchemaOptions = {}) {
  const places = items.length === 0 ? {} : { prefixItems: items }
  return Type.Unsafe<T>({ minItems: items.length, ...options, type: 'array', ...places, maxItems: items.length })
}

/**
 * The type of a message: read-only all the way in. Where it is a union of objects, a field that only other branches have
 * reads as undefined and cannot be written.
 */
export type Message<S extends TSchema> = Sealed<Static<S>>

type Sealed<T, Fields extends PropertyKey = FieldsOf<T>> = T extends readonly unknown[]
  ? { readonly [I in keyof T]: Sealed<T[I]> }
  : T extends object
    ? { readonly [F in keyof T]: Sealed<T[F]> } & { readonly [F in Exclude<Fields, keyof T>]?: never }
    : T

type FieldsOf<T> = T extends readonly unknown[] ? never : T extends object ? keyof T : never

export type { Static }
