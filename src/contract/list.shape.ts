/** Lists whose length selects the branch of a message. Their types reflect it. */
import { type Static, type TSchema, type TSchemaOptions, Type } from 'typebox'

/** A list that is always empty. */
export const emptyList = (items: TSchema, options: TSchemaOptions) =>
  Type.Unsafe<[]>({ ...options, type: 'array', items, maxItems: 0 })

/** A list of at least one item. */
export const nonEmptyList = <S extends TSchema>(items: S, options: TSchemaOptions) =>
  Type.Unsafe<[Static<S>, ...Static<S>[]]>({ ...options, type: 'array', items, minItems: 1 })
