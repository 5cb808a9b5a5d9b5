/** Requests for prompts, as they come over HTTP and in task files. Settings fill in what is left out. */
import { type Static, type TProperties, Type } from 'typebox'
import { AGENT_TOOLS, APPROVAL_MODES, SANDBOX_MODES, SANDBOX_USES } from '../agents/adapter/agent.ts'
import type { JsonObject } from '../kit/json-value.ts'
import { LABEL_PATTERN, LABEL_RULE } from '../kit/label.ts'
import {
  named,
  namedRequest,
  optionalChoice,
  optionalFlag,
  optionalInteger,
  optionalList,
  optionalText,
  request,
  stated,
  textLike,
} from '../kit/shape.ts'
import { PRIORITIES } from './fair-queue.ts'

const OUTPUT_FORMATS = ['default', 'text', 'json', 'stream-json'] as const

/** Far more than anyone needs, and too little for one call to do harm. */
const MAX_EXTRA = 64
export const MAX_TASKS = 100
const MAX_BACKENDS = 16
const MAX_MCP_SERVERS = 32
const MAX_CHECKS = 16
const MAX_DIRECTORIES = 16
const MAX_TURNS = 10_000
const MAX_NAME_LENGTH = 256
/** A week. */
const MAX_SECONDS = 604_800

export const model = textLike(
  '^(?!-)[^\\u0000-\\u001f\\u007f-\\u009f]+$',
  'a model name, without control characters and not starting with -',
  {
    description: 'A model of the agent, or an alias from the config.',
    maxLength: MAX_NAME_LENGTH,
  },
)

/** Without NUL, and not only white space. */
const TEXT = '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$'

const ABSOLUTE_PATH = '^(/|[A-Za-z]:[\\\\/])[^\\u0000]*$'

/** Any text: an unknown backend must fail only its own prompt, not a whole parallel call. */
/** The document that everyone may read does not name those of the config. */
const BACKEND_NAME_DESCRIPTION =
  'The name of a backend: `claude`, `codex`, `gemini`, or an agent that the config defines.'

const backend = named(
  'BackendName',
  Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH, description: BACKEND_NAME_DESCRIPTION }),
)
const prompt = Type.String({ minLength: 1, description: 'The text for the agent.', ...stated({ pattern: TEXT }) })

const fallback = optionalList(
  'Agents that get the prompt if the one before fails with a limit, an outage or a missing login before it begins its answer. They use their own model. Not for a session that is continued.',
  backend,
  { maxItems: MAX_BACKENDS },
)

const dryRun = optionalFlag('Show the command instead of starting it.', { default: false })

