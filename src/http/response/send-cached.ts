import type { FastifyReply, FastifyRequest } from 'fastify'
import { digest } from '../../kit/digest.ts'

export type Document = { contentType: string; body: string | Buffer; etag: string }

export function toDocument(contentType: string, body: string | Buffer): Document {
  return { contentType, body, etag: `"${digest(body)}"` }
}

/** A document that clients may keep, as long as they ask each time whether it is still the same (RFC 9110, section 13.1.2). */
export function sendCached(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { contentType, body, etag }: Document,
): FastifyReply {
  reply.headers({ 'cache-control': 'no-cache', etag })
  if (isKnown(etag, request.headers['if-none-match'])) return reply.code(304).send()
  return reply.type(contentType).send(body)
}

function isKnown(etag: string, known: string | undefined): boolean {
  const tags = (known ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}
