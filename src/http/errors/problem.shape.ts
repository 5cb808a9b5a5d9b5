/** How the compatible APIs say no: RFC 7807 problem details, with the vendor's own error beside them for its SDK. */
import { type TSchema, Type } from 'typebox'
import { named } from '../../kit/shape.ts'

const problem = <E extends TSchema>(error: E) =>
  Type.Object({
    type: Type.String({ format: 'uri', description: 'Which problem it is, such as `…/backend-not-found`.' }),
    title: Type.String({ description: 'The same in words.' }),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'The HTTP status.' }),
    detail: Type.String({ description: 'What happened and what to do about it.' }),
    error,
  })

export const ChatError = named(
  'ChatError',
  Type.Object({
    message: Type.String(),
    type: Type.String(),
    code: Type.String(),
    param: Type.Union([Type.String(), Type.Null()], { description: 'The field that is to blame.' }),
  }),
)

export const MessageError = named('MessageError', Type.Object({ type: Type.String(), message: Type.String() }))

export const ChatProblem = named('ChatProblem', problem(ChatError))
export const MessageProblem = named('MessageProblem', problem(MessageError))
