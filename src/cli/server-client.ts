/** Sends requests to the user's server over its local socket. */
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { findPaths } from '../config/paths.ts'
import { errorCode, Fault, type FaultKind } from '../kit/fault.ts'
import type { JsonObject } from '../kit/json/json-value.ts'
import type { Invocation } from './command.ts'
import { serverAnswerInvalid, serverNotRunning } from './faults.ts'
import { configEnvironmentOf } from './settings.ts'

type Answer = { status: number; body: JsonObject | undefined }

/** Posts JSON. Throws the server's own error as a Fault, or `server_not_running`. */
export async function postToServer(invocation: Invocation, path: string, body: object): Promise<JsonObject> {
  const socket = findPaths(configEnvironmentOf(invocation)).serverSocket
  const { status, body: answered } = await post({ socket, path, body })
  if (answered === undefined) throw serverAnswerInvalid({ socket, status })
  if (status >= 400) throw toFault(status, answered)
  return answered
}

async function post({ socket, path, body }: { socket: string; path: string; body: object }): Promise<Answer> {
  const headers = { host: 'localhost', 'content-type': 'application/json' }
  const sent = request({ socketPath: socket, path, method: 'POST', headers, agent: false })
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  sent.on('error', (error) => reject(isUnreachable(error) ? serverNotRunning({ socket }, error) : error))
  sent.on('response', (response) => {
    const status = response.statusCode ?? 0
    text(response).then((answer) => resolve({ status, body: toObject(answer) }), reject)
  })
  sent.end(JSON.stringify(body))
  return await promise
}

/** A killed server leaves its socket behind; a path that is too long never had one. */
function isUnreachable(error: unknown): boolean {
  return ['ENOENT', 'ECONNREFUSED', 'EACCES', 'ENOTSOCK', 'EINVAL', 'ENAMETOOLONG'].includes(errorCode(error) ?? '')
}

function toObject(answer: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(answer)
    return typeof value === 'object' && value !== null ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

const KINDS: Readonly<Record<number, FaultKind>> = {
  404: 'not_found',
  409: 'conflict',
  413: 'too_large',
  429: 'rate_limited',
  503: 'unavailable',
}

function toFault(status: number, { error, message, details = {} }: JsonObject): Fault {
  const kind = KINDS[status] ?? (status < 500 ? 'invalid' : 'internal')
  return new Fault({ code: String(error), kind, message: String(message), details })
}
