import type { FastifyReply, FastifyRequest } from 'fastify'
import { digest } from '../../kit/digest.ts'

export type Document = { contentType: string; body: string | Buffer; etag: string }

export function toDocument(contentType: string, body: string | Buffer): Document {
  return { contentType, body, etag: `"${digest(body)}"` }
}

/** Sends a document that clients may cache but must revalidate with `If-None-Match` (RFC 9110, section 13.1.2). */
export function sendDocument(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { contentType, body, etag }: Document,
): FastifyReply {
  reply.headers({ 'cache-control': 'no-cache', etag })
  if (matches(etag, request.headers['if-none-match'])) return reply.code(304).send()
  return reply.type(contentType).send(body)
}

function matches(etag: string, header: string | undefined): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}
