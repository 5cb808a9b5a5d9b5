/** Reads the body of a request: never more than the limit, never longer than the client may take. */
import type { IncomingMessage } from 'node:http'
import type { Fault } from '../../kit/fault.ts'
import { readJson } from '../../kit/json/read-json.ts'
import { bodyMissing, mediaTypeUnsupported, requestCutOff, requestTooLarge } from '../errors/faults.ts'

/** 0 is no limit. */
export type BodyLimit = { limitBytes: number }

/** With a known length nothing has to be read to refuse it. */
export function refuseLongBody(headers: IncomingMessage['headers'], { limitBytes }: BodyLimit): void {
  const length = Number(headers['content-length'] ?? 0)
  if (limitBytes > 0 && length > limitBytes) throw requestTooLarge({ limitBytes })
}

type Reading = BodyLimit & {
  /** Is given whom to tell when the rest is not worth waiting for. */
  onFailure: (fail: (fault: Fault) => void) => void
  /** Called when the body is known to be wanted, before anything of it is read. */
  invite: () => void
}

/** The value of a JSON body; undefined when there is no body. */
export async function readBody(raw: IncomingMessage, { limitBytes, onFailure, invite }: Reading): Promise<unknown> {
  const { headers } = raw
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return undefined
  requireJson(headers)
  invite()
  const bytes = await collect(raw, { limitBytes, onFailure })
  return readJson(bytes, { input: 'the request body', limitBytes: Number.POSITIVE_INFINITY, numbers: 'any' })
}

/** The body as the checker lets it through. */
export function checkBody<T>(body: unknown, check: (value: unknown) => T): T {
  if (body === undefined) throw bodyMissing({})
  return check(body)
}

/** No media type is taken for JSON; another charset than UTF-8 is not JSON (RFC 8259, section 8.1). */
function requireJson(headers: IncomingMessage['headers']): void {
  const { 'content-type': mediaType, 'content-encoding': encoding = 'identity', 'transfer-encoding': coding } = headers
  // To unpack a body would be to let a small one grow past every limit.
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

function collect(raw: IncomingMessage, { limitBytes, onFailure }: Omit<Reading, 'invite'>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    onFailure(reject)
    raw.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (limitBytes === 0 || size <= limitBytes) chunks.push(chunk)
      else {
        // What still comes is read and thrown away: a client that is cut off while sending never sees the answer.
        raw.removeAllListeners('data').resume()
        chunks.length = 0
        reject(requestTooLarge({ limitBytes }))
      }
    })
    const cutOff = () => reject(requestCutOff({}))
    raw.once('close', cutOff)
    raw.once('end', () => {
      raw.off('close', cutOff)
      resolve(Buffer.concat(chunks))
    })
  })
}
