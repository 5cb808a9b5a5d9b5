import { endMarkedProcesses } from '../kit/process/end-tree.ts'
import { OWNER_VARIABLE } from '../kit/process/environment-variables.ts'

/** Ends the agents of a process that died without doing so, whoever of them noticed or did not. */
export function abandonedAgentsEnder(
  env: Readonly<Record<string, string | undefined>>,
): (owner: string) => Promise<void> {
  return async (owner) => {
    // A drover that such an agent has started must not end itself.
    if (owner !== env[OWNER_VARIABLE]) await endMarkedProcesses(owner)
  }
}
