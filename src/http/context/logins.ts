/**
 * Logins to the console. A browser has a random token in a cookie; here only its digest is kept, in a file of the user, so
 * that a page stays logged in when the server restarts.
 */
import { existsSync, readFileSync } from 'node:fs'
import type { ApiKey, KeyRing } from '../../config/api-keys.ts'
import type { Clock } from '../../kit/clock.ts'
import { type Digest, digest } from '../../kit/digest.ts'
import { replaceFile } from '../../kit/files/write-file.ts'
import type { Ids } from '../../kit/ids.ts'
import type { Log } from '../../kit/log.ts'

/** `user`: the user of the server, through a one-time link. Otherwise the digest of the API key of the login. */
type LoginAs = 'user' | Digest

type Login = { as: LoginAs; expiresAt: number }

/** A new login. `token` goes into the cookie and nowhere else. */
export type NewLogin = { token: string; maxAgeSecs: number }

type LoginOptions = { clock: Clock; ids: Ids; keys: KeyRing; log: Log; file?: string | undefined }

const LINK_MS = 5 * 60 * 1000
const LOGIN_MS = 7 * 24 * 60 * 60 * 1000
const TOKEN_BYTES = 32
/** Of one key or of the user. The oldest ones are dropped: no user has so many browsers. */
const MAX_LOGINS = 50

/** The user of the server. No key of the config can have this name. */
export const CONSOLE_USER: ApiKey = { name: 'console@local', role: 'operator', rateLimit: {}, ceilings: {} }

export class Logins {
  readonly #options: LoginOptions
  /** When each link expires, by the digest of its token. */
  readonly #links = new Map<Digest, number>()
  /** By the digest of the token, oldest first. */
  #logins: Map<string, Login>

  constructor(options: LoginOptions) {
    this.#options = options
    this.#logins = this.#read()
  }

  /** The token of a link that logs in the user of the server, once. */
  createLink(): string {
    for (const [name, expiresAt] of this.#links) if (expiresAt <= this.#now()) this.#links.delete(name)
    const token = this.#options.ids.hex(TOKEN_BYTES)
    this.#links.set(digest(token), this.#now() + LINK_MS)
    return token
  }

  /** Undefined if the link was used before, has expired, or never existed. */
  useLink(token: string): NewLogin | undefined {
    const name = digest(token)
    const expiresAt = this.#links.get(name) ?? 0
    this.#links.delete(name)
    return expiresAt > this.#now() ? this.#begin('user') : undefined
  }

  /** Undefined if the key is not valid. */
  useKey(key: string): NewLogin | undefined {
    return this.#options.keys.find(key) === undefined ? undefined : this.#begin(digest(key))
  }

  /** Undefined if the login has ended, or its key is no longer valid. */
  find(token: string): ApiKey | undefined {
    const login = this.#logins.get(digest(token))
    if (login === undefined || login.expiresAt <= this.#now()) return undefined
    return login.as === 'user' ? CONSOLE_USER : this.#options.keys.withDigest(login.as)
  }

  end(token: string): void {
    this.#change((logins) => logins.delete(digest(token)))
  }

  #begin(as: LoginAs): NewLogin {
    const token = this.#options.ids.hex(TOKEN_BYTES)
    this.#change((logins) => logins.set(digest(token), { as, expiresAt: this.#now() + LOGIN_MS }))
    return { token, maxAgeSecs: LOGIN_MS / 1000 }
  }

  /** Another server of the user may have written the file, so it is read again. */
  #change(edit: (logins: Map<string, Login>) => void): void {
    const logins = new Map([...this.#read(), ...this.#logins])
    edit(logins)
    const valid = newestOfEach([...logins].filter(([, { expiresAt }]) => expiresAt > this.#now()))
    this.#logins = new Map(valid)
    const { file, log } = this.#options
    if (file === undefined) return
    try {
      replaceFile({ path: file, bytes: Buffer.from(`${JSON.stringify(valid)}\n`), mode: 0o600 })
    } catch (error) {
      log.warn({ reason: String(error) }, 'logins to the console could not be saved; they end when the server stops')
    }
  }

  #read(): Map<string, Login> {
    const { file } = this.#options
    if (file === undefined || !existsSync(file)) return new Map()
    try {
      return new Map(JSON.parse(readFileSync(file, 'utf8')) as [string, Login][])
    } catch (error) {
      this.#options.log.warn({ reason: String(error) }, 'logins to the console could not be read; log in again')
      return new Map()
    }
  }

  #now(): number {
    return this.#options.clock.now().getTime()
  }
}

function newestOfEach(logins: readonly [string, Login][]): [string, Login][] {
  const counts = new Map<LoginAs, number>()
  const isKept = ([, { as }]: [string, Login]) => {
    counts.set(as, (counts.get(as) ?? 0) + 1)
    return (counts.get(as) ?? 0) <= MAX_LOGINS
  }
  return logins.toReversed().filter(isKept).toReversed()
}

/** The text that the page sends with each request, to show that a request comes from it. Only the page can read it. */
export function csrfTokenOf(token: string): string {
  return digest(`drover-console-csrf\0${token}`).replace('sha256:', '')
}
