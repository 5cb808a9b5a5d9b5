import { Type } from 'typebox'
import { type Message, named } from '../../kit/shape.ts'

export const SessionDeleted = named(
  'SessionDeleted',
  Type.Object({
    deleted: Type.Literal(true),
    id: Type.String({ description: 'The whole id, also where the request had only the beginning of it.' }),
  }),
)
export type SessionDeleted = Message<typeof SessionDeleted>