/** Fields of every kind of call. */
const COMMON_FIELDS = {
  model: Type.Optional(model),
  workdir: optionalText('The working directory: an absolute path that exists and that the operator allows.', {
    minLength: 1,
    ...stated({ pattern: ABSOLUTE_PATH }),
  }),
  additional_directories: optionalList(
    'Directories in which the agent works too, as in the working directory: absolute paths that exist and that the operator allows. Only for agents that take some.',
    Type.String({ minLength: 1, ...stated({ pattern: ABSOLUTE_PATH }) }),
    { maxItems: MAX_DIRECTORIES },
  ),
  approval_mode: optionalChoice(
    'What the agent may do without approval: edit files (`auto`), everything in a sandbox (`sandboxed`), everything (`none`), nothing (`always`), or what its own settings allow (`default`).',
    APPROVAL_MODES,
  ),
  sandbox_mode: optionalChoice(
    'Where the agent may write: nowhere, in the working directory, or everywhere.',
    SANDBOX_MODES,
  ),
  sandbox: optionalChoice(
    'Whether the agent runs in a sandbox that the system enforces: `on` where the machine has one, `required` or not at all. The default is `sandbox.mode` of the config.',
    SANDBOX_USES,
  ),
  agent_tools: optionalChoice(
    '`none` switches the own tools of the agent off, so that it is a plain model. Agents that cannot do that are refused.',
    AGENT_TOOLS,
  ),
  mcp_servers: optionalList(
    'The names of the MCP servers that the agent gets, of `mcp_servers` in the config. Empty: none. By default it gets all that the caller may use.',
    Type.String({ minLength: 1, maxLength: 64 }),
    { maxItems: MAX_MCP_SERVERS },
  ),
  max_tokens: optionalInteger('Accepted but ignored: no agent has such a limit.', { minimum: 0 }),
  max_turns: optionalInteger('The maximum number of turns, if the agent supports such a limit.', {
    minimum: 1,
    maximum: MAX_TURNS,
  }),
  system_prompt: optionalText('The role of the agent and how it should behave.', {
    ...stated({ pattern: '^[^\\u0000]*$' }),
  }),
  output_schema: Type.Optional(
    Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: 'object',
      description: 'A JSON Schema that the answer must match, if the agent can be given one. The answer is then JSON.',
    }),
  ),
  verbose: optionalFlag('Whether the agent prints more details.'),
  extra: optionalList(
    'More arguments for the agent, from the list that is allowed for it.',
    Type.String({ minLength: 1 }),
    { maxItems: MAX_EXTRA },
  ),
  timeout_secs: optionalInteger('Stop the agent after this many seconds.', { minimum: 1, maximum: MAX_SECONDS }),
  priority: optionalChoice(
    'Which prompts of the API key come first while they wait. `low` also lets those of other keys pass. A prompt waits as if it had come ten minutes earlier (`high`) or later (`low`), so none waits for ever.',
    PRIORITIES,
  ),
  label: Type.Optional(
    textLike(LABEL_PATTERN, LABEL_RULE, {
      description:
        'Only a machine with this label in `work.labels` may run it. With PostgreSQL it waits for such a machine.',
    }),
  ),
} satisfies TProperties

/** What they are and how large they may be is checked by `attachments.ts`. */
export const Attachment = named(
  'Attachment',
  request({
    data: Type.String({ minLength: 1, description: 'The file in base64, at most 5 MiB.' }),
    media_type: optionalText(
      '`image/png`, `image/jpeg`, `image/gif`, `image/webp` or `application/pdf`. The content decides; a request that says something else is refused.',
      { maxLength: 255 },
    ),
    name: optionalText('The name of the file, for people.', { maxLength: 255 }),
  }),
  'An image or a document that a prompt comes with.',
)
export type Attachment = Static<typeof Attachment>

/** Fields of a single prompt, which may have a session. */
const SESSION_FIELDS = {
  attachments: optionalList(
    'Images and PDF documents that come with the prompt, at most 20 with 20 MiB together.',
    Attachment,
  ),
  ephemeral: optionalFlag('Store no session, neither in drover nor with the agent.'),
  output_format: optionalChoice(
    '`stream-json` streams events as they come; other formats wait for the result.',
    OUTPUT_FORMATS,
  ),
  metadata: Type.Optional(
    Type.Unsafe<JsonObject>({ type: 'object', description: 'Stored and returned with the session.' }),
  ),
  shared: optionalFlag(
    'For a new session: every API key can see and resume it. Otherwise only the key of the request and operators can.',
    { default: false },
  ),
  detach: optionalFlag(
    'Answer immediately with 202 and the id of the execution. The agent keeps running when the client disconnects. Only for a single prompt over HTTP.',
    { default: false },
  ),
  dry_run: dryRun,
} satisfies TProperties

export const PromptBody = namedRequest('PromptRequest', {
  backend,
  prompt,
  fallback,
  ...COMMON_FIELDS,
  ...SESSION_FIELDS,
})
export type PromptBody = Static<typeof PromptBody>

/** Without `fork`, the backend is that of the session. */
export const ResumeRequest = namedRequest('ResumeRequest', {
  prompt,
  ...COMMON_FIELDS,
  ...SESSION_FIELDS,
  fork: optionalFlag(
    'Start a new session with the settings of this one and a link to it. The agent starts without its history, unless `backend` names another agent.',
    { default: false },
  ),
  backend: optionalText(
    'With `fork`: the agent of the new session. An agent other than that of the session gets the conversation in front of the prompt, as far as executions are kept.',
    { minLength: 1 },
  ),
})
export type ResumeRequest = Static<typeof ResumeRequest>

