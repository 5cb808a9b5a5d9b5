/** What is known of a request beside its bytes. Every request has these from its first hook on. */
import type { FastifyRequest } from 'fastify'
import type { ApiKey } from '../../config/api-keys.ts'
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

/** On the request itself. A decorator of Fastify would not be there on a request that it could not route. */
const FACTS = Symbol('facts')
type Noted = FastifyRequest & { [FACTS]?: RequestFacts }

export function noteFacts(request: Noted, known: RequestFacts): void {
  request[FACTS] = known
}

export function factsOf(request: Noted): RequestFacts {
  const known = request[FACTS]
  if (known === undefined) throw new Error('a request is asked about before its first hook')
  return known
}
