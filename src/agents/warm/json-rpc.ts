/**
 * A JSON-RPC 2.0 peer over lines (https://www.jsonrpc.org/specification): both sides send requests and notifications.
 * Frames are handled in the order in which they arrive. Codex leaves out the `jsonrpc` member.
 */

import type { Readable } from 'node:stream'
import { setImmediate as nextRound } from 'node:timers/promises'
import { toErrorMessage } from '../../kit/fault.ts'
import type { ProcessInput } from '../../kit/process/process.ts'
import { isObject, type JsonRecord, objectAt, textAt } from '../adapter/json-fields.ts'
import { agentDisconnected, agentRequestFailed } from './faults.ts'
import { type Frame, type OnWarning, readFrames } from './frames.ts'

const METHOD_NOT_FOUND = -32_601
/** The other side no longer wants the answer to a request (https://agentclientprotocol.com/protocol/v1/cancellation). */
const CANCEL = '$/cancel_request'
/** So much may wait until the agent reads it; while there is more, nothing more is read from the agent. */
const UNREAD_LIMIT_CHARACTERS = 32 * 1024 * 1024
/** Requests of the agent that are not answered yet. */
const OPEN_REQUESTS_LIMIT = 1000

export type JsonRpcHandlers = {
  /**
   * Answers a request of the agent. Undefined: there is no such method. The next frame does not wait for the answer. The signal is aborted
   * when the agent cancels the request.
   */
  onRequest(method: string, params: JsonRecord, signal: AbortSignal): Promise<unknown> | undefined
  /** The next frame waits until this is done, so that a slow reader makes the agent wait. */
  onNotification(method: string, params: JsonRecord, line: string): void | Promise<void>
  /** Gets sentences about frames that were skipped. */
  onWarning: OnWarning
}

export type JsonRpcOptions = {
  /** Whether frames carry `"jsonrpc":"2.0"`. */
  hasVersion: boolean
  limitBytes?: number
}

export type JsonRpcPeer = {
  /**
   * Rejects with a Fault if the agent answers with an error, the stream closes or the signal is aborted, which the agent is told. When
   * it settles, no frame after the answer has been handled yet.
   */
  request(method: string, params: JsonRecord, signal?: AbortSignal): Promise<unknown>
  notify(method: string, params?: JsonRecord): Promise<void>
  /** Resolves when the agent has closed its output. What is pending then has been rejected. */
  closed: Promise<void>
}

type Pending = { method: string; answer: PromiseWithResolvers<unknown> }
/** The other side: a process, or the program that has started this one. */
type Process = { stdin: Pick<ProcessInput, 'write'> | null; stdout: Readable }

