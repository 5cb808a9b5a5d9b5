/** What is known of a request beside its bytes. Every request has these from its first hook on. */
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { ApiKey } from '../config/api-keys.ts'
import type { Trace } from './traceparent.ts'

export type RequestFacts = {
  /** Of the client, through trusted proxies; `local` on a Unix socket. */
  address: string
  trace: Trace | undefined
  /** The key that the request carries, once it was found to be a valid one. */
  key: ApiKey | undefined
  /** The agents that work for the request, as it names them. Routes say so, for the access log. */
  backends?: readonly string[]
  /** The code with which the request was refused. */
  refusal?: string
  /** Written to the access log only where the operator asked for it. Routes may always note them. */
  prompts?: readonly string[]
  answers?: readonly string[]
}

/** Kept beside the raw request, because Fastify has no place for them on a request that it could not route. */
const facts = new WeakMap<IncomingMessage, RequestFacts>()

export function noteFacts(request: FastifyRequest, known: RequestFacts): void {
  facts.set(request.raw, known)
}

export function factsOf({ raw }: FastifyRequest): RequestFacts {
  const known = facts.get(raw)
  if (known === undefined) throw new Error('a request is asked about before its first hook')
  return known
}
