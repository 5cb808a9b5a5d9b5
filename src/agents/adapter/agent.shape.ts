/** What agents say and can do, as it goes over the wire. */
import { type TProperties, Type } from 'typebox'
import { type Message, named } from '../../kit/shape.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })

/** Token counts as the agent reports them for this turn; 0 for what it does not report. */
export const Usage = named(
  'TokenUsage',
  Type.Object({
    input_tokens: count('What the model read.'),
    output_tokens: count('What the model wrote.'),
    cached_tokens: count('The part of the input that came from a cache.'),
    reasoning_tokens: count('The part of the output that is thinking.'),
  }),
)
export type Usage = Message<typeof Usage>

const isPartial = Type.Optional(Type.Boolean({ description: 'A piece of a text that goes on in the next such event.' }))
const toolId = Type.Optional(Type.String({ description: 'Joins a use and its result.' }))
const toolName = Type.String({ description: 'As the agent calls the tool.' })

/** What an event of each type carries. */
export const EVENT_CONTENTS = {
  init: Type.Object({
    model: Type.Optional(Type.String({ description: 'The model that answers.' })),
    backend_session_id: Type.Optional(Type.String({ description: "The agent's own id of the session." })),
    working_dir: Type.Optional(Type.String({ description: 'Where the agent works.' })),
  }),
  message: Type.Object({
    text: Type.String({ description: 'What the agent says to its user.' }),
    role: Type.Literal('assistant'),
    is_partial: isPartial,
  }),
  thinking: Type.Object({
    text: Type.String({ description: 'What the agent says to itself.' }),
    is_partial: isPartial,
  }),
  tool_use: Type.Object({
    tool_id: toolId,
    tool_name: toolName,
    input: Type.Optional(Type.Unknown({ description: 'What the tool is given, in its own form.' })),
  }),
  tool_result: Type.Object({
    tool_id: toolId,
    tool_name: toolName,
    output: Type.Optional(Type.String({ description: 'What the tool gave.' })),
    is_error: Type.Optional(Type.Boolean({ description: 'Whether the tool failed.' })),
    error_message: Type.Optional(Type.String({ description: 'Why the tool failed.' })),
  }),
  progress: Type.Object({
    stage: Type.String({ description: 'What the agent has come to.' }),
    percent: Type.Optional(Type.Number({ description: 'How much of it is done.' })),
    message: Type.Optional(Type.String({ description: 'The same in words.' })),
  }),
  token_usage: Usage,
  error: Type.Object({
    code: Type.Optional(Type.String({ description: 'Which sort of failure it is.' })),
    message: Type.String({ description: 'What went wrong.' }),
    details: Type.Optional(Type.Unknown({ description: 'What else is known of it.' })),
  }),
  done: Type.Object({
    exit_code: Type.Integer({ description: 'As in the result of a prompt.' }),
    duration_ms: count('How long the agent ran.'),
    token_usage: Usage,
    turn_count: Type.Optional(count('How many turns the agent took.')),
    warnings: Type.Optional(Type.Array(Type.String(), { description: 'What was asked for and could not be had.' })),
  }),
} satisfies TProperties

export type EventType = keyof typeof EVENT_CONTENTS

/** One event of a prompt; the envelope (backend, session) is added further out. */
export type AgentEvent = { [T in EventType]: { type: T; content: Message<(typeof EVENT_CONTENTS)[T]> } }[EventType]

/** What an agent can really do, for people who choose between them. */
export const Abilities = named(
  'Abilities',
  Type.Object({
    deltas: Type.Boolean({ description: 'Streams text in pieces, as the model writes it.' }),
    resume: Type.Boolean({ description: 'Continues a session.' }),
    system_prompt: Type.Enum(['flag', 'before the prompt'], { description: 'How it is told a system prompt.' }),
    max_turns: Type.Boolean({ description: 'Knows a limit on turns.' }),
    os_sandbox: Type.Boolean({ description: 'Its sandbox is held by the operating system.' }),
    usage: Type.Object(
      { cached: Type.Boolean(), reasoning: Type.Boolean() },
      { description: 'Which token counts it reports beside input and output.' },
    ),
  }),
)
export type Abilities = Message<typeof Abilities>
