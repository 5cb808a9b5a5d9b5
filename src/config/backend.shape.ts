import { type TSchemaOptions, Type } from 'typebox'
import { literals, strict, textLike } from '../kit/shape.ts'

const NATIVE_BACKENDS = ['claude', 'codex', 'gemini'] as const
export const APPROVAL_MODES = ['default', 'auto', 'sandboxed', 'none', 'always'] as const
export const SANDBOX_MODES = ['default', 'read-only', 'workspace', 'full'] as const

/** The strictest first; at the same position, they let an agent do the same without asking. */
export const APPROVAL_CEILINGS = ['always', 'auto', 'none'] as const
export const SANDBOX_CEILINGS = ['read-only', 'workspace', 'full'] as const

/** One week: short enough for a timer, because Node fires one of more than 2^31 ms at once. */
export const LONGEST_WAIT_SECS = 604_800

type NativeBackend = (typeof NATIVE_BACKENDS)[number]

/** The name of a backend. Names that contain more would be hard to type, and to tell from a model in `name/model`. */
export const BACKEND_NAME = '^[a-z][a-z0-9-]{0,31}$'

/** How much may be used in a period. */
export const budgetLimit = textLike(
  '^[0-9]{1,9}(?:\\.[0-9]{1,6})?[kM]?(?:usd|tokens|requests|minutes)/(?:day|week|month|once)$',
  'a budget such as 20usd/day, 5Mtokens/week, 100requests/month or 90minutes/once',
  {
    description:
      'How much may be used, such as `20usd/day`: usd, tokens, requests or minutes of agents, per day, week, month or once.',
  },
)

/** Text that can be passed to a program as an argument. */
const argument = (options: TSchemaOptions) => textLike('^[^\\u0000]*$', 'text without NUL characters', options)

/** Far below the 128 KiB that Linux allows one argument. */
const SYSTEM_PROMPT_BYTES = 65_536

const modelName = (options: TSchemaOptions = {}) =>
  textLike('^(?!-)[^\\u0000-\\u001f]*$', 'a model name, without control characters and not starting with -', options)

/** The aliases that every agent has, and the model that each stands for. */
function aliases({ fast, balanced, best }: { fast: string; balanced: string; best: string }) {
  return { fast, quick: fast, balanced, default: balanced, best, powerful: best }
}

const MODEL_ALIASES: Record<NativeBackend, Record<string, string>> = {
  claude: aliases({ fast: 'haiku', balanced: 'sonnet', best: 'opus' }),
  codex: aliases({ fast: 'gpt-4.1-mini', balanced: 'gpt-5.2', best: 'gpt-5-codex' }),
  gemini: aliases({ fast: 'gemini-2.5-flash', balanced: 'gemini-2.5-pro', best: 'gemini-2.5-pro' }),
}

const approvalMode = literals(['', ...APPROVAL_MODES], {
  default: '',
  description: 'Overrides `unified_flags.approval_mode` for this backend. Empty: no override.',
})

const sandboxMode = literals(['', ...SANDBOX_MODES], {
  default: '',
  description: 'Overrides `unified_flags.sandbox_mode` for this backend. Empty: no override.',
})

const enabled = Type.Boolean({
  default: true,
  description: '`false` disables the backend: it is not listed, and prompts for it are refused.',
})

const silenceTimeout = Type.Integer({
  default: -1,
  minimum: -1,
  maximum: LONGEST_WAIT_SECS,
  description: 'Overrides `unified_flags.silence_secs` for this backend. 0: no limit. -1: no override.',
})

const plan = Type.Boolean({
  default: false,
  description:
    '`true` if a subscription pays for the agent, not its tokens. Then its prompts have no cost in dollars; budgets of tokens, requests and minutes count them.',
})

const systemPrompt = argument({
  default: '',
  description: 'System prompt for prompts without one.',
  'x-max-utf8-bytes': SYSTEM_PROMPT_BYTES,
})

/** The section of a native backend: the same keys for each, with its own program and model names. */
export function backendSection(name: NativeBackend) {
  return strict({
    model: modelName({
      default: '',
      description:
        'Model for prompts that do not name one: a model of the agent, or an alias. Empty: the agent chooses.',
      'x-env': [`DROVER_${name.toUpperCase()}_MODEL`],
    }),
    allowed_tools: argument({
      default: '',
      description:
        'Tools the agent may use without approval, in its own notation. Only Claude Code has such a list. `all` or empty: no list.',
    }),
    approval_mode: approvalMode,
    sandbox_mode: sandboxMode,
    silence_secs: silenceTimeout,
    extra_flags: Type.Array(argument({ minLength: 1 }), {
      default: [],
      description: 'Arguments added to every call of the agent, after all others. drover does not check them.',
      'x-env': false,
    }),
    enabled,
    plan,
    system_prompt: systemPrompt,
    command: argument({
      default: name,
      minLength: 1,
      description: 'The program to start: a name in `PATH`, or an absolute path.',
      'x-rule': 'a name or an absolute path',
    }),
    model_aliases: Type.Record(Type.String(), modelName({ minLength: 1 }), {
      default: MODEL_ALIASES[name],
      description: 'Aliases for models. Entries are added to the built-in aliases, or replace one of the same name.',
    }),
  })
}

/** The section of a backend that speaks the Agent Client Protocol. Only the file can define one; variables can change it. */
export const AcpSection = strict({
  protocol: literals(['acp'], { default: 'acp', description: 'How drover talks to the agent.', 'x-env': false }),
  command: Type.Array(argument({ minLength: 1 }), {
    default: [],
    minItems: 1,
    description: 'The program and its arguments, such as `[opencode, acp]`.',
    'x-env': false,
    'x-rule': 'first a name in `PATH`, or an absolute path',
  }),
  env: Type.Record(Type.String(), argument({}), {
    default: {},
    description: 'Environment variables of the agent, in addition to those of drover.',
    'x-secret': true,
  }),
  model: modelName({
    default: '',
    description: 'Model for prompts that do not name one. Empty: the agent chooses.',
  }),
  profile: Type.Record(Type.String(), argument({}), {
    default: {},
    description:
      'What `drover backends add` has found out about the agent, and when. drover continues sessions only by the method in `resume`.',
  }),
  ignores_project: Type.Boolean({
    default: false,
    description:
      '`true` says that the agent, started like this, uses no settings of the project, such as hooks and MCP servers. Otherwise drover refuses prompts under a ceiling and in driven runs where it finds such settings.',
  }),
  approval_mode: approvalMode,
  sandbox_mode: sandboxMode,
  silence_secs: silenceTimeout,
  enabled,
  plan,
  system_prompt: systemPrompt,
})
