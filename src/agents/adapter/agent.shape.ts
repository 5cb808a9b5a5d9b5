/** The events and abilities of agents, as they go over the wire. */
import { type TProperties, Type } from 'typebox'
import { literals, type Message, meaning, named, optionalFlag, optionalText } from '../../kit/shape.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })

/** Token counts of this turn as the agent reports them; 0 if it does not report a count. */
export const Usage = named(
  'TokenUsage',
  Type.Object({
    input_tokens: count('Tokens that the model read. Claude counts tokens of its cache apart from these.'),
    output_tokens: count('Tokens that the model wrote. Gemini counts thinking apart from these.'),
    cached_tokens: count('Tokens of the prompt that came from a cache.'),
    reasoning_tokens: count('Tokens of thinking.'),
    cache_write_tokens: Type.Optional(
      count('Tokens of the prompt that were written to a cache; absent if there are none.'),
    ),
  }),
  'Token counts of a turn as the agent reports them; 0 if it does not report a count.',
)
export type Usage = Message<typeof Usage>

const ContextUsage = Type.Object(
  { used_tokens: count('Tokens in the context.'), window_tokens: count('Tokens that it has room for.') },
  { description: 'The context of the model at the end of the turn, if the agent says so.' },
)
export type ContextUsage = Message<typeof ContextUsage>

const isPartial = optionalFlag('A piece of a text; the next event of this type continues it.')
const toolId = optionalText('The id of the tool call; its result has the same id.')
const toolName = Type.String({ description: "The agent's name for the tool." })

/** What a caller may decide about something that the agent wants to do. `allow_session`: the same again in this session too. */
export const ApprovalChoice = Type.Enum(['allow', 'allow_session', 'deny'])
export type ApprovalChoice = Message<typeof ApprovalChoice>

/** What an agent wants to know from its user. */
export const AgentQuestion = named(
  'AgentQuestion',
  Type.Object({
    text: Type.String({ description: 'What the agent asks.' }),
    options: Type.Array(
      Type.Object({
        label: Type.String({ description: 'The answer, as it is sent.' }),
        description: optionalText('What it means.'),
      }),
      { description: 'The answers that the agent proposes. None: any text is an answer.' },
    ),
    takes_several: optionalFlag('Several options may be chosen.'),
    takes_text: optionalFlag('Any text is an answer, not only the options.'),
    takes: Type.Optional(literals(['number', 'integer'], { description: 'The text has to be one.' })),
    is_optional: optionalFlag('It may be left without an answer.'),
  }),
  'What an agent wants to know from its user.',
)
export type AgentQuestion = Message<typeof AgentQuestion>

/** For each question, in their order, what was chosen or written. */
export const Answers = Type.Array(Type.Array(Type.String({ maxLength: 4000 }), { maxItems: 50 }), {
  maxItems: 50,
  description: 'For each question, in their order, the labels that were chosen, or a text.',
})

/** Something that the agent wants to do, and asks about first. */
export const ApprovalRequest = Type.Object(
  {
    approval_id: Type.String({ description: 'The id to answer with.' }),
    tool_id: toolId,
    tool_name: toolName,
    command: optionalText('The command that would run.'),
    diff: optionalText('The change that would be made to files.'),
    input: Type.Optional(Type.Unknown({ description: 'The input of the tool, as the agent reports it.' })),
    reason: optionalText('Why the agent asks.'),
    choices: Type.Array(ApprovalChoice, { description: 'The possible decisions.' }),
    questions: Type.Optional(
      Type.Array(AgentQuestion, {
        description: 'The agent asks these. `allow` needs `answers`; `deny` leaves it without.',
      }),
    ),
  },
  { description: 'Something that an agent wants to do, and asks about first.' },
)
export type ApprovalRequest = Message<typeof ApprovalRequest>

/** How the one who decided reached drover. */
const DECIDED_VIA = ['key', 'login', 'none', 'socket', 'terminal', 'editor', 'program', 'drover'] as const

