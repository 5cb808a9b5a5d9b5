/** The browsers that want to be notified: who may get which event, and how it is sent. */
import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import type { Clock } from '../kit/clock.ts'
import { isFault } from '../kit/fault.ts'
import { fileExists } from '../kit/faults.ts'
import { readFileText } from '../kit/files/read-file.ts'
import { createFile } from '../kit/files/write-file.ts'
import { type PushSubscription, type PushSubscriptions, toBrowserId } from '../store/push-subscriptions.ts'
import { pushAddressNotAllowed, pushKeysInvalid } from './faults.ts'
import type { NotifyEvent, NotifyRequest, NotifyTarget } from './notify-event.ts'
import { toPublicKey, toPushRequest } from './web-push.ts'

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
