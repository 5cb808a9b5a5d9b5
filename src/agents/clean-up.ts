/** Removes what agents leave behind: unwanted sessions, and agents of a drover process that died. */
import { endMarkedProcesses } from '../kit/process/end-tree.ts'
import { OWNER_VARIABLE } from '../kit/process/environment-variables.ts'
import { startProcess } from '../kit/process/process.ts'
import type { AgentCommand, Environment } from './adapter/agent.ts'

const CLEAN_UP_MS = 15_000

/** Starts the command that deletes a session, and lets it finish in the background. */
export function cleanUpSession(command: AgentCommand, cwd: string): void {
  void deleteSession(command, cwd)
}

/** Never throws: the prompt has its result already, and a session that stays behind does no harm. */
async function deleteSession({ argv, env, stdin }: AgentCommand, cwd: string): Promise<void> {
  try {
    const { signal } = new AbortController()
    const { stdout, exit } = await startProcess({
      argv,
      cwd,
      env,
      stdin,
      timeoutMs: CLEAN_UP_MS,
      signal,
      sweep: 'always',
    })
    stdout.resume()
    await exit
  } catch {
    return
  }
}

/** Returns a function that ends the agents of a process that died without ending them. */
export function abandonedAgentsEnder(env: Environment): (owner: string) => Promise<void> {
  return async (owner) => {
    // A drover that such an agent has started must not end itself.
    if (owner !== env[OWNER_VARIABLE]) await endMarkedProcesses(owner)
  }
}
