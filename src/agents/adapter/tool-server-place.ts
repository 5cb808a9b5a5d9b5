/** Where the MCP server with the functions of a client is, and how an agent starts it. Pure. */
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
export function socketPath(place: Place): string {
  return join(placeOf(place), 's')
}

/** How the agent starts the server. */
export function toolServerOf(request: Place): { command: string; args: string[] } {
  return { command: process.execPath, args: [relayPath(request), socketPath(request)] }
}

/** Longer than any client may take. Agents give up on a tool after this time. */
export const LONGEST_CALL_SECS = 7 * 24 * 60 * 60
