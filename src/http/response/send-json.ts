import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { jsonPieces, shortJsonText } from '../../kit/json/json-pieces.ts'

/** A longer answer is sent with `sendJson`. In characters. */
export const LARGE_OUTPUT = 64 * 1024

/** Sends a value that may have megabytes. A large one is written in pieces, so that other requests do not wait for it. */
export function sendJson(reply: FastifyReply, value: unknown): FastifyReply {
  const text = shortJsonText(value)
  const body = text ?? Readable.from(jsonPieces(value), { objectMode: false })
  return reply.type('application/json; charset=utf-8').send(body)
}
