import { OWNER_VARIABLE, TREE_VARIABLE } from '../kit/tree-variable.ts'
import type { Surroundings } from './agent.ts'

const OURS = 'DROVER_'
/** Where drover is at home is no secret, and an agent that calls drover shall find the same one. */
const HANDED_ON: readonly string[] = [TREE_VARIABLE, OWNER_VARIABLE, 'DROVER_HOME', 'DROVER_CONFIG']

/** The caller's environment with the agent's switches, without drover's own settings, among which are keys. */
export function toAgentEnvironment(
  env: Surroundings['env'],
  switches: Readonly<Record<string, string>>,
): Record<string, string> {
  const inherited = Object.entries(env).filter((entry): entry is [string, string] => {
    const [name, value] = entry
    // On Windows the case of a name means nothing.
    const isOurs = name.toUpperCase().startsWith(OURS)
    return value !== undefined && (!isOurs || HANDED_ON.includes(name))
  })
  return { ...Object.fromEntries(inherited), ...switches }
}
