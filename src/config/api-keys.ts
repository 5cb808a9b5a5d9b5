/**
 * The API keys of the server. They come from up to four sources; the keys of all configured sources are valid. If a
 * configured source provides no key, the server does not start: a missing key must never open it. After loading, only
 * digests are kept in memory.
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

/** A random key of this length (letters and digits) has more than 80 bits. */
const SHORTEST_KEY = 16

/** Often enough for key rotation, rarely enough to cost nothing. */
const FILE_POLL_MS = 1000
const GOPASS_REFRESH_MS = 5 * 60 * 1000

const RELOADED = 'API keys were reloaded and have changed'
const SOURCE_EMPTY = 'a source of API keys is now empty; its previous keys are no longer valid'
const RELOAD_FAILED = 'API keys could not be reloaded; the previous keys stay valid'

/** Reads every configured source; throws `api_keys_unavailable` if one provides no key. */
export async function loadApiKeys(options: ApiKeyOptions): Promise<ApiKeys> {
  const { env, cwd, server } = options
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
 * Elsewhere an empty variable counts as not set. Here it is most likely a secret that was not filled in, and "no keys"
 * would open the server.
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
  /** The names of the sources, for messages. */
  readonly sources: readonly string[]
  readonly #loading: Loading
  readonly #replace: (keys: readonly NamedDigest[]) => void
  /** Reloads run one after the other, so that an older result never replaces a newer one. */
  #lastReload = Promise.resolve()
  #refresh: NodeJS.Timeout | undefined
  #onFile: (() => void) | undefined

  constructor(loading: Loading) {
    const { fixed, read } = loading
    const ring = createKeyRing({ isRequired: fixed.length > 0 || read.size > 0 })
    this.ring = ring
    this.#replace = ring.replace
    this.sources = [...(fixed.length > 0 ? ['server.keys'] : []), ...[...read.keys()].map(({ name }) => name)]
    this.#loading = loading
    this.#replaceKeys()
  }

  /** Whether a key is short enough to be guessed. For keys in the config only digests are known. */
  hasShortKey(): boolean {
    return [...this.#loading.read.values()].flat().some(({ isShort }) => isShort === true)
  }

  /** Reads every source again. If one fails, its last keys stay valid and the failure is logged. */
  reload(log: Log): Promise<void> {
    this.#lastReload = this.#lastReload.then(() => this.#reloadSources(log))
    return this.#lastReload
  }

  /** Starts to reload the sources that may change. */
  watch(log: Log): void {
    const { watchedFile, asksGopass } = this.#loading
    const again = () => void this.reload(log)
    if (asksGopass) this.#refresh = setInterval(again, GOPASS_REFRESH_MS).unref()
    if (watchedFile === undefined) return
    this.#onFile = again
    watchFile(watchedFile, { interval: FILE_POLL_MS, persistent: false }, again)
  }

  close(): void {
    clearInterval(this.#refresh)
    const { watchedFile } = this.#loading
    if (watchedFile !== undefined && this.#onFile !== undefined) unwatchFile(watchedFile, this.#onFile)
  }

  async #reloadSources(log: Log): Promise<void> {
    const { read } = this.#loading
    for (const source of read.keys()) {
      try {
        const keys = toDigests(await source.read())
        const hasChanged = !sameKeys(keys, read.get(source) ?? [])
        read.set(source, keys)
        this.#replaceKeys()
        if (hasChanged) logChange(source, keys.length, log)
      } catch (error) {
        log.error({ source: source.name, reason: reasonOf(error) }, RELOAD_FAILED)
      }
    }
  }

  #replaceKeys(): void {
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
  throw apiKeysUnavailable({ source: source.name, reason: 'it contains no key' })
}

function logChange({ name }: KeySource, count: number, log: Log): void {
  if (count === 0) log.warn({ source: name }, SOURCE_EMPTY)
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
  const { name, sha256, role, rate_limit_rps: rps, rate_limit_burst: burst } = key
  const { max_approval_mode: approval, max_sandbox_mode: sandbox } = key
  return {
    digest: sha256,
    name,
    ...(role !== undefined && { role }),
    ceilings: { ...(approval !== undefined && { approval }), ...(sandbox !== undefined && { sandbox }) },
    rateLimit: { ...(rps !== undefined && { rps }), ...(burst !== undefined && { burst }) },
  }
}

function toDigests(keys: readonly string[]): NamedDigest[] {
  return keys.map((key) => ({ digest: digest(key), rateLimit: {}, isShort: key.length < SHORTEST_KEY }))
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
