import { withoutGitPrograms } from '../../kit/git/git-program-settings.ts'
import type { Environment } from '../../kit/process/child-environment.ts'
import { type ChildEnvironment, toChildEnvironment } from '../../kit/process/child-environment.ts'
import { DEPTH_VARIABLE, depthIn } from '../../kit/process/environment-variables.ts'
import type { AgentRequest } from './agent.ts'

type Variables = Readonly<Record<string, string>>

/** All prompts of a process have the same environment, and every agent adds the same variables. */
const cache = new WeakMap<Environment, WeakMap<Variables, ChildEnvironment>>()

/** The environment of an agent that ignores the project. */
const guarded = new WeakMap<ChildEnvironment, ChildEnvironment>()

type Asked = Pick<AgentRequest, 'env'> & Partial<Pick<AgentRequest, 'ignoresProject'>>

/** The caller's environment without secrets of drover, plus the agent's own variables. */
export function toAgentEnvironment({ env, ignoresProject = false }: Asked, variables: Variables): ChildEnvironment {
  const plain = toPlainEnvironment(env, variables)
  if (!ignoresProject) return plain
  const result = guarded.get(plain) ?? withoutGitPrograms(plain)
  guarded.set(plain, result)
  return result
}

function toPlainEnvironment(env: Environment, variables: Variables): ChildEnvironment {
  const known = cache.get(env) ?? new WeakMap<Variables, ChildEnvironment>()
  cache.set(env, known)
  // A drover that the agent calls, or an agent of that, knows by its depth how deep it is.
  const depth = { [DEPTH_VARIABLE]: String(depthIn(env) + 1) }
  const result = known.get(variables) ?? { ...toChildEnvironment(env), ...depth, ...variables }
  known.set(variables, result)
  return result
}
