/** A message of Web Push: encrypted for one browser (RFC 8291), and signed by this server (RFC 8292). */
import { createCipheriv, createECDH, createPrivateKey, hkdfSync, type JsonWebKey, randomBytes, sign } from 'node:crypto'
import type { NotifyEvent, NotifyRequest } from './notify-event.ts'

/** As the browser names them, in Base64 for addresses. */
type BrowserKeys = { readonly p256dh: string; readonly auth: string }

/** Makes the message different each time. Given only to check it against the example of the RFC. */
type Once = { readonly salt: Buffer; readonly privateKey: Buffer }

const RECORD_BYTES = 4096
/** The service of the browser keeps a message for as long as drover would try. */
const TTL_SECS = 24 * 3600
const TOKEN_SECS = 12 * 3600
/** Services take 4096 bytes: the text is what may be long. */
const TEXT_BYTES = 2500
const CUT = '… [cut]'

export function encrypt(text: string, { p256dh, auth }: BrowserKeys, once?: Once): Buffer<ArrayBuffer> {
  const { salt, privateKey } = once ?? { salt: randomBytes(16), privateKey: undefined }
  const own = createECDH('prime256v1')
  if (privateKey === undefined) own.generateKeys()
  else own.setPrivateKey(privateKey)
  const [theirs, ours] = [fromBase64(p256dh), own.getPublicKey()]
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), theirs, ours])
  const shared = derive(own.computeSecret(theirs), { salt: fromBase64(auth), info, bytes: 32 })
  const key = derive(shared, { salt, info: Buffer.from('Content-Encoding: aes128gcm\0'), bytes: 16 })
  const nonce = derive(shared, { salt, info: Buffer.from('Content-Encoding: nonce\0'), bytes: 12 })
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  // The last record ends with 2.
  const sealed = Buffer.concat([cipher.update(text), cipher.update(Buffer.of(2)), cipher.final(), cipher.getAuthTag()])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(RECORD_BYTES)
  return Buffer.concat([salt, size, Buffer.of(ours.length), ours, sealed])
}

function derive(secret: Buffer, { salt, info, bytes }: { salt: Buffer; info: Buffer; bytes: number }): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, bytes))
}

function fromBase64(text: string): Buffer {
  return Buffer.from(text, 'base64url')
}

/** The point of a public key, as browsers take it. */
export function toPublicKey({ x = '', y = '' }: JsonWebKey): string {
  return Buffer.concat([Buffer.of(4), fromBase64(x), fromBase64(y)]).toString('base64url')
}

/** Says to the service of the browser who sends. Only this server can make it. */
function authorize(endpoint: string, key: JsonWebKey, { contact, now }: { contact: string; now: Date }): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const exp = Math.floor(now.getTime() / 1000) + TOKEN_SECS
  const claims = { aud: new URL(endpoint).origin, exp, sub: contact }
  const text = `${part({ typ: 'JWT', alg: 'ES256' })}.${part(claims)}`
  const signature = sign('sha256', Buffer.from(text), {
    key: createPrivateKey({ key, format: 'jwk' }),
    dsaEncoding: 'ieee-p1363',
  })
  return `vapid t=${text}.${signature.toString('base64url')}, k=${toPublicKey(key)}`
}

type PushFacts = {
  readonly browser: BrowserKeys & { readonly endpoint: string }
  readonly key: JsonWebKey
  /** Where the service can reach the operator: an address of https or mailto. */
  readonly contact: string
  readonly now: Date
}

export function toPushRequest(event: NotifyEvent, pushFacts: PushFacts): NotifyRequest<Uint8Array<ArrayBuffer>> {
  const { browser, key, contact, now } = pushFacts
  const { id, title, text, url } = event
  const shown = JSON.stringify({ id, title, text: shorten(text), ...(url !== undefined && { url }) })
  return {
    url: browser.endpoint,
    headers: {
      ttl: String(TTL_SECS),
      urgency: 'high',
      'content-type': 'application/octet-stream',
      'content-encoding': 'aes128gcm',
      authorization: authorize(browser.endpoint, key, { contact, now }),
    },
    body: encrypt(shown, browser),
  }
}

function shorten(text: string): string {
  if (Buffer.byteLength(JSON.stringify(text)) <= TEXT_BYTES) return text
  let end = Math.min(text.length, TEXT_BYTES)
  while (Buffer.byteLength(JSON.stringify(text.slice(0, end))) > TEXT_BYTES) end = Math.floor(end * 0.8)
  return `${text.slice(0, end).toWellFormed()}${CUT}`
}
