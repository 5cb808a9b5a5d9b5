/**
 * The API keys of the server. They come from up to four places, and all that are configured count together. A place that
 * is configured but gives no key stops the start: a server never opens because its keys could not be had. Once loaded,
 * only digests are kept.
 */
import { unwatchFile, watchFile } from 'node:fs'
import { resolve } from 'node:path'
import { digest } from '../kit/digest.ts'
import type { Log } from '../kit/log.ts'
import type { Config } from './config.shape.ts'
import { apiKeysUnavailable } from './faults.ts'
import { type ApiKey, createKeyRing, type KeyRing, type NamedDigest } from './key-ring.ts'
import { fileKeys, gopassKeys, type KeySource, variableKeys } from './key-sources.ts'
import type { Environment } from './paths.ts'

export type { ApiKey, KeyRing }

export type ApiKeyOptions = {
  env: Environment
  cwd: string
  server: Pick<Config['server'], 'keys' | 'api_keys_gopass_path'>
}

/** A random one of so many letters and digits has more than 80 bits. */
const SHORTEST_KEY = 16

/** Often enough for people who rotate keys, seldom enough not to matter. */
const FILE_LOOK_MS = 1000
const GOPASS_REFRESH_MS = 5 * 60 * 1000

const RELOADED = 'API keys were read again and have changed'
const RAN_DRY = 'a source of API keys holds none any more; those that it held are no longer valid'
const RELOAD_FAILED = 'API keys could not be read again; the last ones stay valid'

/** Reads every configured place; throws `api_keys_unavailable` for one that gives no key. */
export async function loadApiKeys(places: ApiKeyOptions): Promise<ApiKeys> {
  const { env, cwd, server } = places
  const { DROVER_API_KEYS: listed, DROVER_API_KEYS_FILE: file } = env
  refuseEmpty({ DROVER_API_KEYS: listed, DROVER_API_KEYS_FILE: file })
  const watchedFile = file === undefined ? undefined : resolve(cwd, file)
  const gopassPath = server.api_keys_gopass_path
  const sources: KeySource[] = [
    ...(listed === undefined ? [] : [variableKeys(listed)]),
    ...(watchedFile === undefined ? [] : [fileKeys(watchedFile)]),
    ...(gopassPath === '' ? [] : [gopassKeys(gopassPath, { env, cwd })]),
  ]
  const read = new Map<KeySource, readonly NamedDigest[]>()
  for (const source of sources) read.set(source, await firstKeys(source))
  return new ApiKeys({ fixed: server.keys.map(toNamedDigest), read, watchedFile, asksGopass: gopassPath !== '' })
}

/**
 * Elsewhere an empty variable is one that is not set. Here it is most likely a secret that was not filled in, and to take
 * that for "no keys" would open the server.
 */
function refuseEmpty(variables: Environment): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value?.trim() === '') throw apiKeysUnavailable({ source: name, reason: 'the variable is set but empty' })
  }
}

type Loading = {
  fixed: readonly NamedDigest[]
  read: Map<KeySource, readonly NamedDigest[]>
  watchedFile: string | undefined
  asksGopass: boolean
}

export class ApiKeys {
  readonly ring: KeyRing
  /** Where keys come from, for people. */
  readonly sources: readonly string[]
  readonly #loading: Loading
  readonly #replace: (keys: readonly NamedDigest[]) => void
  /** One reading after the other, so that an older answer never replaces a newer one. */
  #lastReading = Promise.resolve()
  #refresh: NodeJS.Timeout | undefined
  #onFile: (() => void) | undefined

  constructor(loading: Loading) {
    const { fixed, read } = loading
    const ring = createKeyRing({ isRequired: fixed.length > 0 || read.size > 0 })
    this.ring = ring
    this.#replace = ring.replace
    this.sources = [...(fixed.length > 0 ? ['server.keys'] : []), ...[...read.keys()].map(({ name }) => name)]
    this.#loading = loading
    this.#unite()
  }

  /** Whether one of them can be guessed. Of those in the config only the digests are known. */
  hasShortKey(): boolean {
    return [...this.#loading.read.values()].flat().some(({ isShort }) => isShort === true)
  }

  /** Reads every place again; one that fails keeps its last good keys and says so in the log. */
  reload(log: Log): Promise<void> {
    this.#lastReading = this.#lastReading.then(() => this.#readAgain(log))
    return this.#lastReading
  }

  /** From now on places that may change are read again by themselves. */
  follow(log: Log): void {
    const { watchedFile, asksGopass } = this.#loading
    const again = () => void this.reload(log)
    if (asksGopass) this.#refresh = setInterval(again, GOPASS_REFRESH_MS).unref()
    if (watchedFile === undefined) return
    this.#onFile = again
    watchFile(watchedFile, { interval: FILE_LOOK_MS, persistent: false }, again)
  }

  close(): void {
    clearInterval(this.#refresh)
    const { watchedFile } = this.#loading
    if (watchedFile !== undefined && this.#onFile !== undefined) unwatchFile(watchedFile, this.#onFile)
  }

  async #readAgain(log: Log): Promise<void> {
    const { read } = this.#loading
    for (const source of read.keys()) {
      try {
        const keys = toDigests(await source.read())
        const hasChanged = !sameKeys(keys, read.get(source) ?? [])
        read.set(source, keys)
        this.#unite()
        if (hasChanged) tellChange(source, keys.length, log)
      } catch (error) {
        log.error({ source: source.name, reason: reasonOf(error) }, RELOAD_FAILED)
      }
    }
  }

  #unite(): void {
    const { fixed, read } = this.#loading
    this.#replace([...fixed, ...[...read.values()].flat()])
  }
}

async function firstKeys(source: KeySource): Promise<NamedDigest[]> {
  try {
    const keys = toDigests(await source.read())
    if (keys.length > 0) return keys
  } catch (error) {
    throw apiKeysUnavailable({ source: source.name, reason: reasonOf(error) }, error)
  }
  throw apiKeysUnavailable({ source: source.name, reason: 'it holds no key' })
}

function tellChange({ name }: KeySource, count: number, log: Log): void {
  if (count === 0) log.warn({ source: name }, RAN_DRY)
  else log.info({ source: name, count }, RELOADED)
}

function sameKeys(some: readonly NamedDigest[], others: readonly NamedDigest[]): boolean {
  const listOf = (keys: readonly NamedDigest[]) =>
    keys
      .map((key) => key.digest)
      .sort()
      .join()
  return listOf(some) === listOf(others)
}

function toNamedDigest(key: ApiKeyOptions['server']['keys'][number]): NamedDigest {
  const { name, sha256, rate_limit_rps: rps, rate_limit_burst: burst } = key
  return {
    digest: sha256,
    name,
    rateLimit: { ...(rps !== undefined && { rps }), ...(burst !== undefined && { burst }) },
  }
}

function toDigests(keys: readonly string[]): NamedDigest[] {
  return keys.map((key) => ({ digest: digest(key), rateLimit: {}, isShort: key.length < SHORTEST_KEY }))
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