export const Decider = named(
  'Decider',
  Type.Object({
    via: literals(DECIDED_VIA, {
      description:
        '`key`: an API key. `login`: a login to the console. `none`: a server without keys. `socket`: the local socket. `terminal`: a question of a command. `editor`: over ACP. `program`: a program that uses the library. `drover`: no one decided in time, or the prompt ended.',
    }),
    name: optionalText('The name of the API key, or of the user on the machine of the server.'),
    key_id: optionalText('The id of the API key. A later key may have the same name.'),
  }),
  'Who decided.',
)
export type Decider = Message<typeof Decider>

/** Who decided what about something that an agent asked for. */
export const DecidedApproval = Type.Object({
  approval_id: Type.String({ description: 'The id of the request.' }),
  tool_id: toolId,
  tool_name: toolName,
  command: optionalText('The command, or the first 1000 characters of it.', { maxLength: 1000 }),
  input_sha256: Type.String({
    description:
      'The digest of what was asked for: of the JSON of an object with `tool_name`, `command`, `diff` and `input` of the request, in this order, without those that it does not have.',
  }),
  decision: meaning('What was decided.', ApprovalChoice),
  message: optionalText('The reason that the agent was told.'),
  answers: Type.Optional(meaning('What the agent was answered, if it asked questions.', Answers)),
  by: meaning('Who decided.', Decider),
})
export type DecidedApproval = Message<typeof DecidedApproval>

/** What a person tells an agent that works. */
const UserMessage = Type.Object({
  message_id: Type.String({ description: 'The id of the message.' }),
  text: Type.String({ description: 'What the agent is told.' }),
  sent_at: Type.String({ format: 'date-time', description: 'When it was sent, in UTC.' }),
  by: meaning('Who sent it.', Decider),
})
export type UserMessage = Message<typeof UserMessage>

export const Delivered = literals(['now', 'next_turn'], {
  description:
    '`now`: the agent gets the message while it works. `next_turn`: it gets the message with the next prompt of its session.',
})
export type Delivered = Message<typeof Delivered>

export const SteeredMessage = Type.Object({ ...UserMessage.properties, delivered: Delivered })
export type SteeredMessage = Message<typeof SteeredMessage>

const ClientCall = named(
  'ClientCall',
  Type.Object({
    call_id: Type.String({ description: 'The id to answer with.' }),
    tool_name: Type.String({ description: "The client's name for the function." }),
    arguments: Type.String({ description: 'The arguments, as JSON.' }),
  }),
  'A call of a function that the client runs.',
)
export type ClientCall = Message<typeof ClientCall>

/** The content of each type of event. */
export const EVENT_CONTENTS = {
  init: Type.Object({
    model: optionalText('The model that answers.'),
    backend_session_id: optionalText("The agent's own id of the session."),
    working_dir: optionalText('The working directory of the agent.'),
  }),
  message: Type.Object({
    text: Type.String({ description: 'The text for the user.' }),
    role: Type.Literal('assistant'),
    is_partial: isPartial,
  }),
  thinking: Type.Object({
    text: Type.String({ description: 'The reasoning of the agent.' }),
    is_partial: isPartial,
  }),
  boundary: Type.Object({
    is: literals(['reached', 'refused', 'unwritable', 'exceeded'], {
      description: 'Whether a connection was made or refused, a path could not be written, or a limit was exceeded.',
    }),
    host: optionalText('The host and its port.'),
    path: optionalText('The path, as a tool printed it.'),
    limit: optionalText('What was exceeded. The agent is ended, or its commits are not taken.'),
    reason: Type.Optional(
      literals(['not listed', 'port not listed', 'private address'], { description: 'Why it was refused.' }),
    ),
  }),
  tool_use: Type.Object({
    tool_id: toolId,
    tool_name: toolName,
    input: Type.Optional(Type.Unknown({ description: 'The input of the tool, as the agent reports it.' })),
  }),
  tool_result: Type.Object({
    tool_id: toolId,
    tool_name: toolName,
    output: optionalText('The output of the tool.'),
    is_error: optionalFlag('Whether the tool failed.'),
    error_message: optionalText('Why the tool failed.'),
  }),
  approval_request: ApprovalRequest,
  approval_decision: DecidedApproval,
  user_message: SteeredMessage,
  tool_request: Type.Object({
    calls: Type.Array(ClientCall, { description: 'The calls, in the order in which the agent made them.' }),
    token_usage: Type.Optional(meaning('What the turn has used so far, if the agent says so.', Usage)),
  }),
  progress: Type.Object({
    stage: Type.String({ description: 'The stage that the agent has reached.' }),
    percent: Type.Optional(Type.Number({ description: 'How much of the work is done.' })),
    message: optionalText('A description of the stage.'),
  }),
  token_usage: Usage,
  error: Type.Object({
    code: optionalText('The code of the failure.'),
    message: Type.String({ description: 'What went wrong.' }),
    details: Type.Optional(
      Type.Unknown({
        description: '`upstream_status` and `retry_after_secs` of the model service, where the agent reports them.',
      }),
    ),
  }),
  done: Type.Object({
    exit_code: Type.Integer({ description: 'The same as in the result of the prompt.' }),
    duration_ms: count('How long the agent ran.'),
    token_usage: Usage,
    context: Type.Optional(ContextUsage),
    turn_count: Type.Optional(count('How many turns the agent took.')),
    warnings: Type.Optional(
      Type.Array(Type.String(), { description: 'Parts of the request that could not be fulfilled.' }),
    ),
  }),
} satisfies TProperties

