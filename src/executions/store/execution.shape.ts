/** Executions as they are stored and sent to clients. */
import { Type } from 'typebox'
import { Usage } from '../../agents/adapter/agent.shape.ts'
import type { JsonObject } from '../../kit/json-value.ts'
import { literals, type Message, meaning, named, namedObject, optionalList } from '../../kit/shape.ts'
import { costKind } from '../../prompts/prompt-result.shape.ts'
import { EXECUTION_KINDS, EXECUTION_STATES } from './execution-states.ts'

const text = (description: string) => Type.String({ description })
const moment = (description: string) => Type.String({ format: 'date-time', description })

/** What is stored of an image or a document beside its content. */
export const AttachmentRecord = named(
  'AttachmentRecord',
  Type.Object({
    digest: text('`sha256:` and the digest of the content.'),
    media_type: text('What it is by its content, such as `image/png`.'),
    size: Type.Integer({ minimum: 0, description: 'Its bytes.' }),
    name: Type.Optional(text('The name of the file.')),
  }),
  'An image or a document that came with a prompt.',
)
export type AttachmentRecord = Message<typeof AttachmentRecord>

export const Execution = namedObject(
  'Execution',
  {
    id: text('`exec_` and 24 random characters.'),
    state: literals(EXECUTION_STATES, {
      description:
        '`queued`, `running`, then `completed`, `failed` or `cancelled`. `lost`: its process died, so the end is unknown.',
    }),
    kind: literals(EXECUTION_KINDS, {
      description:
        'What it runs: a prompt, a batch, or a part of a batch. `dry_run`: nothing; it shows the command for a prompt.',
    }),
    parent_id: Type.Optional(text('The execution of the batch that it belongs to.')),
    session_id: Type.Optional(text('The session of the prompt, if one is stored.')),
    backend: Type.Optional(text('The agent; absent for a batch.')),
    model: Type.Optional(text('The model that the agent reported, otherwise the requested one.')),
    workdir: Type.Optional(text('The working directory.')),
    label: Type.Optional(
      text('It needs a worker with this label. While it is queued, it may wait for a machine that has it.'),
    ),
    owner: text('The process that runs it.'),
    api_key: Type.Optional(text('The name of the API key that started it.')),
    key_id: Type.Optional(text('The id of that key. A later key may have the same name.')),
    is_demo: Type.Optional(Type.Literal(true, { description: 'The built-in demo agent answered.' })),
    created_at: moment('When it was requested, in UTC.'),
    started_at: Type.Optional(moment('When its agent was started.')),
    ended_at: Type.Optional(moment('When it ended.')),
    usage: Type.Optional(meaning('The tokens that it used.', Usage)),
    cost_usd: Type.Optional(Type.Number({ description: 'The cost in US dollars, if it is known.' })),
    cost_kind: costKind,
    error: Type.Optional(
      Type.Object(
        {
          code: text('The code of the error.'),
          message: text('What is wrong and what to do.'),
          kind: Type.Optional(text('The kind of the error, which determines the status of a response.')),
          details: Type.Optional(
            Type.Unsafe<Readonly<Record<string, string | number>>>({
              type: 'object',
              description: 'Of a budget: what it allows, and when it resets.',
            }),
          ),
        },
        { description: 'Why it has no result: it could not be started.' },
      ),
    ),
    last_seq: Type.Integer({ minimum: 0, description: 'The number of its last stored event.' }),
    prompt_start: Type.Optional(
      Type.String({ maxLength: 200, description: 'The first 200 characters of a stored prompt; only in a page.' }),
    ),
    prompt: Type.Optional(text('The prompt; only in a single execution.')),
    attachments: optionalList(
      'The images and documents that came with the prompt; only in a single execution. `GET /api/v1/executions/{id}/attachments/{digest}` has their content.',
      AttachmentRecord,
    ),
    client_request: Type.Optional(
      Type.Unsafe<JsonObject>({
        type: 'object',
        description: 'What the request to the Responses API said besides the prompt; only in a single execution.',
      }),
    ),
    result: Type.Optional(
      Type.Unsafe<JsonObject>({
        type: 'object',
        description: 'The same object that the request got as its answer; only in a single execution that ended.',
      }),
    ),
  },
  'A prompt or a batch that was started, with its state and, in the end, its result.',
)
/** `JsonObject` is read-only already, and too deeply recursive for `Message`. */
export type Execution = Omit<Message<typeof Execution>, 'result' | 'client_request'> & {
  readonly client_request?: JsonObject
  readonly result?: JsonObject
}

export const ExecutionPage = namedObject(
  'ExecutionPage',
  {
    executions: Type.Array(Execution, { description: 'Newest first, without prompts and results.' }),
    next: Type.Optional(
      text('The last execution of the page, as `before` for the next page; absent on the last page.'),
    ),
  },
  'A part of the list of executions.',
)
export type ExecutionPage = { readonly executions: readonly Execution[]; readonly next?: string }

export const ExecutionEvent = namedObject(
  'ExecutionEvent',
  {
    seq: Type.Integer({ minimum: 1, description: 'Counts from 1, without gaps.' }),
    at: moment('The time of the event, in UTC.'),
    type: text('The type of a prompt event, or `state`: the execution has reached another state.'),
    content: Type.Unsafe<JsonObject>({
      type: 'object',
      description: 'The content of the prompt event, or `{"state": …}`.',
    }),
  },
  'A numbered event of an execution.',
)
export type ExecutionEvent = {
  readonly seq: number
  readonly at: string
  readonly type: string
  readonly content: JsonObject
}

/** The answer to a client that does not wait for the end. */
export const ExecutionAccepted = namedObject('ExecutionAccepted', {
  execution_id: Type.String({ description: 'The execution.' }),
  session_id: Type.String({ description: 'The session; empty while the prompt is queued.' }),
  state: literals(EXECUTION_STATES, { description: 'The state when the response was sent.' }),
  links: Type.Object(
    { self: Type.String(), events: Type.String(), cancel: Type.String() },
    { description: 'Paths on this server.' },
  ),
})
export type ExecutionAccepted = Message<typeof ExecutionAccepted>
