/** Sends requests to the user's server over its local socket. */

import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { parseObject } from '../../agents/adapter/json-fields.ts'
import { errorCode, Fault, type FaultKind } from '../../kit/fault.ts'
import type { JsonObject } from '../../kit/json-value.ts'
import { depthIn } from '../../kit/process/environment-variables.ts'
import type { Invocation } from '../command.ts'
import { findUserPaths } from '../settings.ts'
import { localServerLost, localServerSilent, serverAnswerInvalid, serverNotRunning } from './faults.ts'

type ServerCall = {
  method: 'GET' | 'POST'
  path: string
  body?: object
  /** How long to wait for the beginning of the answer. */
  answerMs?: number
  /** How long to wait until the server takes the body. A server that hangs never gets it, not even when it continues. */
  acceptMs?: number
  /** Another socket than that of the user's server. */
  socket?: string | undefined
  signal?: AbortSignal
  headers?: Readonly<Record<string, string>>
}

const ANSWER_MS = 30_000
/** For calls that the command can do without: the server answers them at once, unless it hangs. */
export const SHORT_ANSWER_MS = 5000

/** Returns the JSON of the answer. Throws the server's own error as a Fault, or `server_not_running`. */
export async function callServer(invocation: Invocation, call: ServerCall): Promise<JsonObject> {
  const response = await sendToServer(invocation, call)
  const status = response.statusCode ?? 0
  const answered = parseObject(await text(response).catch(throwLost)) as JsonObject | undefined
  if (answered === undefined) throw serverAnswerInvalid({ socket: call.socket ?? serverSocket(invocation), status })
  if (status >= 400) throw toFault(status, answered)
  return answered
}

/** Returns the response when its headers are there. Throws `server_not_running`, or a Fault for one that does not answer. */
export async function sendToServer(invocation: Invocation, serverCall: ServerCall): Promise<IncomingMessage> {
  const { method, path, body, answerMs = ANSWER_MS, acceptMs = answerMs, signal, headers, ...call } = serverCall
  const { socket = serverSocket(invocation) } = call
  const type = body !== undefined && { 'content-type': 'application/json', expect: '100-continue' }
  const depth = { 'x-drover-depth': String(depthIn(invocation.runtime.env)) }
  const sent = request({
    socketPath: socket,
    path,
    method,
    headers: { host: 'localhost', ...depth, ...type, ...headers },
    agent: false,
    signal,
  })
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  let isTaken = body === undefined
  const toFailure = (error: unknown) =>
    isUnreachable(error) || (isClosed(error) && !isTaken) ? serverNotRunning({ socket }, error) : toLost(error)
  const endAfter = (ms: number, fault: Fault) => setTimeout(() => sent.destroy(fault), ms)
  let timer = endAfter(body === undefined ? answerMs : acceptMs, localServerSilent({ socket }))
  sent.on('error', (error) => reject(toFailure(error)))
  sent.on('response', resolve)
  sent.on('continue', () => {
    isTaken = true
    clearTimeout(timer)
    timer = endAfter(answerMs, localServerLost({}))
    sent.end(JSON.stringify(body))
  })
  if (body === undefined) sent.end()
  else sent.flushHeaders()
  return await promise.finally(() => clearTimeout(timer))
}

export function serverSocket(invocation: Invocation): string {
  return findUserPaths(invocation).serverSocket
}

/** A killed server leaves its socket behind; a path that is too long never had one. */
function isUnreachable(error: unknown): boolean {
  return ['ENOENT', 'ECONNREFUSED', 'EACCES', 'ENOTSOCK', 'EINVAL', 'ENAMETOOLONG'].includes(errorCode(error) ?? '')
}

/** A server that is killed closes its connections. */
function isClosed(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes(errorCode(error) ?? '')
}

function toLost(error: unknown): unknown {
  return isClosed(error) ? localServerLost({}, error) : error
}

function throwLost(error: unknown): never {
  throw toLost(error)
}

const KINDS: Readonly<Record<number, FaultKind>> = {
  401: 'unauthorized',
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
