/**
 * The API keys of the server. They come from up to four sources; the keys of all configured sources are valid. If a
 * configured source provides no key, the server does not start: a missing key must never open it. After loading, only
 * digests are kept in memory.
 */

import { unwatchFile, watchFile } from 'node:fs'
import { resolve } from 'node:path'
import { digest } from '../kit/digest.ts'
import { toErrorMessage } from '../kit/fault.ts'
import { programNotFound } from '../kit/faults.ts'
import { readFileText } from '../kit/files/read-file.ts'
import { withoutUndefined } from '../kit/json-value.ts'
import type { Log } from '../kit/log.ts'
import { type Environment, toChildEnvironment } from '../kit/process/child-environment.ts'
import { findProgram } from '../kit/process/find-program.ts'
import { runProcess } from '../kit/process/process.ts'
import type { Config } from './config.shape.ts'
import { apiKeysReadable, apiKeysUnavailable, apiKeyUnusable, gopassFailed } from './faults.ts'
import { type ApiKey, createKeyRing, type KeyRing, type NamedDigest } from './key-ring.ts'

export type { ApiKey, KeyRing }

export type ApiKeyOptions = {
  env: Environment
  /** Variables that other programs can read in the environment of this process. */
  readableVariables: readonly string[]
  cwd: string
  server: Pick<Config['server'], 'keys' | 'api_keys_gopass_path'>
  /** The config file, and how to read `server.keys` again. Undefined: these keys never change. */
  configFile?: { path: string; readKeys: () => Promise<ServerKeys> }
}

type ServerKeys = Config['server']['keys']

/** A random key of this length (letters and digits) has more than 80 bits. */
const SHORTEST_KEY = 16

/** Often enough that a revoked key is not used for long, rarely enough to cost nothing. */
const FILE_POLL_MS = 500
const GOPASS_REFRESH_MS = 5 * 60 * 1000

const RELOADED = 'API keys were reloaded and have changed'
const NOT_REQUIRED = 'a key was added, but this server was started without keys and is still open; restart it'
const SOURCE_EMPTY = 'a source of API keys is now empty; its previous keys are no longer valid'
const RELOADED_AGAIN = 'API keys can be reloaded again; they have not changed'
const RELOAD_FAILED = 'API keys could not be reloaded; the previous keys stay valid'

/**
 * Reads every configured source. Throws `api_keys_unavailable` if one provides no key, and `api_keys_readable` if agents could
 * read the keys.
 */
export async function loadApiKeys(options: ApiKeyOptions): Promise<ApiKeys> {
  const { env, readableVariables, cwd, server, configFile } = options
  const { DROVER_API_KEYS: listed, DROVER_API_KEYS_FILE: file } = env
  refuseEmpty({ DROVER_API_KEYS: listed, DROVER_API_KEYS_FILE: file })
  if (listed !== undefined && readableVariables.includes('DROVER_API_KEYS')) throw apiKeysReadable({})
  const watchedFile = file === undefined ? undefined : resolve(cwd, file)
  const gopassPath = server.api_keys_gopass_path
  const plain: KeySource[] = [
    ...(listed === undefined ? [] : [variableKeys(listed)]),
    ...(watchedFile === undefined ? [] : [fileKeys(watchedFile)]),
    ...(gopassPath === '' ? [] : [gopassKeys(gopassPath, { env, cwd })]),
  ]
  const readKeys = configFile?.readKeys ?? (async () => server.keys)
  const listedInConfig = { name: 'server.keys', read: async () => (await readKeys()).map(toNamedDigest) }
  const read = new Map<DigestSource, readonly NamedDigest[]>([[listedInConfig, server.keys.map(toNamedDigest)]])
  for (const { name, read: readPlain } of plain) {
    const source = { name, read: async () => toDigests(refuseDigests(await readPlain(), name, server.keys)) }
    read.set(source, await firstKeys(source))
  }
  const watchedFiles = [watchedFile, configFile?.path].filter((path) => path !== undefined)
  return new ApiKeys({ read, watchedFiles, asksGopass: gopassPath !== '' })
}

