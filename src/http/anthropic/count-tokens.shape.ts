import { Type } from 'typebox'
import { namedObject, type Message as Read } from '../../kit/shape.ts'
import { BODY_ERRORS } from '../api-description/error-responses.shape.ts'
import { jsonResponse, type Operation, operation } from '../api-description/operation.shape.ts'
import { COMPATIBLE_REQUEST, orNull, TextContent } from '../compatible/conversation.shape.ts'
import { API_VERSION, MESSAGES } from './messages.shape.ts'

export const CountTokensRequest = namedObject('CountTokensRequest', {
  model: COMPATIBLE_REQUEST.model,
  messages: MESSAGES,
  system: orNull(TextContent, 'The system prompt.'),
  tools: orNull(Type.Array(Type.Unknown()), 'Counted, although message requests with tools are refused.'),
})
export type CountTokensRequest = Read<typeof CountTokensRequest>

const TokenCount = namedObject('TokenCount', {
  input_tokens: Type.Integer({ minimum: 0, description: 'Estimated as a quarter of the bytes of all texts.' }),
})
export type TokenCount = Read<typeof TokenCount>

const request: CountTokensRequest = { model: 'claude', messages: [{ role: 'user', content: 'What is a monad?' }] }

export const OPERATIONS: readonly Operation[] = [
  operation('post /anthropic/v1/messages/count_tokens', 'anthropicCountTokens', {
    tag: 'message',
    summary: 'Estimate the tokens of a message request',
    description:
      'An estimate, as the header `X-Drover-Warning` says: agents cannot count the tokens of a prompt. No agent runs.',
    parameters: [API_VERSION],
    body: { shape: CountTokensRequest, examples: { example: request } },
    responses: {
      200: {
        ...jsonResponse('The estimate.', TokenCount, { input_tokens: 4 }),
        headers: ['X-Drover-Backend', 'X-Drover-Warning'],
      },
    },
    errors: BODY_ERRORS,
  }),
]
