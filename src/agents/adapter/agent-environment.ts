import { DEPTH_VARIABLE, depthIn, isPassedOn } from '../../kit/process/environment-variables.ts'
import type { Environment } from './agent.ts'

type Variables = Readonly<Record<string, string>>

/** All prompts of a process have the same environment, and every agent adds the same variables. */
const cache = new WeakMap<Environment, WeakMap<Variables, Variables>>()

/** The caller's environment plus the agent's own variables, without drover's settings, which include API keys. */
export function toAgentEnvironment(env: Environment, variables: Variables): Variables {
  const known = cache.get(env) ?? new WeakMap<Variables, Variables>()
  cache.set(env, known)
  const result = known.get(variables) ?? mergeEnvironment(env, variables)
  known.set(variables, result)
  return result
}

function mergeEnvironment(env: Environment, variables: Variables): Variables {
  const inherited: Record<string, string> = {}
  for (const name in env) {
    const value = env[name]
    if (value !== undefined && isPassedOn(name)) inherited[name] = value
  }
  // A drover that the agent calls, or an agent of that, knows by it how deep it is.
  inherited[DEPTH_VARIABLE] = String(depthIn(env) + 1)
  return Object.assign(inherited, variables)
}