type DigestSource = { name: string; read(): Promise<NamedDigest[]> }

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
  /** The keys of the config come first, so that their names and limits win. */
  read: Map<DigestSource, readonly NamedDigest[]>
  watchedFiles: readonly string[]
  asksGopass: boolean
}

export class ApiKeys {
  readonly ring: KeyRing
  /** The names of the sources, for messages. */
  readonly sources: readonly string[]
  readonly #loading: Loading
  readonly #replace: (keys: readonly NamedDigest[]) => void
  /** Reloads of one source run one after the other, so that an older result never replaces a newer one. */
  readonly #lastReloads = new Map<DigestSource, Promise<void>>()
  readonly #failed = new Set<DigestSource>()
  #unwatch: (() => void) | undefined

  constructor(loading: Loading) {
    this.sources = [...loading.read].filter(([, keys]) => keys.length > 0).map(([{ name }]) => name)
    const ring = createKeyRing({ isRequired: this.sources.length > 0 })
    this.ring = ring
    this.#replace = ring.replace
    this.#loading = loading
    this.#replaceKeys()
  }

  /** Whether a key is short enough to be guessed. For keys in the config only digests are known. */
  hasShortKey(): boolean {
    return [...this.#loading.read.values()].flat().some(({ isShort }) => isShort === true)
  }

  /**
   * Reads every source again. If one fails, its last keys stay valid and the failure is logged. No source waits for another, so
   * that a slow one does not delay that a key is revoked elsewhere.
   */
  async reload(log: Log): Promise<void> {
    const sources = [...this.#loading.read.keys()]
    const reloads = sources.map((source) => {
      const before = this.#lastReloads.get(source) ?? Promise.resolve()
      const reload = before.then(() => this.#reloadSource(source, log))
      this.#lastReloads.set(source, reload)
      return reload
    })
    await Promise.all(reloads)
  }

  /** Starts to reload the sources that may change. */
  watch(log: Log): void {
    const { watchedFiles, asksGopass } = this.#loading
    const again = () => void this.reload(log)
    const refresh = asksGopass ? setInterval(again, GOPASS_REFRESH_MS).unref() : undefined
    for (const file of watchedFiles) watchFile(file, { interval: FILE_POLL_MS, persistent: false }, again)
    this.#unwatch = () => {
      clearInterval(refresh)
      for (const file of watchedFiles) unwatchFile(file, again)
    }
  }

  close(): void {
    this.#unwatch?.()
  }

  async #reloadSource(source: DigestSource, log: Log): Promise<void> {
    const { read } = this.#loading
    try {
      const keys = await source.read()
      const hasChanged = !sameKeys(keys, read.get(source) ?? [])
      read.set(source, keys)
      this.#replaceKeys()
      const isBack = this.#failed.delete(source)
      if (hasChanged) logChange(source, keys.length, log)
      else if (isBack) log.info({ source: source.name, count: keys.length }, RELOADED_AGAIN)
      if (hasChanged && !this.ring.isRequired) log.warn({ source: source.name }, NOT_REQUIRED)
    } catch (error) {
      this.#failed.add(source)
      log.error({ source: source.name, reason: toErrorMessage(error) }, RELOAD_FAILED)
    }
  }

  #replaceKeys(): void {
    this.#replace([...this.#loading.read.values()].flat())
  }
}

async function firstKeys(source: DigestSource): Promise<NamedDigest[]> {
  try {
    const keys = await source.read()
    if (keys.length > 0) return keys
  } catch (error) {
    throw apiKeysUnavailable({ source: source.name, reason: toErrorMessage(error) }, error)
  }
  throw apiKeysUnavailable({ source: source.name, reason: 'it contains no key' })
}

function logChange({ name }: DigestSource, count: number, log: Log): void {
  if (count === 0) log.warn({ source: name }, SOURCE_EMPTY)
  else log.info({ source: name, count }, RELOADED)
}

function sameKeys(some: readonly NamedDigest[], others: readonly NamedDigest[]): boolean {
  const listOf = (keys: readonly NamedDigest[]) =>
    keys
      .map((key) => JSON.stringify(key))
      .sort()
      .join()
  return listOf(some) === listOf(others)
}

