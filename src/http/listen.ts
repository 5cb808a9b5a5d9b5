/** Where the server listens: an address and a port, or a Unix socket that only its owner may open. */
import { chmodSync, existsSync, lstatSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { type AddressInfo, createConnection, isIPv6 } from 'node:net'
import { dirname } from 'node:path'
import { errorCode } from '../kit/fault.ts'
import { withLock } from '../kit/files/lock.ts'
import { listenFailed } from './errors/faults.ts'
import { bracketed, reachOf } from './request/reach.ts'

export type Place = { host: string; port: number } | { socket: string }

/** Where a server really listens: what the host has come down to, and the port that was free. */
export type BoundPlace = { host: string; address: string; port: number } | { socket: string }

/** Whatever the system says against it becomes one sentence. */
export async function listen(server: Server, place: Place): Promise<BoundPlace> {
  if ('socket' in place) {
    await bindSocket(server, place)
    chmodSync(place.socket, 0o600)
    return place
  }
  await bind(server, place)
  const { address, port } = server.address() as AddressInfo
  return { host: place.host, address, port }
}

/** What a client writes in front of a path; an open bind is reached as this machine. */
export function baseUrl(place: BoundPlace): string {
  if ('socket' in place) return 'http://localhost'
  const { host, address, port } = place
  const isOpen = reachOf(address) === 'public'
  return `http://${isOpen ? (isIPv6(address) ? '[::1]' : '127.0.0.1') : bracketed(host)}:${port}`
}

export function namePlace(place: Place): string {
  if ('socket' in place) return place.socket
  return `${bracketed(place.host)}:${place.port}`
}

function bind(server: Server, place: Place): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const refuse = (error: Error) =>
    reject(listenFailed({ place: namePlace(place), problem: problemOf(error, place) }, error))
  server.once('error', refuse)
  server.once('listening', () => {
    server.off('error', refuse)
    resolve()
  })
  server.listen('socket' in place ? { path: place.socket } : place)
  return promise
}

function problemOf(error: Error, place: Place): string {
  const isSocket = 'socket' in place
  // Node says EACCES for this as well.
  if (isSocket && !existsSync(dirname(place.socket))) {
    return 'its directory does not exist; make it, or choose another --socket'
  }
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return 'something else listens there; stop it, or choose another --port'
    case 'EACCES':
      return isSocket
        ? 'the directory may not be written to; choose another --socket'
        : 'the system does not permit it; choose a --port above 1023'
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'this machine has no such address; correct --host'
    case 'EINVAL':
      return 'the path is too long or not usable; choose a shorter --socket'
    default:
      return `${error.message}; choose another place`
  }
}

/** Node binds a socket before `listen` returns, so the mask is ours for no longer than that. */
async function withPrivateFiles(start: () => Promise<void>): Promise<void> {
  const before = process.umask(0o177)
  const started = start()
  process.umask(before)
  await started
}

/**
 * A dead server leaves its socket behind. Nothing but such a socket is ever removed, and by one server at a time: of two
 * that find it dead, the slower one would take away what the faster one has just put in its place.
 */
async function bindSocket(server: Server, place: { socket: string }): Promise<void> {
  const start = () => withPrivateFiles(() => bind(server, place))
  if (!(await isLeftBehind(place.socket))) return await start()
  const lock = `${place.socket}.lock`
  await withLock({ path: lock, mode: 'exclusive' }, async () => {
    try {
      if (await isLeftBehind(place.socket)) rmSync(place.socket, { force: true })
      await start()
    } finally {
      // Whoever waits for it finds that it has gone and makes another.
      rmSync(lock, { force: true })
    }
  })
}

async function isLeftBehind(path: string): Promise<boolean> {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return false
  const refusal = (problem: string) => listenFailed({ place: path, problem })
  if (!found.isSocket()) throw refusal('there is something that is not a socket; choose another --socket')
  if (await isAnswered(path)) throw refusal('another server listens there; stop it, or choose another --socket')
  return true
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createConnection({ path })
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    // Only a refusal, or that it has gone, proves that nobody is there: a socket that may not be opened can be alive.
    probe.once('error', (error) => resolve(!['ECONNREFUSED', 'ENOENT'].includes(errorCode(error) ?? '')))
  })
}
