/**
 * The requests that are being answered. A sender may have only a limited number of them. A stream may last for hours, so its sender is
 * checked again and again: when a key is revoked or a login ends, the connection is closed.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { toNetwork } from '../../service/server-address.ts'
import { oncePerBurst } from '../context/once-per-burst.ts'
import type { ServerContext } from '../context/server-context.ts'
import { accessEnded, tooManyOpenRequests } from '../errors/faults.ts'
import { checkSender } from './browser-login.ts'
import { LOCAL_ADDRESS } from './identify.ts'
import { isHealthCheck } from './target.ts'

type Exchange = { request: FastifyRequest; reply: FastifyReply }

const CHECK_MS = 500

export class OpenRequests {
  readonly #context: ServerContext
  /** Those whose senders may lose access. */
  readonly #checked = new Set<Exchange>()
  readonly #counts = new Map<string, number>()
  readonly #noteFull: (facts: { limit: number; client: string }) => void
  #checking: NodeJS.Timeout | undefined

  constructor(context: ServerContext) {
    this.#context = context
    this.#noteFull = oncePerBurst((facts) => context.log.warn(facts, 'a client has too many open requests'))
  }

  /** For a request that the other guards have accepted. */
  add(exchange: Exchange): void {
    const { facts } = exchange.request
    if (facts.isLocalUser || isHealthCheck(exchange.request)) return
    const isKnown = facts.key !== undefined && this.#context.keys.isRequired
    this.#count(exchange, isKnown ? 'key' : 'address')
    if (!isKnown) return
    this.#checked.add(exchange)
    exchange.reply.raw.once('close', () => this.#stopChecking(exchange))
    this.#checking ??= setInterval(() => this.#check(), CHECK_MS).unref()
  }

  #count({ request, reply }: Exchange, of: 'key' | 'address'): void {
    const { key, address } = request.facts
    const { max_open_requests_per_key: limit } = this.#context.config.server
    const client = of === 'key' ? `key ${key?.id}` : toNetwork(address)
    const before = this.#counts.get(client) ?? 0
    if (limit > 0 && before >= limit && client !== LOCAL_ADDRESS) {
      this.#noteFull({ limit, client })
      throw tooManyOpenRequests({ limit, of })
    }
    this.#counts.set(client, before + 1)
    reply.raw.once('close', () => {
      const left = (this.#counts.get(client) ?? 1) - 1
      if (left === 0) this.#counts.delete(client)
      else this.#counts.set(client, left)
    })
  }

  #stopChecking(exchange: Exchange): void {
    this.#checked.delete(exchange)
    if (this.#checked.size > 0) return
    clearInterval(this.#checking)
    this.#checking = undefined
  }

  #check(): void {
    for (const exchange of this.#checked) if (!keepsAccess(exchange.request, this.#context)) cut(exchange)
  }
}

/** Whether the request would be accepted again, with the same view of what others do. */
function keepsAccess(request: FastifyRequest, context: ServerContext): boolean {
  const { key, endsAccess = false } = request.facts
  if (endsAccess) return true
  const check = checkSender(request, context)
  return check.result === 'valid' && check.key.role === key?.role && check.key.id === key.id
}

/** For the prompt of the request it is the same as if the client had disconnected. */
function cut({ request }: Exchange): void {
  request.facts.errorCode = accessEnded.code
  request.raw.socket.destroy()
}
