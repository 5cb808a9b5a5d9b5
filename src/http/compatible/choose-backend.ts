/** Which backend answers for a model name of another API, and which model it gets. Pure. */
import { type Backend, NATIVE_BACKENDS } from '../../agents/adapter/agent.ts'
import { matchesPattern } from '../../kit/match-names.ts'

/** A name, in which `*` stands for any text, and a backend: `o3-*=codex`. Case does not matter. */
type ModelRule = string

export type ChosenBackend = {
  backend: Backend
  /** Without it the agent uses the model that it is configured with. */
  model?: string
  /** Undefined: it is not known. */
  takesImages?: boolean
  /** No rule matched, so the default backend answers. */
  isDefault?: true
  /** The name ends in `:model`: the tools of the agent are switched off. */
  isPlain?: true
}

/** These come before the rules of the configuration, and they see the name with its vendor. */
const FIXED_RULES: readonly ModelRule[] = ['*claude*=claude', '*gpt*=codex', '*gemini*=gemini']

type Settings = {
  names: readonly Backend[]
  /** `server.model_rules` */
  rules: readonly ModelRule[]
  /** Whether the backend has an alias of this name. It is resolved when the prompt runs. */
  isAlias(backend: Backend, name: string): boolean
}

/**
 * The name of a backend is not the name of a model. `name/model` is a model of a backend that the config defines; for the
 * native ones what comes before the slash is a vendor. Otherwise the first rule that matches decides.
 */
export function chooseBackend(name: string, settings: Settings): ChosenBackend {
  const bare = name.endsWith(PLAIN) ? name.slice(0, -PLAIN.length) : ''
  return bare === '' ? chooseByName(name, settings) : { ...chooseByName(bare, settings), isPlain: true }
}

const PLAIN = ':model'

function chooseByName(name: string, { names, rules, isAlias }: Settings): ChosenBackend {
  const backendNamed = (word: string) => names.find((known) => known === word.toLowerCase())
  const named = backendNamed(name)
  if (named !== undefined) return { backend: named }
  const prefixed = splitPrefix(name, names)
  if (prefixed !== undefined) return prefixed
  const bare = withoutVendor(name)
  const matched = matchRules(name, FIXED_RULES) ?? backendNamed(bare) ?? matchRules(bare, rules)
  const backend = matched === undefined ? undefined : backendNamed(matched)
  if (backend === undefined) return { backend: NATIVE_BACKENDS[0], isDefault: true }
  if (backendNamed(bare) === backend) return { backend }
  return { backend, model: isAlias(backend, name) ? name : bare }
}

/** `opencode/anthropic/claude-sonnet-4` is the model after the first slash. A rest that no agent takes is not a model. */
function splitPrefix(name: string, names: readonly Backend[]): ChosenBackend | undefined {
  const slash = name.indexOf('/')
  const [prefix, model] = [name.slice(0, Math.max(slash, 0)).toLowerCase(), name.slice(slash + 1)]
  const isDefined = names.includes(prefix) && !NATIVE_BACKENDS.some((native) => native === prefix)
  if (!isDefined || model === '' || model.startsWith('-')) return undefined
  return { backend: prefix, model }
}

/** `openai/gpt-5` without `openai/`. A rest that no agent would take as a model is not split off. */
function withoutVendor(name: string): string {
  const bare = name.slice(name.lastIndexOf('/') + 1)
  return bare === '' || bare.startsWith('-') ? name : bare
}

function matchRules(name: string, rules: readonly ModelRule[]): Backend | undefined {
  for (const rule of rules) {
    const [pattern = '', backend = ''] = rule.split('=')
    if (matchesPattern(name, pattern)) return backend
  }
  return undefined
}
