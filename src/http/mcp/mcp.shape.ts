import { Type } from 'typebox'
import type { JsonObject } from '../../kit/json-value.ts'
import { named } from '../../kit/shape.ts'
import { BODY_ERRORS } from '../api-description/error-responses.shape.ts'
import { type Operation, operation } from '../api-description/operation.shape.ts'

const McpMessage = named(
  'McpMessage',
  Type.Unsafe<JsonObject>({ type: 'object', description: 'A message of JSON-RPC 2.0, as MCP defines it.' }),
)

const request = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'prompt', arguments: { prompt: 'Hello' } },
}
const response = { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'Hello! How can I help?' }] } }
const notAcceptable = {
  jsonrpc: '2.0',
  error: { code: -32000, message: 'Not Acceptable: Client must accept both application/json and text/event-stream' },
  id: null,
}

export const OPERATIONS: readonly Operation[] = [
  operation('post /mcp', 'callMcp', {
    summary: 'Call the tools over the Model Context Protocol',
    description:
      'Streamable HTTP without sessions, for MCP clients. The tools do what the endpoints of this API do, with the same keys and limits. ' +
      'Errors of a tool are results with `isError`.',
    body: { shape: McpMessage, examples: { call: request } },
    responses: {
      200: {
        description: 'The answer: JSON, or a stream of progress and the answer.',
        content: {
          'application/json': { shape: McpMessage, examples: { response } },
          'text/event-stream': {
            shape: Type.String({ description: 'Each event is a message.' }),
            examples: { response: `event: message\ndata: ${JSON.stringify(response)}\n\n` },
            eventShape: McpMessage,
          },
        },
      },
      202: { description: 'The message was a notification.' },
      406: {
        description: 'The header `Accept` does not name both `application/json` and `text/event-stream`.',
        content: { 'application/json': { shape: McpMessage, examples: { error: notAcceptable } } },
      },
    },
    errors: BODY_ERRORS,
  }),
]
