/** Where the server listens: an address and a port, or a Unix socket that only its owner may open. */
import { chmodSync, lstatSync, unlinkSync } from 'node:fs'
import type { Server } from 'node:http'
import { type AddressInfo, createConnection } from 'node:net'
import { errorCode } from '../kit/fault.ts'
import { listenFailed } from './faults.ts'

export type Place = { host: string; port: number } | { socket: string }

/** Gives the place where the server now really listens. Whatever the system says against it becomes one sentence. */
export async function listen(server: Server, place: Place): Promise<Place> {
  if ('socket' in place) {
    await clearSocket(place.socket)
    await withPrivateFiles(() => bind(server, place))
    chmodSync(place.socket, 0o600)
    return place
  }
  await bind(server, place)
  return { host: place.host, port: (server.address() as AddressInfo).port }
}

/** What a client writes in front of a path; an open bind is reached as this machine. */
export function baseUrl(place: Place): string {
  if ('socket' in place) return 'http://localhost'
  const { host, port } = place
  const name = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host)
  return `http://${name}:${port}`
}

export function namePlace(place: Place): string {
  if ('socket' in place) return place.socket
  return `${place.host.includes(':') ? `[${place.host}]` : place.host}:${place.port}`
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
    case 'ENOENT':
      return 'the directory does not exist; make it, or choose another --socket'
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

/** A dead server leaves its socket behind. Nothing but such a socket is ever removed. */
async function clearSocket(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  const refusal = (problem: string) => listenFailed({ place: path, problem })
  if (!found.isSocket()) throw refusal('there is something that is not a socket; choose another --socket')
  if (await isAnswered(path)) throw refusal('another server listens there; stop it, or choose another --socket')
  unlinkSync(path)
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createConnection({ path })
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    // Only a refusal proves that nobody is there: a socket that may not be opened can be alive.
    probe.once('error', (error) => resolve(errorCode(error) !== 'ECONNREFUSED'))
  })
}
