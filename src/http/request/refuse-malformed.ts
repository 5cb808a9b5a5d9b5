import type { FastifyRequest } from 'fastify'
import { expectationUnsupported, requestMalformed } from '../errors/faults.ts'
import { isDecodable } from './request-target.ts'

/** What Node and the router would refuse in their own words, without an id, a line in the log or a count, if they were let. */
export function refuseMalformed({ raw, originalUrl }: FastifyRequest): void {
  const { host, expect } = raw.headers
  if (!isDecodable(originalUrl)) throw requestMalformed({ problem: 'its path is not valid percent-encoding' })
  // RFC 9112, section 3.2.
  if (host === undefined && raw.httpVersion === '1.1') throw requestMalformed({ problem: 'it has no Host header' })
  if (expect !== undefined && !asksToContinue(raw)) throw expectationUnsupported({ expectation: expect })
}

export function asksToContinue({ headers }: FastifyRequest['raw']): boolean {
  return headers.expect?.toLowerCase() === '100-continue'
}
