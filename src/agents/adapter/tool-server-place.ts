/** Where the MCP servers of a turn are, and how an agent starts them. Pure. */
import { join } from 'node:path'
import type { AgentRequest } from './agent.ts'

/** The name of the server in the settings of the agent, and a part of the names that its model sees. */
export const TOOL_SERVER = 'client'

type Place = Pick<AgentRequest, 'scratchDirectory' | 'isDryRun'>

const placeOf = ({ scratchDirectory, isDryRun }: Place) => (isDryRun ? '<scratch>' : scratchDirectory)

/** The program that connects the standard input and output of the agent's MCP client with the socket. */
export function relayPath(place: Place): string {
  return join(placeOf(place), 'tool-relay.cjs')
}

/** In the scratch directory, which an agent inside of a boundary sees. A short name, because the system limits the whole path. */
export function socketPath(place: Place, server: string): string {
  return join(placeOf(place), server === TOOL_SERVER ? 's' : `s-${server}`)
}

type ServerStart = { name: string; command: string; args: string[] }

/** How the agent starts each of its servers. That with the functions of the client is the first. */
export function toolServersOf(request: Place & Pick<AgentRequest, 'clientTools' | 'mcpServers'>): ServerStart[] {
  const { clientTools, mcpServers = [] } = request
  const names = [...(clientTools === undefined ? [] : [TOOL_SERVER]), ...mcpServers.map(({ name }) => name)]
  const command = process.execPath
  return names.map((name) => ({ name, command, args: [relayPath(request), socketPath(request, name)] }))
}

/** Whether the agent may use the tools of its servers without asking. The client runs its functions; of the others, the user has decided. */
export function isTrusted(name: string, { approvalMode }: Pick<AgentRequest, 'approvalMode'>): boolean {
  return name === TOOL_SERVER || approvalMode !== 'always'
}

/** Longer than any client may take. Agents give up on a tool after this time. */
export const LONGEST_CALL_SECS = 7 * 24 * 60 * 60
