/** The agents that clients of the compatible APIs are tried on: claude, codex, gemini, and two that speak ACP. */
import { createAcpSetup, installedAcp } from './acp-agents.ts'
import { type AgentSetup, createAgentSetup, MODELS } from './agent-setup.ts'
import { installed } from './real-agents.ts'

const OTHERS = ['opencode', 'goose']

export type ClientAgent = { agent: string; model: string; path: string; open(): AgentSetup }

/** Those that are on PATH. `port` is that of the model server. */
export function clientAgents(port: () => number): ClientAgent[] {
  const natives = installed.map(({ backend, path }) => ({
    ...{ agent: backend as string, model: MODELS[backend] as string, path },
    open: () => createAgentSetup(backend, path, port()),
  }))
  const others = installedAcp
    .filter(({ name }) => OTHERS.includes(name))
    .map((agent) => ({
      ...{ agent: agent.name as string, model: agent.name as string, path: agent.path },
      open: () => createAcpSetup(agent, port()),
    }))
  return [...natives, ...others]
}
