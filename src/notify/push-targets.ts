/**
 * The browsers that want to be notified: who may get which event, and how it is sent as Web Push: encrypted for one browser
 * (RFC 8291), and signed by this server (RFC 8292).
 */
import {
  createCipheriv,
  createECDH,
  createPrivateKey,
  generateKeyPairSync,
  hkdfSync,
  type JsonWebKey,
  randomBytes,
  sign,
} from 'node:crypto'
import type { Clock } from '../kit/clock.ts'
import { isFault } from '../kit/fault.ts'
import { fileExists } from '../kit/faults.ts'
import { readFileText } from '../kit/files/read-file.ts'
import { createFile } from '../kit/files/write-file.ts'
import { type PushSubscription, type PushSubscriptions, toBrowserId } from '../store/push-subscriptions.ts'
import { pushAddressNotAllowed, pushKeysInvalid } from './faults.ts'
import type { NotifyEvent, NotifyRequest, NotifyTarget } from './notify-event.ts'

/** What the owner of a subscription sees now: everything, what belongs to a key, or, if it is not valid any more, nothing. */
export type Sight = { readonly is: 'all' } | { readonly is: 'key'; readonly keyId: string } | undefined

type Options = {
  readonly subscriptions: PushSubscriptions
  /** Has the key pair of this server. */
  readonly keyFile: string
  /** The services of browsers, such as `*.push.apple.com`. */
  readonly hosts: readonly string[]
  readonly sightOf: (as: string) => Sight
  readonly contact: () => string
  readonly clock: Clock
}

/** A browser as a target: its events are in the outbox under its own name. */
export type BrowserTarget = NotifyTarget & { readonly browser: PushSubscription }

const FILE_LIMIT_BYTES = 4096
/** A point of P-256, and 16 bytes. */
const P256DH = /^[A-Za-z0-9_-]{87}=?$/
const AUTH = /^[A-Za-z0-9_-]{22}={0,2}$/

export class PushTargets {
  readonly #options: Options
  #key: JsonWebKey | undefined

  constructor(options: Options) {
    this.#options = options
  }

  publicKey(): string {
    return toPublicKey(this.#readKey())
  }

  /** Throws a Fault if the address is not one of a known service: the server would send requests to wherever a client wants. */
  async subscribe(subscription: Omit<PushSubscription, 'serverKey'>): Promise<void> {
    const { endpoint, p256dh, auth } = subscription
    if (!this.#isAllowed(endpoint)) throw pushAddressNotAllowed({ host: hostOf(endpoint) })
    if (!P256DH.test(p256dh) || !AUTH.test(auth)) throw pushKeysInvalid({})
    await this.#options.subscriptions.save({ ...subscription, serverKey: this.publicKey() })
  }

  async unsubscribe(owner: Pick<PushSubscription, 'as' | 'login'>): Promise<void> {
    await this.#options.subscriptions.removeOf(owner)
  }

  /** The browsers of a target. Those whose key was revoked, rotated or has expired are forgotten. */
  async browsersOf(target: NotifyTarget, event?: NotifyEvent): Promise<BrowserTarget[]> {
    const { subscriptions, sightOf } = this.#options
    const found: BrowserTarget[] = []
    for (const browser of await subscriptions.list(this.publicKey())) {
      const sight = sightOf(browser.as)
      if (sight === undefined) await subscriptions.remove(browser.endpoint)
      else if (event === undefined || sees(sight, event))
        found.push({ ...target, name: `${target.name}/${toBrowserId(browser)}`, browser })
    }
    return found
  }

  /** Undefined: the settings do not allow its address any more. */
  toRequest({ browser }: BrowserTarget, event: NotifyEvent): NotifyRequest<Uint8Array<ArrayBuffer>> | undefined {
    if (!this.#isAllowed(browser.endpoint)) return undefined
    const { contact, clock } = this.#options
    return toPushRequest(event, { browser, key: this.#readKey(), contact: contact(), now: clock.now() })
  }

  /** The browser does not want it any more. */
  async forget({ browser }: BrowserTarget): Promise<void> {
    await this.#options.subscriptions.remove(browser.endpoint)
  }

  #isAllowed(endpoint: string): boolean {
    if (!URL.canParse(endpoint)) return false
    const { protocol, hostname, username } = new URL(endpoint)
    const isKnown = this.#options.hosts.some((host) =>
      host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host,
    )
    return protocol === 'https:' && username === '' && isKnown
  }

  /** Made once. Browsers accept messages of this key only, so a new one would silence them. */
  #readKey(): JsonWebKey {
    this.#key ??= this.#createKey() ?? this.#loadKey()
    return this.#key
  }

  #createKey(): JsonWebKey | undefined {
    const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
    try {
      createFile({ path: this.#options.keyFile, bytes: Buffer.from(`${JSON.stringify(key)}\n`), mode: 0o600 })
      return key
    } catch (error) {
      if (isFault(error, fileExists)) return undefined
      throw error
    }
  }

  #loadKey(): JsonWebKey {
    return JSON.parse(readFileText({ path: this.#options.keyFile, limitBytes: FILE_LIMIT_BYTES })) as JsonWebKey
  }
}

/** A client gets what belongs to its key, and no other event. */
function sees(sight: NonNullable<Sight>, { keyId }: NotifyEvent): boolean {
  return sight.is === 'all' || (keyId !== undefined && keyId === sight.keyId)
}

function hostOf(endpoint: string): string {
  return URL.canParse(endpoint) ? new URL(endpoint).host.slice(0, 100) : ''
}

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
function toPublicKey({ x = '', y = '' }: JsonWebKey): string {
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

function toPushRequest(event: NotifyEvent, pushFacts: PushFacts): NotifyRequest<Uint8Array<ArrayBuffer>> {
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
