/**
 * What of a line of the agent its MCP server gets. A server believes the answers of what runs it: they name directories that it may
 * use (roots), and a person's consent (elicitation). Here that may be a hostile program in a sandbox, so a server can ask it nothing.
 * Pure.
 */
import { isObject, type JsonRecord, objectAt, parseObject } from '../adapter/json-fields.ts'

export const LINES_OF_AGENT = { limitBytes: 32 * 1024 * 1024, onOversize: () => {} }

/** In lower case, because some servers do not distinguish cases. The first two are of version 2026-07-28. */
const CAPABILITIES_IN_META = 'io.modelcontextprotocol/clientcapabilities'
const ANSWERS = 'inputresponses'
const ROOTS_CHANGED = 'notifications/roots/list_changed'
const REFUSED = { code: -32_601, message: 'a server cannot ask the agent' }

/** Undefined: nothing. Only known fields are kept, because servers may read others in another way. */
export function toServerMessage(line: string): JsonRecord | undefined {
  const { id, method, params, result, error } = parseObject(line) ?? {}
  const jsonrpc = '2.0'
  if (method === ROOTS_CHANGED) return undefined
  if (typeof method === 'string') return { jsonrpc, id, method, params: limitParams(method, params) }
  if (id === undefined) return undefined
  // That it is alive is all that it can answer.
  const isPong = isObject(result) && Object.keys(result).length === 0
  return { jsonrpc, id, ...(isPong ? { result } : { error: isObject(error) ? error : REFUSED }) }
}

function limitParams(method: string, params: unknown): unknown {
  if (!isObject(params)) return params
  if (method === 'initialize') {
    const { protocolVersion, clientInfo } = params
    return { protocolVersion, clientInfo, capabilities: {} }
  }
  const meta = objectAt(params, '_meta')
  const kept = Object.entries(params).filter(([name]) => name.toLowerCase() !== ANSWERS)
  return { ...Object.fromEntries(kept), ...(meta !== undefined && { _meta: limitMeta(meta) }) }
}

function limitMeta(meta: JsonRecord): JsonRecord {
  const isTold = (name: string) => name.toLowerCase() === CAPABILITIES_IN_META
  return Object.fromEntries(Object.entries(meta).map(([name, value]) => [name, isTold(name) ? {} : value]))
}