function toNamedDigest(key: ServerKeys[number]): NamedDigest {
  const { id, name, sha256, role, fallback, budgets, expires_at: expiresAt, directories, backends } = key
  return {
    digest: sha256,
    id,
    name,
    role,
    ...(key.may_merge === true && { mayMerge: true }),
    ...withoutUndefined({ fallback, budgets, expiresAt }),
    ceilings: withoutUndefined({
      approval: key.max_approval_mode,
      sandbox: key.max_sandbox_mode,
      requiresSandbox: key.requires_sandbox || undefined,
      agentTools: key.agent_tools,
      mcpServers: key.mcp_servers,
      directories,
      backends,
    }),
    rateLimit: withoutUndefined({ rps: key.rate_limit_rps, burst: key.rate_limit_burst }),
  }
}

function toDigests(keys: readonly string[]): NamedDigest[] {
  return keys.map((key) => ({ digest: digest(key), rateLimit: {}, isShort: key.length < SHORTEST_KEY }))
}

type KeySource = {
  /** For messages. */
  name: string
  /** May return no keys. Throws if the source cannot be read or a key cannot be used. */
  read(): Promise<string[]>
}

const MAX_BYTES = 1_048_576
const GOPASS_MS = 5000
const KEYS_VARIABLE = 'DROVER_API_KEYS'

function variableKeys(text: string): KeySource {
  return { name: KEYS_VARIABLE, read: async () => parseKeys(text, KEYS_VARIABLE) }
}

function fileKeys(path: string): KeySource {
  const name = `the file ${path} (DROVER_API_KEYS_FILE)`
  // Follows links, because secrets are usually mounted as links.
  return { name, read: async () => parseKeys(readFileText({ path, limitBytes: MAX_BYTES, links: 'follow' }), name) }
}

function gopassKeys(path: string, options: { env: Environment; cwd: string }): KeySource {
  const name = `gopass ${path}`
  return { name, read: async () => parseKeys(await askGopass(path, options), name) }
}

async function askGopass(path: string, { env, cwd }: { env: Environment; cwd: string }): Promise<string> {
  const gopass = findProgram('gopass', { env, cwd })
  if (gopass === undefined) throw programNotFound({ program: 'gopass' })
  const { exit, stdout } = await runProcess(
    {
      argv: [gopass, 'show', '--password', path],
      shownAs: 'gopass',
      cwd,
      env: toChildEnvironment(env),
      timeoutMs: GOPASS_MS,
      signal: new AbortController().signal,
      // It may start the agent that caches the passphrase, which must keep running.
      sweep: 'when-ended',
    },
    { stdoutLimitBytes: MAX_BYTES },
  )
  if (exit.ended === 'timeout') throw gopassFailed({ path, reason: `no answer within ${GOPASS_MS / 1000} seconds` })
  if (exit.code !== 0) throw gopassFailed({ path, reason: exit.stderrTail.trim() || `exit code ${exit.code}` })
  return stdout.toString('utf8')
}

/** The characters that a header can carry; any other key would never match. */
const USABLE_KEY = /^[\x21-\x7e]+$/

/** As the config file has it. A digest alone may be a random key, unless it is one of that file. */
const MARKED_DIGEST = /^(?:- *)?sha256: *[0-9a-f]{64}$/i

/** A digest is no secret: as a key, it would let in everyone who can read the config file. */
function refuseDigests(keys: string[], source: string, listed: ServerKeys): string[] {
  const known = listed.map(({ sha256 }) => sha256.replace('sha256:', '').toLowerCase())
  const wrong = keys.findIndex((key) => known.includes(key.toLowerCase()))
  if (wrong !== -1) throw apiKeyUnusable({ source, number: wrong + 1, isDigest: true })
  return keys
}

/** Parses keys separated by commas or line ends. An error names an unusable key by its number, never by its text. */
function parseKeys(text: string, source: string): string[] {
  const keys = text
    .split(/[,\r\n]/)
    .map((key) => key.trim())
    .filter((key) => key !== '')
  const wrong = keys.findIndex((key) => MARKED_DIGEST.test(key) || !USABLE_KEY.test(key))
  if (wrong !== -1) throw apiKeyUnusable({ source, number: wrong + 1, isDigest: MARKED_DIGEST.test(keys[wrong] ?? '') })
  return keys
}
