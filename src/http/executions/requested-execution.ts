/**
 * Decides which execution a request is about: a new one, or that of an earlier request with the same `Idempotency-Key`.
 */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { PASSING } from '../../agents/adapter/failure.ts'
import type { Execution, ExecutionAccepted } from '../../executions/store/execution.shape.ts'
import { newExecutionId } from '../../executions/store/execution-id.ts'
import { executionLost, executionNotFound, idempotencyKeyReused } from '../../executions/store/faults.ts'
import { toTimestamp } from '../../kit/clock.ts'
import { Fault, isFault } from '../../kit/fault.ts'
import { jsonPieces } from '../../kit/json/write-json.ts'
import { isRetryable } from '../../kit/retryable.ts'
import { ownerKey } from '../../prompts/caller.ts'
import { toRequestCaller } from '../context/sender.ts'
import type { ServerContext } from '../context/server-context.ts'
import { idempotencyKeyInvalid } from '../errors/faults.ts'

export type Exchange = { request: FastifyRequest; reply: FastifyReply; context: ServerContext }

export type RequestedExecution = {
  id: string
  createdAt: string
  /** An earlier request with the same key has started it. */
  isRepeat: boolean
  /** It keeps running when the client disconnects. */
  isInBackground: boolean
  /** The client does not wait for the result. */
  isDetached: boolean
  /** Makes the key usable again. Never throws. */
  release(): Promise<void>
}

/** 1 to 255 visible characters and spaces. */
const KEY = /^[\x20-\x7e]{1,255}$/
/** The process that took the key may not have saved the execution yet. */
const FIND_ATTEMPTS = 20
const FIND_EVERY_MS = 50

/**
 * Also sets the headers of the response to a repeated request. `detach` is undefined for an API whose clients always
 * wait for the result.
 */
export async function requestExecution(
  exchange: Exchange,
  { detach }: { detach?: boolean | undefined },
): Promise<RequestedExecution> {
  const { request, reply, context } = exchange
  const isDetached = detach !== undefined && (detach || prefersAsync(request))
  const key = readIdempotencyKey(request)
  const fresh = {
    id: newExecutionId(context.ids),
    createdAt: toTimestamp(context.clock.now()),
    isRepeat: false,
    isDetached,
    isInBackground: isDetached || key !== undefined,
    release: async () => {},
  }
  const execution = key === undefined ? fresh : await claimKey(exchange, key, fresh)
  if (execution.isRepeat) void reply.headers({ 'x-execution-id': execution.id, 'idempotency-replayed': 'true' })
  return execution
}

/** A client may send the prompt again: now, or when the limit of the plan has passed. */
const isTransient = (code: string) => isRetryable(code) || PASSING.includes(code)

/** A Fault means that nothing was run. Then, and after a transient failure, the key may be used again. */
export async function releaseOnFault<T extends object>(run: Promise<T>, { release }: RequestedExecution): Promise<T> {
  try {
    const result = await run
    if ('error_code' in result && isTransient(String(result.error_code))) await release()
    return result
  } catch (error) {
    if (error instanceof Fault) await release()
    throw error
  }
}

async function claimKey(exchange: Exchange, key: string, fresh: RequestedExecution): Promise<RequestedExecution> {
  const { earlierId, release } = await claim(exchange, key, fresh.id)
  if (earlierId === undefined) return { ...fresh, release }
  const { id, created_at: createdAt } = await findStarted(earlierId, exchange)
  return { ...fresh, id, createdAt, isRepeat: true }
}

/** What an `Idempotency-Key` stands for: the id of an earlier request, or else the given one. */
type Claimed = {
  earlierId: string | undefined
  /** Makes the key usable again. Never throws. */
  release(): Promise<void>
}

/** The same for a request that starts something else than an execution. Undefined if it has no key. */
export async function claimRequest(exchange: Exchange, id: string): Promise<Claimed | undefined> {
  const key = readIdempotencyKey(exchange.request)
  return key === undefined ? undefined : await claim(exchange, key, id)
}

async function claim({ request, context }: Exchange, key: string, id: string): Promise<Claimed> {
  const keyId = ownerKey(toRequestCaller(request, context))?.id ?? ''
  const wanted = { keyId, key, digest: await digestRequest(request), executionId: id }
  const earlier = await context.drover.executions.claimKey(wanted)
  if (earlier !== undefined && earlier.digest !== wanted.digest) throw idempotencyKeyReused({ key })
  return { earlierId: earlier?.executionId, release: () => context.drover.executions.releaseKey(wanted) }
}

async function findStarted(id: string, { request, context }: Exchange): Promise<Execution> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await context.drover.executions.find(toRequestCaller(request, context), id)
    } catch (error) {
      if (!isFault(error, executionNotFound)) throw error
      if (attempt === FIND_ATTEMPTS) throw executionLost({ id, state: 'not stored' })
    }
    await sleep(FIND_EVERY_MS)
  }
}

function readIdempotencyKey({ headers }: FastifyRequest): string | undefined {
  const header = headers['idempotency-key']
  if (header === undefined) return undefined
  if (typeof header !== 'string' || !KEY.test(header)) throw idempotencyKeyInvalid({})
  return header
}

/** `Prefer: respond-async` (RFC 7240). */
function prefersAsync({ headers }: FastifyRequest): boolean {
  const preferences = String(headers['prefer'] ?? '').split(',')
  return preferences.some((preference) => preference.trim().toLowerCase() === 'respond-async')
}

/** Of everything that decides what is run: the path, the headers that choose session, directory and tools, and the body. */
async function digestRequest({ method, url, headers, body }: FastifyRequest): Promise<string> {
  const hash = createHash('sha256')
  const { 'x-drover-session': session, 'x-drover-workdir': workdir, 'x-drover-agent-tools': tools } = headers
  hash.update(JSON.stringify([method, url, session, workdir, tools]))
  for await (const piece of jsonPieces(body)) hash.update(piece)
  return hash.digest('hex')
}

/** The response to a client that does not wait for the result. */
export async function acceptExecution(
  { request, reply, context }: Exchange,
  { id }: RequestedExecution,
): Promise<ExecutionAccepted> {
  // The client may ask for it at once, also through another process.
  await context.drover.executions.save()
  void reply.code(202)
  if (request.headers.prefer !== undefined) void reply.header('preference-applied', 'respond-async')
  const { state, session_id = '' } = await context.drover.executions.find(toRequestCaller(request, context), id)
  return { execution_id: id, session_id, state, links: toLinks(id) }
}

function toLinks(id: string): ExecutionAccepted['links'] {
  const self = `/api/v1/executions/${id}`
  return { self, events: `${self}/events`, cancel: `${self}/cancel` }
}
