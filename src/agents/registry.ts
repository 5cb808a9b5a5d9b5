/** The agents that drover knows, and which of them a model's name asks for. */
import { type Agent, BACKENDS, type Backend } from './adapter/agent.ts'
import { claude } from './claude/agent.ts'
import { codex } from './codex/agent.ts'
import { gemini } from './gemini/agent.ts'

export const AGENTS: Readonly<Record<Backend, Agent>> = { claude, codex, gemini }

/** Parts of model names and their agents; the first that occurs in the name decides. */
const MODEL_NAMES: readonly (readonly [string, Backend])[] = [
  ['claude', 'claude'],
  ['gpt', 'codex'],
  ['gemini', 'gemini'],
]

/** The agent for a model name of another API. Without `model` the agent uses the one it is configured with. */
export function pickAgent(name: string): { backend: Backend; model?: string } {
  const lower = name.toLowerCase()
  const named = BACKENDS.find((backend) => backend === lower)
  if (named !== undefined) return { backend: named }
  const match = MODEL_NAMES.find(([part]) => lower.includes(part))
  return match === undefined ? { backend: BACKENDS[0] } : { backend: match[1], model: name }
}
