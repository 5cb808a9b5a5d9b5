/** Reads request bodies: strict JSON, at most `server.max_request_body_bytes`. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { bodyMissing, mediaTypeUnsupported, requestCutOff, requestTooLarge } from '../errors/faults.ts'
import type { Connections } from './connection-errors.ts'
import { BodyParts, createBodyReader } from './read-body.ts'

/** 0 means no limit. */
type BodyLimit = { limitBytes: number }

/**
 * Fastify passes every body to this parser. `acceptBody` has checked the headers. `jsonThread` is the program of the thread
 * that reads large bodies, if there is one.
 */
export function addBodyParser(app: FastifyInstance, connections: Connections, jsonThread: string | undefined): void {
  const read = createBodyReader(jsonThread)
  app.removeAllContentTypeParsers()
  // `*` alone would work, but Fastify caches the parser only for a media type that is listed.
  app.addContentTypeParser(['application/json', '*'], async (request: FastifyRequest, raw: IncomingMessage) => {
    if (!hasBody(raw)) return undefined
    const body = await collect(raw, connections, { limitBytes: request.facts.bodyLimitBytes })
    return request.routeOptions.config.isRaw === true ? body.join() : await read(body)
  })
  // By default Fastify also parses the body of a DELETE. No endpoint reads one, so it is ignored.
  app.addHttpMethod('DELETE', { hasBody: false, overrideExisting: true })
}

/** Returns the body if it passes the check. */
export function checkBody<T>(body: unknown, check: (value: unknown) => T): T {
  if (body === undefined) throw bodyMissing({})
  return check(body)
}

/** A declared length is refused without reading the body. */
export function refuseLongBody({ headers }: IncomingMessage, { limitBytes }: BodyLimit): void {
  const length = Number(headers['content-length'] ?? 0)
  if (limitBytes > 0 && length > limitBytes) throw requestTooLarge({ limitBytes })
}

const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH']

/** The last guard: checks the headers of the body, then tells a client that waits for it to send the body. */
export function acceptBody(raw: IncomingMessage, response: ServerResponse): void {
  if (!METHODS_WITH_BODY.includes(raw.method ?? '')) return
  if (!hasBody(raw)) {
    // Fastify would refuse a malformed one, although there is nothing to read.
    delete raw.headers['content-type']
    return
  }
  requireJson(raw.headers)
  if (expectsContinue(raw)) response.writeContinue()
}

export function expectsContinue({ headers }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue'
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** A missing media type counts as JSON. JSON is always UTF-8 (RFC 8259, section 8.1). */
function requireJson(headers: IncomingMessage['headers']): void {
  const { 'content-type': mediaType, 'content-encoding': encoding = 'identity', 'transfer-encoding': coding } = headers
  // Decompressed, a small body could exceed every limit.
  if (encoding !== 'identity') throw mediaTypeUnsupported({ mediaType: `${encoding} encoding` })
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw mediaTypeUnsupported({ mediaType: `${coding} transfer encoding` })
  }
  if (mediaType === undefined || mediaType === 'application/json') return
  const [type = '', ...parameters] = mediaType.split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length)
  const isUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset)
  if (type !== 'application/json' || !isUtf8) throw mediaTypeUnsupported({ mediaType })
}

function collect(raw: IncomingMessage, connections: Connections, { limitBytes }: BodyLimit): Promise<BodyParts> {
  const body = new BodyParts()
  return new Promise((resolve, reject) => {
    connections.onFailure(raw, reject)
    raw.on('data', (chunk: Buffer) => {
      body.add(chunk)
      if (limitBytes > 0 && body.size > limitBytes) {
        // The rest is read and discarded: a client that is disconnected while it sends never sees the response.
        raw.removeAllListeners('data').resume()
        reject(requestTooLarge({ limitBytes }))
      }
    })
    const cutOff = () => reject(requestCutOff({}))
    raw.once('close', cutOff)
    raw.once('end', () => {
      raw.off('close', cutOff)
      resolve(body)
    })
  })
}
