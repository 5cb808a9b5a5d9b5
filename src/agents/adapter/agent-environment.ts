import { OWNER_VARIABLE, TREE_VARIABLE } from '../../kit/process/environment-variables.ts'
import type { Environment } from './agent.ts'

/** On Windows the case of a name means nothing. */
const OURS = /^DROVER_/i
/** Where drover is at home is no secret, and an agent that calls drover shall find the same one. */
const HANDED_ON: readonly string[] = [TREE_VARIABLE, OWNER_VARIABLE, 'DROVER_HOME', 'DROVER_CONFIG']

/** The caller's environment with the agent's switches, without drover's own settings, among which are keys. */
export function toAgentEnvironment(
  env: Environment,
  switches: Readonly<Record<string, string>>,
): Record<string, string> {
  const inherited: Record<string, string> = {}
  for (const name in env) {
    const value = env[name]
    if (value !== undefined && isHandedOn(name)) inherited[name] = value
  }
  return Object.assign(inherited, switches)
}

function isHandedOn(name: string): boolean {
  return !OURS.test(name) || HANDED_ON.includes(name)
}
