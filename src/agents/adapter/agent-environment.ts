import { OWNER_VARIABLE, TREE_VARIABLE } from '../../kit/process/environment-variables.ts'
import type { Environment } from './agent.ts'

/** Windows ignores the case of names. */
const DROVER_NAME = /^DROVER_/i
/** No secrets; an agent that calls drover must find the same home and config. */
const PASSED_ON: readonly string[] = [TREE_VARIABLE, OWNER_VARIABLE, 'DROVER_HOME', 'DROVER_CONFIG']

/** The caller's environment plus the agent's own variables, without drover's settings, which include API keys. */
export function toAgentEnvironment(
  env: Environment,
  variables: Readonly<Record<string, string>>,
): Record<string, string> {
  const inherited: Record<string, string> = {}
  for (const name in env) {
    const value = env[name]
    if (value !== undefined && isPassedOn(name)) inherited[name] = value
  }
  return Object.assign(inherited, variables)
}

function isPassedOn(name: string): boolean {
  return !DROVER_NAME.test(name) || PASSED_ON.includes(name)
}
