/** Which agent a model's name asks for, as clients of other APIs name models. */
import { BACKENDS, type Backend } from './agent.ts'

/** In this order; the first that occurs in the name decides. */
const MARKS: readonly (readonly [string, Backend])[] = [
  ['claude', 'claude'],
  ['gpt', 'codex'],
  ['gemini', 'gemini'],
]

/** `model` is left out where the name is that of an agent or of nobody: the agent then takes the one it is set to. */
export function pickAgent(name: string): { backend: Backend; model?: string } {
  const lower = name.toLowerCase()
  const named = BACKENDS.find((backend) => backend === lower)
  if (named !== undefined) return { backend: named }
  const marked = MARKS.find(([mark]) => lower.includes(mark))
  return marked === undefined ? { backend: BACKENDS[0] } : { backend: marked[1], model: name }
}
