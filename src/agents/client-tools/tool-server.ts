/** The MCP server that offers an agent the functions of a client, for one turn. */
import type { AgentRequest } from '../adapter/agent.ts'
import type { ClientTool, ToolReply } from '../adapter/client-tool.ts'
import { type JsonRecord, objectAt, textAt } from '../adapter/json-fields.ts'
import { TOOL_SERVER } from '../adapter/tool-server-place.ts'
import { createJsonRpcPeer } from '../warm/json-rpc.ts'
import { type AgentSocket, openAgentSocket, writeTo } from './agent-socket.ts'

const PROTOCOL_VERSION = '2025-06-18'

/** More than any argument that a model writes. */
const LINE_LIMIT_BYTES = 32 * 1024 * 1024

const PROGRESS_MS = 20_000

type Options = {
  tools: readonly ClientTool[]
  /** Never rejects. */
  onCall(name: string, input: JsonRecord): Promise<ToolReply>
  /** The agent has given up on a call, or its connection is gone. */
  onGone(): void
  /** How often an agent that waits is told that its call is not forgotten. */
  progressMs?: number
}

/** Call it before the agent starts. */
export function openToolServer(
  request: AgentRequest,
  { tools, onCall, onGone, progressMs = PROGRESS_MS }: Options,
): Promise<AgentSocket> {
  return openAgentSocket(request, TOOL_SERVER, (socket) => {
    let waiting = 0
    const answer = (method: string, params: JsonRecord): Promise<unknown> | undefined => {
      if (method === 'initialize') return Promise.resolve(toGreeting(params))
      if (method === 'ping') return Promise.resolve({})
      if (method === 'tools/list') return Promise.resolve({ tools: tools.map(toMcpTool) })
      if (method !== 'tools/call') return undefined
      waiting += 1
      const progress = keepAwake(objectAt(params, '_meta')?.['progressToken'])
      const call = onCall(textAt(params, 'name') ?? '', objectAt(params, 'arguments') ?? {})
      return call.then(toMcpResult).finally(() => {
        waiting -= 1
        clearInterval(progress)
      })
    }
    /** Some agents give up after a minute without progress. */
    const keepAwake = (token: unknown) => {
      if (token === undefined) return undefined
      let progress = 0
      const timer = setInterval(() => {
        progress += 1
        void peer.notify('notifications/progress', { progressToken: token, progress })
      }, progressMs)
      socket.once('close', () => clearInterval(timer))
      return timer
    }
    const goneIfWaiting = () => {
      if (waiting > 0) onGone()
    }
    const peer = createJsonRpcPeer(
      { stdin: { write: (text) => writeTo(socket, text) }, stdout: socket },
      {
        onRequest: answer,
        onNotification: (method) => (method === 'notifications/cancelled' ? goneIfWaiting() : undefined),
        onWarning: () => {},
      },
      { hasVersion: true, limitBytes: LINE_LIMIT_BYTES },
    )
    return peer.closed.catch(() => {}).finally(goneIfWaiting)
  })
}

function toGreeting(params: JsonRecord): JsonRecord {
  return {
    protocolVersion: textAt(params, 'protocolVersion') ?? PROTOCOL_VERSION,
    capabilities: { tools: {} },
    serverInfo: { name: TOOL_SERVER, version: '1' },
  }
}

/** The client decides what its functions may do. Without the hint, agents call them one after another. */
function toMcpTool({ name, description = '', parameters }: ClientTool): JsonRecord {
  return { name, description, inputSchema: { type: 'object', ...parameters }, annotations: { readOnlyHint: true } }
}

/**
 * Gemini takes a first text that is JSON for the structured content, and refuses the whole result if that is no object, such as `3`. So
 * another text comes first then. It is not empty, because model services refuse empty texts.
 */
function toMcpResult({ content, ...reply }: ToolReply): ToolReply {
  const [first] = content
  const isRefused = first?.type === 'text' && isOtherJson(first.text)
  return { ...reply, content: isRefused ? [{ type: 'text', text: 'The result:' }, ...content] : content }
}

/** Whether it is JSON, and no object. */
function isOtherJson(text: string): boolean {
  if (text.trimStart().startsWith('{')) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
