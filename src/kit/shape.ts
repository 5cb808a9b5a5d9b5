/**
 * Building blocks for shapes. A shape is a TypeBox value in a `*.shape.ts` file. `Static` gives its type; its JSON Schema
 * and its validator are generated from it (`npm run generate`). Loading TypeBox takes longer than a whole command should,
 * so the program imports only types from shape files and uses the generated validators.
 */
import { type Static, type TEnum, type TProperties, type TSchema, type TSchemaOptions, Type } from 'typebox'

/** An object with exactly these fields; any other field is refused. */
export function strict<P extends TProperties>(properties: P, options: TSchemaOptions = {}) {
  return Type.Object(properties, { ...options, additionalProperties: false })
}

/**
 * What a client sends: an object with exactly these fields. Null in an optional field means that it is not given, unless the
 * field itself allows null. `omitEmpty` removes it before the validator sees it.
 */
export function request<P extends TProperties>(properties: P, options: TSchemaOptions = {}) {
  return strict(properties, { ...options, 'x-request': true })
}

/** One of these strings. */
export function literals<const V extends string[]>(values: readonly [...V], options: TSchemaOptions = {}): TEnum<V> {
  return Type.Enum<V>(values, options)
}

/**
 * Exactly one of these objects, chosen by the field `tag`: by its value if the branches define it as literals or enums,
 * otherwise by whether it is present. One branch may omit the tag, by `Type.Optional` or by not having it. A branch may
 * itself be such a union. A value is checked only against the branch that its tag names.
 */
export function tagged<B extends TSchema[]>(tag: string, branches: readonly [...B], options: TSchemaOptions = {}) {
  return Type.Union([...branches], { ...options, 'x-tag': tag })
}

/** Text of at most this many UTF-8 bytes, which JSON Schema cannot express. */
export function textUpToBytes(limit: number, options: TSchemaOptions = {}) {
  return Type.String({ ...options, 'x-max-utf8-bytes': limit })
}

/** Text that matches a pattern; error messages show `says` instead of the pattern. */
export function textLike(pattern: string, says: string, options: TSchemaOptions = {}) {
  return Type.String({ ...options, pattern, 'x-says': says })
}

/** An optional text, with its description. */
export function optionalText(description: string, options: TSchemaOptions = {}) {
  return Type.Optional(Type.String({ ...options, description }))
}

export function optionalInteger(description: string, options: TSchemaOptions = {}) {
  return Type.Optional(Type.Integer({ ...options, description }))
}

export function optionalFlag(description: string, options: TSchemaOptions = {}) {
  return Type.Optional(Type.Boolean({ ...options, description }))
}

export function optionalList<S extends TSchema>(description: string, items: S, options: TSchemaOptions = {}) {
  return Type.Optional(Type.Array(items, { ...options, description }))
}

/** An optional text, one of these. */
export function optionalChoice<const V extends string[]>(
  description: string,
  values: readonly [...V],
  options: TSchemaOptions = {},
) {
  return Type.Optional(literals(values, { ...options, description }))
}

/** Rules that code checks, with its own errors. Only the OpenAPI document states them. */
export function stated(rules: { pattern?: string; values?: readonly string[] }): TSchemaOptions {
  return {
    ...(rules.pattern !== undefined && { 'x-stated-pattern': rules.pattern }),
    ...(rules.values !== undefined && { 'x-stated-enum': rules.values }),
  }
}

/** An integer that may exceed 2^53 (nanoseconds); it is read as a bigint if a number cannot hold it. */
export function wideInteger(options: TSchemaOptions = {}) {
  return Type.Unsafe<number | bigint>({ ...options, type: 'integer', 'x-wide': true })
}

/** Names a shape, so that the published schema defines it once under that name. A type of the library needs a description. */
export function named<S extends TSchema>(name: string, shape: S, description?: string): S {
  return { ...shape, ...(description !== undefined && { description }), $id: name }
}

export function namedObject<P extends TProperties>(name: string, properties: P, description?: string) {
  return named(name, Type.Object(properties), description)
}

export function namedStrict<P extends TProperties>(name: string, properties: P) {
  return named(name, strict(properties))
}

export function namedRequest<P extends TProperties>(name: string, properties: P) {
  return named(name, request(properties))
}

/** Describes a named shape where it is used; its own description stays with its name. */
export function meaning<S extends TSchema>(text: string, shape: S): S {
  return { ...shape, 'x-meaning': text }
}

/** A list of exactly these items in this order; `minItems` makes the last ones optional. */
export function sequence<T extends readonly unknown[]>(items: readonly TSchema[], options: TSchemaOptions = {}) {
  const prefix = items.length === 0 ? {} : { prefixItems: items }
  return Type.Unsafe<T>({ minItems: items.length, ...options, type: 'array', ...prefix, maxItems: items.length })
}

/**
 * The type of a message, deeply read-only. In a union of objects, a field that only other branches have can be read (as
 * undefined) but not written.
 */
export type Message<S extends TSchema> = ReadonlyDeep<Static<S>>

type ReadonlyDeep<T, Fields extends PropertyKey = FieldsOf<T>> = T extends readonly unknown[]
  ? { readonly [I in keyof T]: ReadonlyDeep<T[I]> }
  : T extends object
    ? { readonly [F in keyof T]: ReadonlyDeep<T[F]> } & { readonly [F in Exclude<Fields, keyof T>]?: never }
    : T

type FieldsOf<T> = T extends readonly unknown[] ? never : T extends object ? keyof T : never

export type { Static }
