/** Shapes of error responses. `error-body.ts` makes them. */
import { type TSchema, Type } from 'typebox'
import { named, namedObject } from '../../kit/shape.ts'

export const NativeError = namedObject('NativeError', {
  error: Type.String({ pattern: '^[a-z][a-z0-9_]*$', description: 'The error code, such as `unauthorized`.' }),
  message: Type.String({ description: 'What is wrong and how to fix it.' }),
  retryable: Type.Boolean({ description: 'Whether the same request may succeed if it is sent again unchanged.' }),
  details: Type.Optional(
    Type.Unsafe<object>({
      type: 'object',
      description: 'The facts of the message as fields. The fields depend on the code.',
    }),
  ),
})

const problem = <E extends TSchema>(error: E) =>
  Type.Object({
    type: Type.String({ format: 'uri', description: 'Identifies the problem type, such as `…/backend-not-found`.' }),
    title: Type.String({ description: 'The problem type in words.' }),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'The HTTP status.' }),
    detail: Type.String({ description: 'What is wrong and how to fix it.' }),
    error,
  })

export const agentError = Type.Optional(
  Type.String({ description: 'How the agent failed, as `error_code` of a result. Not with `server.vendor_errors`.' }),
)

export const ChatError = namedObject('ChatError', {
  message: Type.String(),
  type: Type.String(),
  code: Type.String(),
  param: Type.Union([Type.String(), Type.Null()], { description: 'The invalid field of the request.' }),
  agent_error: agentError,
})

export const MessageError = namedObject('MessageError', {
  type: Type.String(),
  message: Type.String(),
  code: Type.Optional(Type.String({ description: 'The error code. Not with `server.vendor_errors`.' })),
  agent_error: agentError,
})

export const ChatProblem = named('ChatProblem', problem(ChatError))
export const MessageProblem = named('MessageProblem', problem(MessageError))
