/** Which backend answers for a model name of another API, and which model it gets. Pure. */
import { BACKENDS, type Backend } from '../../agents/adapter/agent.ts'

/** A name, in which `*` stands for any text, and a backend: `o3-*=codex`. Case does not matter. */
type ModelRule = string

export type Choice = {
  backend: Backend
  /** Without it the agent uses the model that it is configured with. */
  model?: string
  /** No rule matched, so the default backend answers. */
  isDefault?: true
}

/** These come before the rules of the configuration, and they see the name with its vendor. */
const FIXED_RULES: readonly ModelRule[] = ['*claude*=claude', '*gpt*=codex', '*gemini*=gemini']

type Settings = {
  /** `server.model_rules` */
  rules: readonly ModelRule[]
  /** Whether the backend has an alias of this name. It is resolved when the prompt runs. */
  isAlias(backend: Backend, name: string): boolean
}

/** The first rule that matches decides. The name of a backend is not the name of a model. */
export function chooseBackend(name: string, { rules, isAlias }: Settings): Choice {
  const named = backendNamed(name)
  if (named !== undefined) return { backend: named }
  const bare = withoutVendor(name)
  const backend = matchRules(name, FIXED_RULES) ?? backendNamed(bare) ?? matchRules(bare, rules)
  if (backend === undefined) return { backend: BACKENDS[0], isDefault: true }
  if (backendNamed(bare) === backend) return { backend }
  return { backend, model: isAlias(backend, name) ? name : bare }
}

/** `openai/gpt-5` without `openai/`. A rest that no agent would take as a model is not split off. */
function withoutVendor(name: string): string {
  const bare = name.slice(name.lastIndexOf('/') + 1)
  return bare === '' || bare.startsWith('-') ? name : bare
}

function backendNamed(name: string): Backend | undefined {
  return BACKENDS.find((backend) => backend === name.toLowerCase())
}

function matchRules(name: string, rules: readonly ModelRule[]): Backend | undefined {
  for (const rule of rules) {
    const [pattern = '', backend = ''] = rule.split('=')
    if (matches(name.toLowerCase(), pattern.toLowerCase())) return backendNamed(backend)
  }
  return undefined
}

/** Without regular expressions, because a pattern with many `*` must not take exponential time. */
function matches(name: string, pattern: string): boolean {
  const [start = '', ...parts] = pattern.split('*')
  const end = parts.pop()
  if (end === undefined) return name === start
  if (name.length < start.length + end.length || !name.startsWith(start) || !name.endsWith(end)) return false
  const middle = name.slice(start.length, name.length - end.length)
  return containsInOrder(middle, parts)
}

function containsInOrder(text: string, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true
  const at = text.indexOf(first)
  return at !== -1 && containsInOrder(text.slice(at + first.length), rest)
}
