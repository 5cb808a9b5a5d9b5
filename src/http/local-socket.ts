/**
 * The Unix socket in the per-user directory, beside the address of the server. Only its user can open it, so requests on
 * it need no API key. Commands of the user reach the server through it.
 */
import { existsSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { dirname } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { ensurePrivateDirectory } from '../kit/files/private-directory.ts'
import type { Log } from '../kit/log.ts'
import { acceptsConnections, listen } from './listen.ts'
import type { Connections } from './request/connection-errors.ts'

/** A listener whose connections the HTTP server serves. */
export function createLocalListener(app: FastifyInstance, connections: Connections): Server {
  return createServer({ allowHalfOpen: true }, (socket) => {
    connections.markLocal(socket)
    app.server.emit('connection', socket)
  })
}

/** Returns false, with a line in the log, if there can be no local socket: the server works without it. */
export async function listenLocally(listener: Server, path: string, log: Log): Promise<boolean> {
  if (existsSync(path) && (await acceptsConnections(path))) {
    log.info({ socket: path }, 'another server of yours has the local socket; this one runs without it')
    return false
  }
  try {
    await listenAtHome(listener, path)
    listener.on('error', (error) => log.warn({ reason: error.message }, 'the local socket failed'))
    return true
  } catch (error) {
    log.warn({ reason: String(error) }, 'no local socket, so drover prompt --detach cannot reach this server')
    return false
  }
}

/** With PostgreSQL nothing else may have created the per-user directory. */
export async function listenAtHome(listener: Server, path: string): Promise<void> {
  ensurePrivateDirectory({ path: dirname(path), links: 'follow' })
  await listen(listener, { socket: path })
}

/** Resolves when no connection is open. */
export async function closeLocally(listener: Server): Promise<void> {
  if (!listener.listening) return
  await new Promise((resolve) => listener.close(resolve))
}
