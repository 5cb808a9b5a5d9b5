/**
 * What the requests of both compatible APIs have in common. They are open objects, because clients send more than this
 * server reads; what it reads or knows to ignore is named. Clients may write null for anything that they leave out.
 */
import { type TSchema, Type } from 'typebox'
import { model } from '../../prompts/prompt-request.shape.ts'

/** Longer than any that there is. It comes back in the refusal. */
const MAX_TYPE_LENGTH = 64

export const orNull = <S extends TSchema>(shape: S, description: string) =>
  Type.Optional(Type.Union([shape, Type.Null()], { description }))

/** Whatever it is: to look at it would be not to ignore it. */
export const ignored = (description = 'Accepted and ignored.') => Type.Optional(Type.Unknown({ description }))

const TextPart = Type.Object({
  type: Type.String({ maxLength: MAX_TYPE_LENGTH, description: '`text`; whatever is not text is refused.' }),
  text: Type.Optional(Type.String()),
})

export const TextContent = Type.Union([Type.String(), Type.Array(TextPart)], {
  description: 'A text, or parts that are all text.',
})

export const COMPATIBLE_REQUEST = {
  model: { ...model, description: 'Selects the backend, and the model where it is not its name.' },
  stream: orNull(Type.Boolean(), 'Whether to answer with events as they come.'),
  dry_run: orNull(Type.Boolean(), 'Not part of the vendor API: say what would be started instead of starting it.'),
  tools: orNull(Type.Array(Type.Unknown()), 'Refused unless empty: agents bring tools of their own.'),
}
