import type { AgentRequest } from './agent.ts'

/** The directories in which an agent works. Relative names belong to the first one. */
export function rootsOf({
  workdir,
  additionalDirectories = [],
}: Pick<AgentRequest, 'workdir' | 'additionalDirectories'>): readonly [string, ...string[]] {
  return [workdir, ...additionalDirectories]
}
