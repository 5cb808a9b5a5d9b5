/**
 * A Unix socket in the scratch directory of a turn, which an agent reaches through a program that the agent starts: all agents
 * take MCP servers on standard input and output, and only a socket in a directory leads out of a sandbox.
 */
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { basename, dirname } from 'node:path'
import type { AgentRequest } from '../adapter/agent.ts'
import { relayPath, socketPath } from '../adapter/tool-server-place.ts'

/** The system refuses a longer path of a socket. Linux has a short one for a directory that is open. */
const LONGEST_PATH_BYTES = 100

const RELAY = `const { openSync } = require('node:fs')
const { basename, dirname } = require('node:path')
const path = process.argv[2]
const isLong = Buffer.byteLength(path) > ${LONGEST_PATH_BYTES}
const short = () => '/proc/self/fd/' + openSync(dirname(path), 'r') + '/' + basename(path)
const socket = require('node:net').connect(isLong ? short() : path)
socket.on('error', () => process.exit(1)).on('close', () => process.exit(0))
process.stdin.pipe(socket).pipe(process.stdout)
`

/** A hostile agent would connect any number of times, and each connection may have a process outside of its sandbox. */
const MAX_CONNECTIONS = 16

export type AgentSocket = { close(): Promise<void> }

/** Call it before the agent starts. `server` is the name of the MCP server. A connection counts until what it got is settled. */
export async function openAgentSocket(
  request: AgentRequest,
  server: string,
  onConnection: (socket: Socket) => Promise<void>,
): Promise<AgentSocket> {
  const open = new Map<Socket, Promise<void>>()
  const listener = createServer((socket) => {
    socket.on('error', () => {})
    if (open.size >= MAX_CONNECTIONS) return void socket.destroy()
    const settled = onConnection(socket).finally(() => open.delete(socket))
    open.set(socket, settled)
  })
  mkdirSync(request.scratchDirectory, { mode: 0o700, recursive: true })
  writeFileSync(relayPath(request), RELAY, { mode: 0o600 })
  const path = socketPath(request, server)
  const directory = Buffer.byteLength(path) > LONGEST_PATH_BYTES ? openSync(dirname(path), 'r') : undefined
  const closeDirectory = () => directory !== undefined && closeSync(directory)
  await new Promise<void>((resolve, reject) => {
    const address = directory === undefined ? path : `/proc/self/fd/${directory}/${basename(path)}`
    listener.once('error', reject).listen(address, resolve)
  }).catch((error: unknown) => {
    closeDirectory()
    throw error
  })
  return {
    async close() {
      for (const socket of open.keys()) socket.destroy()
      await new Promise((resolve) => listener.close(resolve))
      await Promise.all(open.values())
      closeDirectory()
    },
  }
}

export function writeTo(socket: Socket, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve()
    else socket.write(text, () => resolve())
  })
}
