import { type TSchemaOptions, Type } from 'typebox'
import { literals, strict, textLike } from '../kit/shape.ts'

export const BACKENDS = ['claude', 'codex', 'gemini'] as const
export const APPROVAL_MODES = ['default', 'auto', 'none', 'always'] as const
export const SANDBOX_MODES = ['default', 'read-only', 'workspace', 'full'] as const

type Backend = (typeof BACKENDS)[number]

/** What no program could be given as an argument. */
const argument = (options: TSchemaOptions) => textLike('^[^\\u0000]*$', 'text without NUL characters', options)

/** Far below the 128 KiB that Linux allows one argument. */
const SYSTEM_PROMPT_BYTES = 65_536

const modelName = (options: TSchemaOptions = {}) =>
  textLike('^(?!-)[^\\u0000-\\u001f]*$', 'a model name, without control characters and not starting with -', options)

/** The words that mean the same with every agent, and the model that each agent calls by them. */
function aliases({ fast, balanced, best }: { fast: string; balanced: string; best: string }) {
  return { fast, quick: fast, balanced, default: balanced, best, powerful: best }
}

const MODEL_ALIASES: Record<Backend, Record<string, string>> = {
  claude: aliases({ fast: 'haiku', balanced: 'sonnet', best: 'opus' }),
  codex: aliases({ fast: 'gpt-4.1-mini', balanced: 'gpt-5.2', best: 'gpt-5-codex' }),
  gemini: aliases({ fast: 'gemini-2.5-flash', balanced: 'gemini-2.5-pro', best: 'gemini-2.5-pro' }),
}

/** The section of one backend: the same keys for each, with its own program and its own model names. */
export function backendSection(name: Backend) {
  return strict({
    model: modelName({
      default: '',
      description: 'Model for prompts that name none: a name the agent knows, or an alias. Empty: the agent chooses.',
      'x-env': [`DROVER_${name.toUpperCase()}_MODEL`],
    }),
    allowed_tools: argument({
      default: '',
      description:
        'Tools the agent may use without asking, in its own notation. Only Claude Code has such a list; `all` and empty: no list.',
    }),
    approval_mode: literals(['', ...APPROVAL_MODES], {
      default: '',
      description: 'In place of `unified_flags.approval_mode` for this backend. Empty: as there.',
    }),
    sandbox_mode: literals(['', ...SANDBOX_MODES], {
      default: '',
      description: 'In place of `unified_flags.sandbox_mode` for this backend. Empty: as there.',
    }),
    extra_flags: Type.Array(argument({ minLength: 1 }), {
      default: [],
      description:
        'Arguments added to every call of the agent, after all others. They are not checked: they are yours.',
      'x-env': false,
    }),
    enabled: Type.Boolean({
      default: true,
      description: 'false hides the backend: it is not listed and prompts for it are refused.',
    }),
    system_prompt: argument({
      default: '',
      description: 'System prompt for prompts that bring none.',
      'x-max-utf8-bytes': SYSTEM_PROMPT_BYTES,
    }),
    command: argument({
      default: name,
      minLength: 1,
      description: 'The program to start: a name to look up in `PATH`, or an absolute path.',
      'x-rule': 'a name or an absolute path',
    }),
    model_aliases: Type.Record(Type.String(), modelName({ minLength: 1 }), {
      default: MODEL_ALIASES[name],
      description: 'Names that stand for a model. Entries add to the built-in ones or replace them one by one.',
    }),
  })
}
