/**
 * Shapes that both compatible APIs share. Their requests are open objects, because clients send more fields than drover
 * reads. Fields that drover reads or ignores on purpose are listed. Clients may send null for an omitted field.
 */
import { type TSchema, Type } from 'typebox'
import { AGENT_TOOLS } from '../../agents/adapter/agent.ts'
import type { JsonRecord } from '../../agents/adapter/json-fields.ts'
import { literals } from '../../kit/shape.ts'
import { model } from '../../prompts/prompt-request.shape.ts'
import { optionalHeader, type Parameter } from '../api-description/operation.shape.ts'

/** The description of both endpoints that run a prompt. */
export const MODEL_RULES =
  '`model` selects the backend: the name of a backend, else a name that contains `claude`, `gpt` (codex) or `gemini`, ' +
  'else the first rule of `server.model_rules` that matches the name without its vendor (`openai/o3` is `o3`), else ' +
  'claude. A model name that is not the name of a backend is passed on to the agent if it was recognized. ' +
  'No session is stored unless `X-Drover-Session` asks for one.'

/** The headers of the responses of both. */
export const REPLY_HEADERS: readonly string[] = [
  'X-Drover-Backend',
  'X-Drover-Warning',
  'X-Drover-Session',
  'X-Execution-Id',
  'Idempotency-Replayed',
]

/** Longer than any real type. The value is repeated in the error message. */
export const MAX_TYPE_LENGTH = 64

export const orNull = <S extends TSchema>(shape: S, description: string) =>
  Type.Optional(Type.Union([shape, Type.Null()], { description }))

/** Any value, because an ignored field is not checked. */
export const ignored = (description = 'Accepted and ignored.') => Type.Optional(Type.Unknown({ description }))

const TextPart = Type.Object({
  type: Type.String({ maxLength: MAX_TYPE_LENGTH, description: '`text`. Other types are refused.' }),
  text: Type.Optional(Type.String()),
})

export const TextContent = Type.Union([Type.String(), Type.Array(TextPart)], {
  description: 'A text, or a list of text parts.',
})

export const COMPATIBLE_REQUEST = {
  model: { ...model, description: 'Selects the backend, and its model.' },
  stream: orNull(Type.Boolean(), 'Whether to send the reply as a stream of events.'),
  dry_run: orNull(Type.Boolean(), 'An extension of the vendor API: return the command instead of running it.'),
  agent_tools: orNull(
    literals(AGENT_TOOLS),
    'An extension of the vendor API: `none` switches the own tools of the agent off, as `X-Drover-Agent-Tools` does.',
  ),
  tools: orNull(
    Type.Array(Type.Unknown()),
    'Functions of the client, which the agent may call. `server.client_tools` can refuse or ignore them.',
  ),
  parallel_tool_calls: orNull(
    Type.Boolean(),
    'False: a reply has at most one call, and further calls of the agent wait. The messages API says so in `tool_choice`.',
  ),
  tool_choice: Type.Optional(
    Type.Unknown({
      description:
        '`none` leaves the functions out. If a call is required, the agent is told so, and an answer without it is an error.',
    }),
  ),
}

/** The request headers of both endpoints that run a prompt. */
export const TARGET_HEADERS: readonly Parameter[] = [
  optionalHeader(
    'X-Drover-Session',
    Type.String({
      description:
        '`new` stores a session. The id of a session continues it: the agent gets the messages after the last answer. ' +
        'The response has the id in the same header.',
    }),
    'new',
  ),
  optionalHeader(
    'X-Drover-Workdir',
    Type.String({ description: 'The working directory: an absolute path that the operator allows.' }),
    '/srv/projects/parser',
  ),
  optionalHeader(
    'X-Drover-Agent-Tools',
    literals(AGENT_TOOLS, {
      description: '`none` switches the own tools of the agent off, so that it is a plain model.',
    }),
    'none',
  ),
]

export const FormatType = Type.String({
  maxLength: MAX_TYPE_LENGTH,
  description: '`text`, `json_schema` or `json_object`. Others are refused.',
})

export const AnySchema = Type.Unsafe<JsonRecord>({ type: 'object', description: 'A JSON Schema.' })
