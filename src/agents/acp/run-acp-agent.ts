/** Runs an agent that speaks ACP: in a process for one prompt, or in one that stays up. */
import type { AcpProfile } from '../adapter/acp-profile.ts'
import type { AcpAgent, AgentCommand, AgentRequest, Usage } from '../adapter/agent.ts'
import { createLongLivedAgent } from '../warm/active-turn.ts'
import type { Launch, LongLivedAgent, Turn } from '../warm/long-lived-agent.ts'
import { startWarmProcess } from '../warm/warm-process.ts'
import { AcpProcess } from './acp-process.ts'
import type { ConnectionOptions } from './connection.ts'
import { refuseNewSettings } from './find-project-settings.ts'

export type AcpRun = {
  agent: AcpAgent
  request: AgentRequest
  command: AgentCommand
  signal: AbortSignal
  owner: string | undefined
  priorUsage: Usage | undefined
  onLine: ((line: string) => Promise<void>) | undefined
  onApproval: Turn['onApproval']
  onUsage: Turn['onUsage']
  onBoundaryEvent: Turn['onBoundaryEvent']
  onSteerable: Turn['onSteerable']
  stop: Turn['stop']
}

const NEVER = new AbortController().signal

/** One prompt in a separate process, with the contract of `runAgent`. */
export async function* runAcpAgent(run: AcpRun): ReturnType<LongLivedAgent['prompt']> {
  const { agent, request, command, signal, owner, ...turn } = run
  const { backend, cancelSignal } = agent
  const { onLine, ...listeners } = turn
  const profile = profileFor(request, agent)
  const launch: Launch = { request, scratchDirectory: request.scratchDirectory, owner, signal: NEVER }
  const process = await startWarmProcess(launch, { ...command, cancelSignal })
  const { env } = command
  const acp = new AcpProcess(process, { backend, profile, env, isCold: true, onLine })
  try {
    const once = createLongLivedAgent(backend, process, (turn) => acp.createTurn(turn))
    return yield* once.prompt({ request, command, signal, ...listeners })
  } finally {
    await acp.close()
  }
}

/** An agent that stays up. Throws a Fault if it does not start, or speaks another version of the protocol. */
export async function startAcpAgent(launch: Launch): Promise<LongLivedAgent> {
  const { agent } = launch.request
  if (!('profile' in agent)) throw new Error(`${agent.backend} does not speak ACP`)
  const { backend, cancelSignal } = agent
  const profile = profileFor(launch.request, agent)
  refuseNewSettings(launch.request)
  const command = agent.toCommand(launch.request)
  return await startConnected(launch, { ...command, cancelSignal }, { backend, profile, env: command.env })
}

/** Starts a process and asks it what it can do. */
export async function startConnected(
  launch: Launch,
  command: Parameters<typeof startWarmProcess>[1],
  options: Omit<ConnectionOptions, 'isCold'>,
): Promise<LongLivedAgent> {
  const process = await startWarmProcess(launch, command)
  const acp = new AcpProcess(process, { ...options, isCold: false })
  try {
    await acp.initialize()
  } catch (error) {
    await process.end()
    throw error
  }
  return createLongLivedAgent(options.backend, process, (turn) => acp.createTurn(turn))
}

/** Inside of a boundary, the agent reads files and runs commands itself: drover would do it outside. */
function profileFor({ boundary }: AgentRequest, { profile }: AcpAgent): AcpProfile {
  if (boundary === undefined) return profile
  const { client: _, ...inside } = profile
  return inside
}
