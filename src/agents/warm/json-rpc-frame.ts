/** The frames of JSON-RPC: reads their kind, and writes errors. Pure. */
import { toErrorMessage } from '../../kit/fault.ts'
import { isObject, type JsonRecord, objectAt, textAt } from '../adapter/json-fields.ts'

const INTERNAL_ERROR = -32_603

export type Id = string | number
/** A request may have the id null, and is then answered with it. */
export type RequestId = Id | null

/** A frame, by its kind. */
export type JsonRpcFrame =
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

export function toFailure(error: unknown) {
  if (error instanceof JsonRpcFailure) {
    const { code, message, data } = error
    return { error: { code, message, ...(data !== undefined && { data }) } }
  }
  return { error: { code: INTERNAL_ERROR, message: toErrorMessage(error) } }
}
