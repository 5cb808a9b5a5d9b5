/** Runs an agent that speaks ACP: in a process for one prompt, or in one that stays up. */
import type { AcpAgent, AgentCommand, AgentRequest, Usage } from '../adapter/agent.ts'
import { createLongLivedAgent } from '../warm/create-agent.ts'
import type { Launch, LongLivedAgent } from '../warm/long-lived-agent.ts'
import { startWarmProcess } from '../warm/warm-process.ts'
import { AcpProcess } from './process.ts'

export type AcpRun = {
  agent: AcpAgent
  request: AgentRequest
  command: AgentCommand
  signal: AbortSignal
  owner: string | undefined
  priorUsage: Usage | undefined
  onLine: ((line: string) => Promise<void>) | undefined
}

const NEVER = new AbortController().signal

/** One prompt in a process of its own, with the contract of `runAgent`. */
export async function* runAcpAgent(run: AcpRun): ReturnType<LongLivedAgent['prompt']> {
  const { agent, request, command, signal, owner, priorUsage } = run
  const { backend, profile, cancelSignal } = agent
  const launch: Launch = { request, scratchDirectory: request.scratchDirectory, owner, signal: NEVER }
  const process = await startWarmProcess(launch, { ...command, cancelSignal })
  const { env } = command
  const acp = new AcpProcess(process, { backend, profile, env, isCold: true, onLine: run.onLine })
  try {
    const once = createLongLivedAgent(backend, process, (turn) => acp.createTurn(turn))
    return yield* once.prompt({ request, command, signal, priorUsage })
  } finally {
    await acp.close()
  }
}
