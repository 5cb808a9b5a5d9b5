/** What the prompts of a request may use. Pure. */
import type { ApiKey } from '../config/api-keys.ts'
import type { Config } from '../config/config.shape.ts'
import type { Ceilings } from '../prompts/ceilings.ts'

type Facts = {
  server: Pick<Config['server'], 'max_approval_mode' | 'max_sandbox_mode'>
  key: Pick<ApiKey, 'name' | 'ceilings'> | undefined
  /** Other machines can reach the server, and it has no keys. */
  isOpen: boolean
}

const OPEN = { mode: 'read-only', setting: 'a server on a network address without API keys' } as const

/** The ceilings of the key, else those of the server. Undefined if nothing is limited. */
export function ceilingsFor({ server, key, isOpen }: Facts): Ceilings | undefined {
  const of = (setting: string) => (key === undefined ? '' : `${setting} of the key ${key.name}`)
  const approval =
    toCeiling(key?.ceilings.approval, of('max_approval_mode')) ??
    toCeiling(server.max_approval_mode, 'server.max_approval_mode')
  const sandbox =
    toCeiling(key?.ceilings.sandbox, of('max_sandbox_mode')) ??
    toCeiling(server.max_sandbox_mode, 'server.max_sandbox_mode') ??
    (isOpen ? OPEN : undefined)
  // The top of a scale limits nothing.
  const ceilings = {
    ...(approval !== undefined && approval.mode !== 'none' && { approval }),
    ...(sandbox !== undefined && sandbox.mode !== 'full' && { sandbox }),
    ...(key?.ceilings.agentTools === 'none' && { tools: { setting: of('agent_tools') } }),
    ...(key?.ceilings.mcpServers && { mcpServers: { names: key.ceilings.mcpServers, setting: of('mcp_servers') } }),
    ...(key?.ceilings.directories && { directories: { paths: key.ceilings.directories, setting: of('directories') } }),
    ...(key?.ceilings.backends && { backends: { names: key.ceilings.backends, setting: of('backends') } }),
    ...(key?.ceilings.requiresSandbox === true && { boundary: { setting: of('requires_sandbox') } }),
  }
  return Object.keys(ceilings).length === 0 ? undefined : ceilings
}

function toCeiling<Mode extends string>(mode: Mode | '' | undefined, setting: string) {
  return mode === undefined || mode === '' ? undefined : { mode, setting }
}
