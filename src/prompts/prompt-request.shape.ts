/** What a caller may ask for, as it comes over HTTP and in task files. What is left out falls to the settings. */
import { type Static, type TProperties, Type } from 'typebox'
import { APPROVAL_MODES, SANDBOX_MODES } from '../agents/adapter/agent.ts'
import type { JsonObject } from '../kit/json/json-value.ts'
import { literals, named, strict, textLike } from '../kit/shape.ts'

const OUTPUT_FORMATS = ['default', 'text', 'json', 'stream-json'] as const

/** Far more than anybody types, far below what one call could do harm with. */
const MAX_EXTRA = 64
const MAX_TASKS = 100
const MAX_BACKENDS = 16
const MAX_TURNS = 10_000
const MAX_MODEL_LENGTH = 256
/** A week. */
const MAX_SECONDS = 604_800

export const model = textLike(
  '^(?!-)[^\\u0000-\\u001f\\u007f-\\u009f]+$',
  'a model name, without control characters and not starting with -',
  {
    description: 'A model of the agent, or one of its aliases in the config.',
    maxLength: MAX_MODEL_LENGTH,
  },
)

/** Any word here: whether there is such a backend is for the run to say, which must not fail a whole parallel call. */
const backend = Type.String({ minLength: 1, description: 'The agent: claude, codex or gemini.' })
const prompt = Type.String({ minLength: 1, description: 'The text for the agent.' })

const dryRun = Type.Optional(
  Type.Boolean({ description: 'Say what would be started instead of starting it.', default: false }),
)

/** How an agent is asked, in every kind of call. */
const ASKING = {
  model: Type.Optional(model),
  workdir: Type.Optional(
    Type.String({ minLength: 1, description: 'Where the agent works: an absolute path that the operator allows.' }),
  ),
  approval_mode: Type.Optional(
    literals(APPROVAL_MODES, {
      description: 'What the agent does without asking: `auto` edits files, `none` everything, `always` nothing.',
    }),
  ),
  sandbox_mode: Type.Optional(
    literals(SANDBOX_MODES, { description: 'What the agent can reach: nothing to write, the workdir, or everything.' }),
  ),
  max_tokens: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Accepted and passed to no agent: none has such a flag.' }),
  ),
  max_turns: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_TURNS, description: 'Turns the agent may take, where it knows a limit.' }),
  ),
  system_prompt: Type.Optional(Type.String({ description: 'Who the agent is and how it is to behave.' })),
  verbose: Type.Optional(Type.Boolean({ description: 'Ask the agent for more detail.' })),
  extra: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      maxItems: MAX_EXTRA,
      description: 'Further arguments for the agent itself, from the list that it may be given.',
    }),
  ),
  timeout_secs: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_SECONDS, description: 'End the agent after this time, if not before.' }),
  ),
} satisfies TProperties

/** What only a prompt that keeps a session has. */
const KEEPING = {
  ephemeral: Type.Optional(Type.Boolean({ description: 'Keep no session, neither here nor with the agent.' })),
  output_format: Type.Optional(
    literals(OUTPUT_FORMATS, { description: '`stream-json` streams events as they come; anything else waits.' }),
  ),
  metadata: Type.Optional(
    Type.Unsafe<JsonObject>({ type: 'object', description: 'Kept with the session and given back with it.' }),
  ),
  dry_run: dryRun,
} satisfies TProperties

export const PromptRequest = named('PromptRequest', strict({ backend, prompt, ...ASKING, ...KEEPING }))
export type PromptRequest = Static<typeof PromptRequest>

/** The backend is that of the session. */
export const ResumeRequest = named(
  'ResumeRequest',
  strict({
    prompt,
    ...ASKING,
    ...KEEPING,
    fork: Type.Optional(
      Type.Boolean({
        description: 'Start a new session with the settings of this one and a link to it; the agent begins afresh.',
        default: false,
      }),
    ),
  }),
)
export type ResumeRequest = Static<typeof ResumeRequest>

export const ParallelRequest = named(
  'ParallelRequest',
  strict({
    tasks: Type.Array(PromptRequest, { minItems: 1, maxItems: MAX_TASKS, description: 'What is to be run.' }),
    max_parallel: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_TASKS,
        description: 'How many run at once; the config says by default.',
      }),
    ),
    fail_fast: Type.Optional(Type.Boolean({ description: 'End all other tasks when one fails.', default: false })),
    dry_run: dryRun,
  }),
)
export type ParallelRequest = Static<typeof ParallelRequest>

export const ChainStep = named(
  'ChainStep',
  strict({
    name: Type.Optional(
      textLike('^[^\\u0000-\\u001f{}]{1,64}$', 'a name of 1 to 64 characters without braces or control characters', {
        description: 'How later steps call this one: `{{steps.name}}`.',
      }),
    ),
    backend,
    prompt: Type.String({
      minLength: 1,
      description: 'The text for the agent, in which `{{previous}}` and `{{steps.name}}` stand for earlier answers.',
    }),
    ...ASKING,
  }),
)
export type ChainStep = Static<typeof ChainStep>

export const ChainRequest = named(
  'ChainRequest',
  strict({
    steps: Type.Array(ChainStep, { minItems: 1, maxItems: MAX_TASKS, description: 'What is run, one after another.' }),
    stop_on_failure: Type.Optional(
      Type.Boolean({ description: 'Leave out the steps after one that failed.', default: false }),
    ),
    pass_working_dir: Type.Optional(
      Type.Boolean({ description: 'A step without a workdir works where the one before it did.', default: false }),
    ),
    pass_session_id: Type.Optional(Type.Boolean({ description: 'Only false: the steps of a chain share no session.' })),
    persist_sessions: Type.Optional(Type.Boolean({ description: 'Only false: a chain keeps no sessions.' })),
    dry_run: dryRun,
  }),
)
export type ChainRequest = Static<typeof ChainRequest>

export const CompareRequest = named(
  'CompareRequest',
  strict({
    prompt,
    backends: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: MAX_BACKENDS,
      description: 'Whom to ask; the same one may stand there twice.',
    }),
    model: Type.Optional(model),
    workdir: ASKING.workdir,
    timeout_secs: ASKING.timeout_secs,
    sequential: Type.Optional(
      Type.Boolean({ description: 'Ask one after another instead of all at once.', default: false }),
    ),
    dry_run: dryRun,
  }),
)
export type CompareRequest = Static<typeof CompareRequest>
