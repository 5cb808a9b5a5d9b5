/** Binds the server to a host and port, or to a Unix socket that only its owner may open. */
import { chmodSync, existsSync, lstatSync, rmSync } from 'node:fs'
import { type AddressInfo, createConnection, createServer, type Server } from 'node:net'
import { dirname } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { errorCode } from '../kit/fault.ts'
import { withLock } from '../kit/files/lock.ts'
import { ensurePrivateDirectory } from '../kit/files/private-directory.ts'
import type { Log } from '../kit/log.ts'
import { type BoundAddress, formatAddress, type ListenAddress } from '../service/server-address.ts'
import { listenFailed } from './errors/faults.ts'
import type { Connections } from './request/connection-errors.ts'

/** What an error about a port in use says. */
export type PortHelp = {
  /** Starts such a server. It is shown with another port. */
  command?: string | undefined
  /** What listens there, if the caller knows it. */
  listener?: ((port: number) => Promise<string | undefined>) | undefined
}

export async function listen(server: Server, target: ListenAddress, help: PortHelp = {}): Promise<BoundAddress> {
  if ('socket' in target) {
    await bindSocket(server, target)
    chmodSync(target.socket, 0o600)
    return target
  }
  await bind(server, target, help)
  const { address, port } = server.address() as AddressInfo
  return { host: target.host, address, port }
}

function bind(server: Server, target: ListenAddress, help: PortHelp = {}): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const fail = (error: Error) =>
    void describeBindError(error, target, help).then(
      (problem) => reject(listenFailed({ place: formatAddress(target), problem }, error)),
      reject,
    )
  server.once('error', fail)
  server.once('listening', () => {
    server.off('error', fail)
    resolve()
  })
  server.listen('socket' in target ? { path: target.socket } : target)
  return promise
}

async function describeBindError(error: Error, target: ListenAddress, help: PortHelp): Promise<string> {
  const isSocket = 'socket' in target
  // Node reports a missing directory as EACCES.
  if (isSocket && !existsSync(dirname(target.socket))) {
    return 'its directory does not exist; create it, or choose another --socket'
  }
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return isSocket
        ? 'another program is listening there; stop it, or choose another --socket'
        : await usedPort(target.port, help)
    case 'EACCES':
      return isSocket
        ? 'its directory is not writable; choose another --socket'
        : 'permission denied; choose a --port above 1023'
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'it is not an address of this machine; correct --host'
    case 'EINVAL':
      return 'the path is too long or invalid; choose a shorter --socket'
    default:
      return `${error.message}; choose another address`
  }
}

async function usedPort(port: number, { command, listener }: PortHelp): Promise<string> {
  const what = (await listener?.(port)) ?? 'another program is listening there'
  return `${what}; stop it, or choose another ${portFor(port, command)}`
}

function portFor(taken: number, command: string | undefined): string {
  return command === undefined ? 'port' : `port: ${command} --port ${taken < 65_535 ? taken + 1 : taken - 1}`
}

/** Node creates the socket file before `listen` returns, so the umask is changed for that call only. */
async function withPrivateFiles(start: () => Promise<void>): Promise<void> {
  const before = process.umask(0o177)
  const started = start()
  process.umask(before)
  await started
}

/**
 * A server that was killed leaves its socket file behind. Only such a file is removed, and under a lock: otherwise the
 * slower of two starting servers could remove the new socket of the faster one.
 */
async function bindSocket(server: Server, target: { socket: string }): Promise<void> {
  const start = () => withPrivateFiles(() => bind(server, target))
  if (!(await isStaleSocket(target.socket))) return await start()
  const lock = `${target.socket}.lock`
  await withLock({ path: lock, mode: 'exclusive' }, async () => {
    try {
      if (await isStaleSocket(target.socket)) rmSync(target.socket, { force: true })
      await start()
    } finally {
      // A process that waits for this lock sees that the file is gone and creates a new one.
      rmSync(lock, { force: true })
    }
  })
}

async function isStaleSocket(path: string): Promise<boolean> {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return false
  const failure = (problem: string) => listenFailed({ place: path, problem })
  if (!found.isSocket()) throw failure('the file exists and is not a socket; choose another --socket')
  if (await acceptsConnections(path))
    throw failure('another server is listening there; stop it, or choose another --socket')
  return true
}

/** Whether a server listens on this Unix socket. */
function acceptsConnections(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createConnection({ path })
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    // Only these errors prove that no server is there. A socket that we may not open can have one.
    probe.once('error', (error) => resolve(!['ECONNREFUSED', 'ENOENT'].includes(errorCode(error) ?? '')))
  })
}

/**
 * The Unix socket in the per-user directory, beside the address of the server. Only its user can open it, so requests on it
 * need no API key. Commands of the user reach the server through it. A listener whose connections the HTTP server serves.
 */
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
