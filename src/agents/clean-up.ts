/** Removes what agents leave behind: unwanted sessions, and agents of a drover process that died. */
import type { Environment } from '../kit/process/child-environment.ts'
import { OWNER_VARIABLE } from '../kit/process/environment-variables.ts'
import { runProcess } from '../kit/process/process.ts'
import { endMarkedProcesses } from '../kit/process/process-tree.ts'
import type { AgentCommand, AgentRequest } from './adapter/agent.ts'
import { isSessionId } from './build-command.ts'

const CLEAN_UP_MS = 60_000
const OUTPUT_LIMIT_BYTES = 1024 * 1024

/** What is left to do about a session that the agent stored although the prompt is ephemeral. */
export type Leftover = {
  /** The command that deletes the session; absent if there is nothing to delete, or no way to. */
  command?: AgentCommand
  warnings: readonly string[]
}

const NOTHING_LEFT: Leftover = { warnings: [] }

/** Deletes the session if that needs no process; otherwise returns the command for it. Never throws. */
export async function forgetSession(request: AgentRequest, sessionId: string | undefined): Promise<Leftover> {
  const { agent, backend, isEphemeral } = request
  const { toCleanUpCommand, deleteSession } = agent
  if (!isEphemeral || sessionId === undefined || toCleanUpCommand === undefined) return NOTHING_LEFT
  if (!isSessionId(sessionId)) {
    const shown = JSON.stringify(sessionId.slice(0, 100))
    return { warnings: [`${backend} reports ${shown} as its session, which is not a valid id; it was not deleted`] }
  }
  const isDeleted = await deleteSession?.(sessionId, request).catch(() => false)
  return isDeleted === true ? NOTHING_LEFT : { command: toCleanUpCommand(sessionId, request), warnings: [] }
}

/** Runs the command that deletes a session. Returns the reason if that fails; never throws. */
export async function cleanUpSession(
  { argv, env, stdin }: AgentCommand,
  { request, signal }: { request: AgentRequest; signal: AbortSignal },
): Promise<string | undefined> {
  try {
    // The agent reads settings that its own tools may have written.
    const boundary = await openFor(request, { argv, env })
    const command = boundary?.command ?? { argv, env }
    const { exit } = await runProcess(
      { ...command, cwd: request.workdir, stdin, timeoutMs: CLEAN_UP_MS, signal, sweep: 'always' },
      { stdoutLimitBytes: OUTPUT_LIMIT_BYTES },
    ).finally(() => boundary?.close())
    if (exit.ended !== 'itself') return exit.ended === 'timeout' ? 'it took too long' : 'drover was told to stop'
    if (exit.code === 0 && !exit.stderrTail.includes('Failed to delete')) return undefined
    return exit.stderrTail.trim() || `exit code ${exit.code}`
  } catch (error) {
    return String(error instanceof Error ? error.message : error)
  }
}

async function openFor(request: AgentRequest, command: Pick<AgentCommand, 'argv' | 'env'>) {
  if (request.boundary === undefined) return undefined
  const { openAgentBoundary } = await import('./boundary/open-agent-boundary.ts')
  return await openAgentBoundary(request, { ...command, plan: request.boundary }, () => {})
}

/** Returns a function that ends the agents of a process that died without ending them. */
export function abandonedAgentsEnder(env: Environment): (owner: string) => Promise<void> {
  return async (owner) => {
    // A drover that such an agent has started must not end itself.
    if (owner !== env[OWNER_VARIABLE]) await endMarkedProcesses(owner)
  }
}
