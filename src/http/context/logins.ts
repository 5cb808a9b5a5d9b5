/**
 * Logins to the console. A browser has a random token in a cookie, and the page a random secret in its storage; here only
 * the digest of both is kept, in a file of the user, so that a page stays logged in when the server restarts.
 */
import { readFileSync, statSync } from 'node:fs'
import type { ApiKey, KeyRing } from '../../config/api-keys.ts'
import type { Clock } from '../../kit/clock.ts'
import { type Digest, digest } from '../../kit/digest.ts'
import { replaceFile } from '../../kit/files/write-file.ts'
import type { Ids } from '../../kit/ids.ts'
import type { Log } from '../../kit/log.ts'

/** `user`: the user of the server, through a one-time link. Otherwise the digest of the API key of the login. */
type LoginAs = 'user' | Digest

type Login = { as: LoginAs; expiresAt: number }

/**
 * What proves a login, both parts together. The token is in the cookie, which the browser sends to every server on this
 * host, and which no script can read. The secret is in the storage of the page, which no other origin can read.
 */
export type LoginProof = { token: string; secret: string }

export type NewLogin = LoginProof & { maxAgeSecs: number }

type LoginOptions = { clock: Clock; ids: Ids; keys: KeyRing; log: Log; file?: string | undefined }

const LINK_MS = 5 * 60 * 1000
const LOGIN_MS = 7 * 24 * 60 * 60 * 1000
const TOKEN_BYTES = 32
/** Of one key or of the user. The oldest ones are dropped: no user has that many browsers. */
const MAX_LOGINS = 50

/** Who uses a server without keys. */
export const ANYONE = 'anyone'

/** The user of the server. No key of the config can have this id or this name. */
export const CONSOLE_USER: ApiKey = {
  id: 'console@local',
  name: 'console@local',
  role: 'operator',
  rateLimit: {},
  ceilings: {},
}

export class Logins {
  readonly #options: LoginOptions
  /** When each link expires, by the digest of its token. */
  readonly #links = new Map<Digest, number>()
  /** By the digest of the proof, oldest first. */
  #logins = new Map<string, Login>()
  /** The file that has these logins. Another one means that another server of the user has written it. */
  #version = ''

  constructor(options: LoginOptions) {
    this.#options = options
  }

  /** The token of a link that logs in the user of the server, once. */
  createLink(): string {
    // Stryker disable next-line ConditionalExpression,EqualityOperator,CallExpression: it only saves memory
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
  find(proof: LoginProof): ApiKey | undefined {
    this.#refresh()
    const login = this.#logins.get(digestProof(proof))
    if (login === undefined || login.expiresAt <= this.#now()) return undefined
    return login.as === 'user' ? CONSOLE_USER : this.#options.keys.withDigest(login.as)
  }

  /** Whose login it is, in a form that stays valid as long as the key. Undefined if it has ended. */
  ownerOf(proof: LoginProof): { as: LoginAs; login: string } | undefined {
    const login = digestProof(proof)
    const { as } = this.#logins.get(login) ?? {}
    return this.find(proof) === undefined || as === undefined ? undefined : { as, login }
  }

  end(proof: LoginProof): void {
    this.#change((logins) => logins.delete(digestProof(proof)))
  }

  #begin(as: LoginAs): NewLogin {
    const { ids } = this.#options
    const proof = { token: ids.hex(TOKEN_BYTES), secret: ids.hex(TOKEN_BYTES) }
    this.#change((logins) => logins.set(digestProof(proof), { as, expiresAt: this.#now() + LOGIN_MS }))
    return { ...proof, maxAgeSecs: LOGIN_MS / 1000 }
  }

  #change(edit: (logins: Map<string, Login>) => void): void {
    this.#refresh()
    edit(this.#logins)
    const valid = newestOfEach([...this.#logins].filter(([, { expiresAt }]) => expiresAt > this.#now()))
    this.#logins = new Map(valid)
    const { file, log } = this.#options
    if (file === undefined) return
    try {
      replaceFile({ path: file, bytes: Buffer.from(`${JSON.stringify(valid)}\n`), mode: 0o600 })
      this.#version = fileVersion(file)
    } catch (error) {
      log.warn({ reason: String(error) }, 'logins to the console could not be saved; they end when the server stops')
    }
  }

  /** A log-out at another server of the user ends the login here too. */
  #refresh(): void {
    const { file, log } = this.#options
    if (file === undefined) return
    const version = fileVersion(file)
    if (version === this.#version) return
    this.#version = version
    this.#logins = new Map()
    if (version === '') return
    try {
      this.#logins = new Map(JSON.parse(readFileSync(file, 'utf8')) as [string, Login][])
    } catch (error) {
      log.warn({ reason: String(error) }, 'logins to the console could not be read; log in again')
    }
  }

  #now(): number {
    return this.#options.clock.now().getTime()
  }
}

/** Empty if there is no file. Every change is a new file. */
function fileVersion(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false })
  return found === undefined ? '' : `${found.ino} ${found.mtimeMs} ${found.size}`
}

function newestOfEach(logins: readonly [string, Login][]): [string, Login][] {
  const counts = new Map<LoginAs, number>()
  const isKept = ([, { as }]: [string, Login]) => {
    counts.set(as, (counts.get(as) ?? 0) + 1)
    return (counts.get(as) ?? 0) <= MAX_LOGINS
  }
  return logins.toReversed().filter(isKept).toReversed()
}

function digestProof({ token, secret }: LoginProof): Digest {
  return digest(`${token}\0${secret}`)
}
