/** Chooses the MCP servers that an agent gets. Pure. */
import type { AgentRequest, McpServer } from '../agents/adapter/agent.ts'
import { stricterPermission } from '../agents/adapter/permission.ts'
import { type Ceilings, isLimiting } from './ceilings.ts'
import { mcpServerRefused, mcpServerUnknown } from './faults.ts'

type Facts = Pick<AgentRequest, 'approvalMode' | 'sandboxMode' | 'withoutTools'> & {
  /** The names in the request. Undefined: all that the caller may use. */
  asked: readonly string[] | undefined
  /** Those of the settings. */
  defined: readonly McpServer[]
  ceilings: Ceilings | undefined
}

type Chosen = { servers: readonly McpServer[]; warnings: readonly string[] }

/** Throws a Fault for a name that the caller cannot use. */
export function chooseServers({ asked, defined, ceilings, ...modes }: Facts): Chosen {
  const allowed = defined.filter(({ name }) => isAllowed(name, ceilings))
  const wanted = asked === undefined ? allowed : [...new Set(asked)].map((name) => find(name, { allowed, ceilings }))
  const reason = leftOut(modes)
  const servers = reason === undefined ? wanted : wanted.filter(reason.keeps)
  const missing = asked === undefined ? [] : wanted.filter((server) => !servers.includes(server))
  if (reason === undefined || missing.length === 0) return { servers, warnings: [] }
  const names = missing.map(({ name }) => name).join(', ')
  return {
    servers,
    warnings: [`the agent does not get the MCP servers it was asked to use (${names}): ${reason.says}`],
  }
}

/** What a limited caller's agents may do must not grow by tools that no mode limits, unless the operator says so for the key. */
function isAllowed(name: string, ceilings: Ceilings | undefined): boolean {
  return ceilings?.mcpServers?.names.includes(name) ?? !isLimiting(ceilings)
}

function find(
  name: string,
  { allowed, ceilings }: { allowed: readonly McpServer[]; ceilings: Ceilings | undefined },
): McpServer {
  const server = allowed.find((each) => each.name === name)
  if (server !== undefined) return server
  // A limited caller does not learn which other servers there are.
  const { setting } = ceilings?.mcpServers ?? ceilings?.sandbox ?? ceilings?.approval ?? {}
  if (setting !== undefined) throw mcpServerRefused({ name, setting })
  throw mcpServerUnknown({ name, known: allowed.map((each) => each.name) })
}

type LeftOut = { keeps: (server: McpServer) => boolean; says: string }

function leftOut(modes: Pick<Facts, 'approvalMode' | 'sandboxMode' | 'withoutTools'>): LeftOut | undefined {
  if (modes.withoutTools) return { keeps: () => false, says: 'it has no tools' }
  if (stricterPermission(modes) !== 'read-only') return undefined
  return { keeps: (server) => server.read_only === true, says: 'it may only read, and they are not marked read_only' }
}
