import { pipeline, Readable } from 'node:stream'
import { createGzip, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { digest } from '../../kit/digest.ts'
import { jsonPieces, shortJsonText } from '../../kit/json/write-json.ts'

/** A longer answer is sent with `sendJson`. In characters. */
export const LARGE_OUTPUT = 64 * 1024
/** A shorter one fits into one packet as it is. In characters. */
const COMPRESSED_FROM = 1400

/** Sends a value that may have megabytes. A large one is written in pieces, so that other requests do not wait for it. */
export function sendJson(reply: FastifyReply, value: unknown): FastifyReply {
  const text = shortJsonText(value)
  const isCompressed = (text?.length ?? COMPRESSED_FROM) >= COMPRESSED_FROM && acceptsGzip(reply.request)
  reply.type('application/json; charset=utf-8').header('vary', VARY)
  if (isCompressed) reply.header('content-encoding', 'gzip')
  if (text !== undefined) return reply.send(isCompressed ? gzipSync(text) : text)
  const pieces = Readable.from(jsonPieces(value), { objectMode: false })
  return reply.send(isCompressed ? pipeline(pieces, createGzip(), () => {}) : pieces)
}

/** Of an answer that may be compressed. */
export const VARY = 'Origin, Accept-Encoding'

export function acceptsGzip({ headers }: FastifyRequest): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(String(headers['accept-encoding'] ?? ''))
}

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