export const ParallelRequest = namedRequest('ParallelRequest', {
  tasks: Type.Array(PromptBody, { minItems: 1, maxItems: MAX_TASKS, description: 'The prompts.' }),
  max_parallel: optionalInteger(
    'How many tasks run at the same time; the default is `parallel.max_workers` of the config.',
    { minimum: 1, maximum: MAX_TASKS },
  ),
  fail_fast: optionalFlag('Stop all other tasks when one fails.', { default: false }),
  dry_run: dryRun,
})
export type ParallelRequest = Static<typeof ParallelRequest>

export const ChainStep = namedRequest('ChainStep', {
  name: Type.Optional(
    textLike('^[^\\u0000-\\u001f{}]{1,64}$', 'a name of 1 to 64 characters without braces or control characters', {
      description: 'The name for later steps: `{{steps.name}}`.',
    }),
  ),
  backend,
  prompt: Type.String({
    minLength: 1,
    description: 'The text for the agent; `{{previous}}` and `{{steps.name}}` are replaced by earlier answers.',
    ...stated({ pattern: TEXT }),
  }),
  fallback,
  ...COMMON_FIELDS,
})
export type ChainStep = Static<typeof ChainStep>

export const ChainRequest = namedRequest('ChainRequest', {
  steps: Type.Array(ChainStep, { minItems: 1, maxItems: MAX_TASKS, description: 'The steps, in order.' }),
  stop_on_failure: optionalFlag('Skip the steps after one that failed.', { default: false }),
  pass_working_dir: optionalFlag('A step without a workdir uses that of the previous step.', { default: false }),
  pass_session_id: optionalFlag('Must be false: the steps of a chain have no session.'),
  persist_sessions: optionalFlag('Must be false: a chain stores no sessions.'),
  dry_run: dryRun,
})
export type ChainRequest = Static<typeof ChainRequest>

export const CompareRequest = named(
  'CompareRequest',
  request({
    prompt,
    backends: Type.Array(backend, {
      minItems: 1,
      maxItems: MAX_BACKENDS,
      description: 'The agents; the same one may be listed twice.',
    }),
    approval_mode: COMMON_FIELDS.approval_mode,
    sandbox_mode: COMMON_FIELDS.sandbox_mode,
    model: Type.Optional(model),
    workdir: COMMON_FIELDS.workdir,
    additional_directories: COMMON_FIELDS.additional_directories,
    output_schema: COMMON_FIELDS.output_schema,
    timeout_secs: COMMON_FIELDS.timeout_secs,
    sessions: optionalFlag('Store a session for each answer, so that it can be continued. Not with `worktrees`.', {
      default: false,
    }),
    sequential: optionalFlag('Run them one after another instead of all at the same time.', { default: false }),
    worktrees: optionalFlag(
      'Let each agent edit files in a new git worktree of the repository in `workdir`. API keys may name only repositories of `drive.repositories`.',
      { default: false },
    ),
    checks: optionalList(
      'With `worktrees`: commands to run in each worktree after the agents, by default those of `drive.checks`. Over HTTP, only those.',
      Type.String({ minLength: 1 }),
      { maxItems: MAX_CHECKS },
    ),
    keep: optionalText('With `worktrees`: keep the work of this agent as a branch, and drop the others.', {
      minLength: 1,
    }),
    dry_run: dryRun,
  }),
  'One prompt for several agents.',
)
export type CompareRequest = Static<typeof CompareRequest>

export const KeepRequest = named(
  'KeepRequest',
  request({
    workdir: optionalText('A directory of the repository that was compared in: an absolute path.', {
      minLength: 1,
      ...stated({ pattern: ABSOLUTE_PATH }),
    }),
    comparison: optionalText(
      'The execution of the comparison, or the beginning of its id. The default is the last one in the repository.',
      {
        minLength: 1,
      },
    ),
    name: optionalText('The agent whose work is kept. Without it, all work is dropped.', { minLength: 1 }),
  }),
  'What becomes of the worktrees of a comparison.',
)
export type KeepRequest = Static<typeof KeepRequest>
