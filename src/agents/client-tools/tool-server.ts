/**
 * The MCP server that offers an agent the functions of a client, for one turn. It listens on a Unix socket in the scratch
 * directory of the turn; the agent reaches it through a program that the agent starts, because all agents take MCP servers on
 * standard input and output, and only a socket in a directory leads out of a sandbox.
 */
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { basename, dirname } from 'node:path'
import type { AgentRequest } from '../adapter/agent.ts'
import type { ClientTool, ToolReply } from '../adapter/client-tool.ts'
import { type JsonRecord, objectAt, textAt } from '../adapter/json-fields.ts'
import { relayPath, socketPath, TOOL_SERVER } from '../adapter/tool-server-place.ts'
import { createJsonRpcPeer } from '../warm/json-rpc.ts'

const PROTOCOL_VERSION = '2025-06-18'

/** The system refuses a longer path of a socket. Linux has a short one for a directory that is open. */
const LONGEST_PATH_BYTES = 100

const RELAY = `const { openSync } = require('node:fs')
const { dirname } = require('node:path')
const path = process.argv[2]
const isLong = Buffer.byteLength(path) > ${LONGEST_PATH_BYTES}
const socket = require('node:net').connect(isLong ? '/proc/self/fd/' + openSync(dirname(path), 'r') + '/s' : path)
socket.on('error', () => process.exit(1)).on('close', () => process.exit(0))
process.stdin.pipe(socket).pipe(process.stdout)
`

/** More than any argument that a model writes. */
const LINE_LIMIT_BYTES = 32 * 1024 * 1024

export type ToolServer = { close(): Promise<void> }

type Options = {
  tools: readonly ClientTool[]
  /** Never rejects. */
  onCall(name: string, input: JsonRecord): Promise<ToolReply>
  /** The agent has given up on a call, or its connection is gone. */
  onGone(): void
}

/** Call it before the agent starts. */
export async function openToolServer(request: AgentRequest, { tools, onCall, onGone }: Options): Promise<ToolServer> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => open.delete(socket))
    let waiting = 0
    const answer = (method: string, params: JsonRecord): Promise<unknown> | undefined => {
      if (method === 'initialize') return Promise.resolve(toGreeting(params))
      if (method === 'ping') return Promise.resolve({})
      if (method === 'tools/list') return Promise.resolve({ tools: tools.map(toMcpTool) })
      if (method !== 'tools/call') return undefined
      waiting += 1
      const call = onCall(textAt(params, 'name') ?? '', objectAt(params, 'arguments') ?? {})
      return call.finally(() => {
        waiting -= 1
      })
    }
    const goneIfWaiting = () => {
      if (waiting > 0) onGone()
    }
    const peer = createJsonRpcPeer(
      { stdin: { write: (text) => write(socket, text) }, stdout: socket },
      {
        onRequest: answer,
        onNotification: (method) => (method === 'notifications/cancelled' ? goneIfWaiting() : undefined),
        onWarning: () => {},
      },
      { hasVersion: true, limitBytes: LINE_LIMIT_BYTES },
    )
    void peer.closed.catch(() => {}).finally(goneIfWaiting)
  })
  mkdirSync(request.scratchDirectory, { mode: 0o700, recursive: true })
  writeFileSync(relayPath(request), RELAY, { mode: 0o600 })
  const path = socketPath(request)
  const directory = Buffer.byteLength(path) > LONGEST_PATH_BYTES ? openSync(dirname(path), 'r') : undefined
  const closeDirectory = () => directory !== undefined && closeSync(directory)
  await new Promise<void>((resolve, reject) => {
    const address = directory === undefined ? path : `/proc/self/fd/${directory}/${basename(path)}`
    server.once('error', reject).listen(address, resolve)
  }).catch((error: unknown) => {
    closeDirectory()
    throw error
  })
  return {
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      closeDirectory()
    },
  }
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

function write(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve()
    else socket.write(text, () => resolve())
  })
}