export type AgentEventType = keyof typeof EVENT_CONTENTS

/** One event of an agent, without the envelope (backend, session, time). */
export type AgentEvent = {
  [T in AgentEventType]: { type: T; content: Message<(typeof EVENT_CONTENTS)[T]> }
}[AgentEventType]

/** What an agent can do, for users who choose one. */
export const Abilities = named(
  'Abilities',
  Type.Object({
    deltas: Type.Boolean({ description: 'Streams text in pieces, as the model writes it.' }),
    resume: Type.Boolean({ description: 'Continues a session.' }),
    system_prompt: Type.Enum(['flag', 'before the prompt'], { description: 'How the agent gets a system prompt.' }),
    max_turns: Type.Boolean({ description: 'Supports a limit on turns.' }),
    output_schema: Type.Boolean({ description: 'Can be given a JSON Schema for its answer.' }),
    images: Type.Boolean({ description: 'Takes images (PNG, JPEG, GIF, WebP) with a prompt.' }),
    documents: Type.Boolean({ description: 'Takes PDF documents with a prompt.' }),
    os_sandbox: Type.Boolean({ description: 'Has an operating system sandbox.' }),
    usage: Type.Object(
      { cached: Type.Boolean(), reasoning: Type.Boolean() },
      { description: 'Which token counts it reports in addition to input and output.' },
    ),
  }),
)
export type Abilities = Message<typeof Abilities>

/** A backend, as clients see it: without the place of its program. */
export const BackendRecord = named(
  'BackendRecord',
  Type.Object({
    name: Type.String(),
    available: Type.Boolean({ description: 'Whether it can run prompts.' }),
    enabled: Type.Boolean({ description: 'Whether the operator has enabled it.' }),
    default: Type.Boolean({
      description: 'Whether the command line uses it by default. A request to the server always names its backend.',
    }),
    demo: Type.Boolean({ description: 'Whether the built-in demo agent replaces it.' }),
    version: Type.Union([Type.String(), Type.Null()], {
      description: 'Null if the agent is not installed, does not print its version, or has not printed it yet.',
    }),
    capabilities: meaning('What the agent supports.', Abilities),
    warm: Type.Object(
      {
        idle: Type.Integer({ minimum: 0, description: 'Those that wait for a prompt, or are starting.' }),
        busy: Type.Integer({ minimum: 0, description: 'Those that answer one.' }),
      },
      { description: 'The processes of the agent that the server keeps running.' },
    ),
    machines: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The machines whose workers have the agent; only of a server that runs no prompts itself.',
      }),
    ),
  }),
)
export type BackendRecord = Message<typeof BackendRecord>
