import { type ChildEnvironment, toChildEnvironment } from '../../kit/process/child-environment.ts'
import { DEPTH_VARIABLE, depthIn } from '../../kit/process/environment-variables.ts'
import type { Environment } from './agent.ts'

type Variables = Readonly<Record<string, string>>

/** All prompts of a process have the same environment, and every agent adds the same variables. */
const cache = new WeakMap<Environment, WeakMap<Variables, ChildEnvironment>>()

/** The caller's environment without secrets of drover, plus the agent's own variables. */
export function toAgentEnvironment(env: Environment, variables: Variables): ChildEnvironment {
  const known = cache.get(env) ?? new WeakMap<Variables, ChildEnvironment>()
  cache.set(env, known)
  // A drover that the agent calls, or an agent of that, knows by its depth how deep it is.
  const depth = { [DEPTH_VARIABLE]: String(depthIn(env) + 1) }
  const result = known.get(variables) ?? { ...toChildEnvironment(env), ...depth, ...variables }
  known.set(variables, result)
  return result
}