export function createJsonRpcPeer(
  agent: Process,
  handlers: JsonRpcHandlers,
  { hasVersion, limitBytes }: JsonRpcOptions,
): JsonRpcPeer {
  const pending = new Map<Id, Pending>()
  const version = hasVersion ? { jsonrpc: '2.0' } : {}
  const answering = new Map<unknown, AbortController>()
  let lastId = 0
  let isClosed = false
  let unread = 0
  let lastWrite: Promise<void> | undefined
  const send = async (frame: object) => {
    const line = `${JSON.stringify({ ...version, ...frame })}\n`
    unread += line.length
    lastWrite = agent.stdin?.write(line)
    await lastWrite
    unread -= line.length
  }
  const answer = async (id: RequestId, request: Promise<unknown> | undefined) => {
    const frame =
      request === undefined
        ? { error: { code: METHOD_NOT_FOUND, message: 'there is no such method' } }
        : await request.then((result = null) => ({ result }), toFailure)
    await send({ id, ...frame })
  }
  const receive = async ({ id, method, params }: Extract<JsonRpcFrame, { kind: 'request' }>, line: string) => {
    const isTooMany = answering.size >= OPEN_REQUESTS_LIMIT
    const cancel = new AbortController()
    const request = isTooMany
      ? Promise.reject(new Error('too many requests at once'))
      : handlers.onRequest(method, params, cancel.signal)
    // Some agents write notifications like this.
    if (request === undefined && id === null) return await handlers.onNotification(method, params, line)
    // The same id twice is a fault of the agent; both are answered.
    const key = answering.has(id) ? cancel : id
    answering.set(key, cancel)
    void answer(id, request).finally(() => answering.delete(key))
    if (unread > UNREAD_LIMIT_CHARACTERS) await lastWrite
  }
  const handle = async ({ value, line }: Frame) => {
    const frame = readJsonRpcFrame(value)
    switch (frame.kind) {
      case 'request':
        return await receive(frame, line)
      case 'notification':
        if (frame.method === CANCEL) return answering.get(frame.params['requestId'])?.abort()
        return await handlers.onNotification(frame.method, frame.params, line)
      case 'invalid':
        return handlers.onWarning('a frame that is not JSON-RPC was skipped', 'protocol')
      default:
        return await finishRequest(frame)
    }
  }
  const finishRequest = async (frame: Extract<JsonRpcFrame, { kind: 'answer' | 'failure' }>) => {
    const request = pending.get(frame.id)
    if (request === undefined) {
      return handlers.onWarning(`an answer to no request was skipped: id ${frame.id}`, 'protocol')
    }
    pending.delete(frame.id)
    if (frame.kind === 'answer') request.answer.resolve(frame.result)
    else request.answer.reject(agentRequestFailed({ method: request.method, ...frame.error }))
    // The caller continues before the next frame is handled.
    await nextRound()
  }
  const readAll = async () => {
    const limit = limitBytes === undefined ? {} : { limitBytes }
    try {
      for await (const frames of readFrames(agent.stdout, { onWarning: handlers.onWarning, ...limit })) {
        for (const frame of frames) await handle(frame)
      }
    } finally {
      isClosed = true
      for (const { method, answer } of pending.values()) answer.reject(agentDisconnected({ method }))
      pending.clear()
    }
  }
  return {
    async request(method, params, signal) {
      if (isClosed || signal?.aborted) throw agentDisconnected({ method })
      lastId += 1
      const [id, answer] = [lastId, Promise.withResolvers<unknown>()]
      const onAbort = () => {
        pending.delete(id)
        void send({ method: CANCEL, params: { requestId: id } })
        answer.reject(agentDisconnected({ method }))
      }
      pending.set(id, { method, answer })
      signal?.addEventListener('abort', onAbort)
      void send({ id, method, params })
      return await answer.promise.finally(() => signal?.removeEventListener('abort', onAbort))
    },
    notify: (method, params) => send({ method, ...(params !== undefined && { params }) }),
    closed: readAll(),
  }
}

const INTERNAL_ERROR = -32_603

type Id = string | number
/** A request may have the id null, and is then answered with it. */
type RequestId = Id | null

/** A frame, by its kind. */
type JsonRpcFrame =
  | { kind: 'request'; id: RequestId; method: string; params: JsonRecord }
  | { kind: 'notification'; method: string; params: JsonRecord }
  | { kind: 'answer'; id: Id; result: unknown }
  | { kind: 'failure'; id: Id; error: JsonRpcError }
  | { kind: 'invalid' }

type JsonRpcError = { code: number; message: string; data?: unknown }

export function readJsonRpcFrame(frame: JsonRecord): JsonRpcFrame {
  const { id } = frame
  const method = textAt(frame, 'method')
  const hasId = typeof id === 'string' || typeof id === 'number'
  if (method !== undefined) {
    const params = objectAt(frame, 'params') ?? {}
    return hasId || id === null ? { kind: 'request', id, method, params } : { kind: 'notification', method, params }
  }
  if (!hasId) return { kind: 'invalid' }
  if (isObject(frame['error'])) return { kind: 'failure', id, error: toError(frame['error']) }
  return 'result' in frame ? { kind: 'answer', id, result: frame['result'] } : { kind: 'invalid' }
}

function toError(error: JsonRecord): JsonRpcError {
  const code = typeof error['code'] === 'number' ? error['code'] : INTERNAL_ERROR
  const message = textAt(error, 'message') ?? 'the agent gave no reason'
  return { code, message, ...('data' in error && { data: error['data'] }) }
}

/** An error that says itself which code it has. */
export class JsonRpcFailure extends Error {
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: JsonRpcError) {
    super(message)
    this.code = code
    this.data = data
  }
}

function toFailure(error: unknown) {
  if (error instanceof JsonRpcFailure) {
    const { code, message, data } = error
    return { error: { code, message, ...(data !== undefined && { data }) } }
  }
  return { error: { code: INTERNAL_ERROR, message: toErrorMessage(error) } }
}
