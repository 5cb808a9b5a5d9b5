/** The valid API keys, stored only as digests. */

import { timingSafeEqual } from 'node:crypto'
import { type Digest, digest } from '../kit/digest.ts'
import { withoutUndefined } from '../kit/json-value.ts'
import type { APPROVAL_CEILINGS, SANDBOX_CEILINGS } from './backend.shape.ts'
import type { KEY_ROLES } from './server-settings.shape.ts'

/** `client` sees only what is its own; the others see that of every key, and `admin` manages the server. */
type KeyRole = (typeof KEY_ROLES)[number]

export type ApiKey = {
  /** What belongs to the key is stored under its id: a later key may get the same name. */
  id: string
  /** Its name in logs and metrics: the name in the config, or the start of its digest. */
  name: string
  role: KeyRole
  /** Replaces the server's own limits. */
  rateLimit: { rps?: number; burst?: number }
  /** Replace `server.max_approval_mode` and `server.max_sandbox_mode`. */
  ceilings: {
    approval?: (typeof APPROVAL_CEILINGS)[number]
    sandbox?: (typeof SANDBOX_CEILINGS)[number]
    /** Its agents run inside of a boundary. */
    requiresSandbox?: boolean
    /** Whether its agents have their own tools. */
    agentTools?: 'all' | 'none'
    /** The MCP servers that its agents may use. */
    mcpServers?: readonly string[]
    /** The directories that its agents may work in. */
    directories?: readonly string[]
    /** The agents that it may use. */
    backends?: readonly string[]
  }
  /** It may move branches of the user. */
  mayMerge?: boolean
  /** Replaces `server.fallback_rules`. */
  fallback?: readonly string[] | undefined
  /** How much it may use, such as `20usd/day`. */
  budgets?: readonly string[] | undefined
}

export type KeyRing = {
  /** Whether requests need a key. It never changes: if a source becomes empty, no key is valid, but the server stays closed. */
  isRequired: boolean
  find(key: string): ApiKey | undefined
  /** The key with this digest, if it is still valid. */
  withDigest(digest: Digest): ApiKey | undefined
  /** The valid key with this id. */
  withId(id: string): ApiKey | undefined
  /** The valid keys to which the config gives no id. Their ids are made from their digests. */
  withoutOwnId(): ApiKey[]
  /** All keys that are valid. */
  list(): ApiKey[]
}

export type NamedDigest = {
  digest: string
  id?: string | undefined
  name?: string
  /** `client` if undefined. */
  role?: KeyRole | undefined
  rateLimit: ApiKey['rateLimit']
  ceilings?: ApiKey['ceilings']
  mayMerge?: boolean
  fallback?: ApiKey['fallback']
  budgets?: ApiKey['budgets']
  /** From then on it is not valid. */
  expiresAt?: string | undefined
  /** Whether it is short enough to be guessed. */
  isShort?: boolean
}

const SHORT_DIGITS = 8
const ID_DIGITS = 24

/** The id of a key to which the config gives none. */
export function keyIdOf(digestOfKey: string): string {
  return `key_${digestOfKey.replace('sha256:', '').toLowerCase().slice(0, ID_DIGITS)}`
}

export function createKeyRing({ isRequired }: { isRequired: boolean }): KeyRing & {
  replace(keys: readonly NamedDigest[]): void
} {
  let all: readonly { bytes: Buffer; key: ApiKey; hasOwnId: boolean; expiresMs: number }[] = []
  const valid = () => all.filter(({ expiresMs }) => Date.now() < expiresMs)
  /** Compares all digests in constant time, so that the time reveals nothing about any key. */
  const withDigest = (full: string) => {
    const wanted = Buffer.from(full.replace('sha256:', ''), 'hex')
    let found: ApiKey | undefined
    for (const { bytes, key: candidate } of valid()) if (timingSafeEqual(bytes, wanted)) found = candidate
    return found
  }
  return {
    isRequired,
    replace(keys) {
      all = distinct(keys).map(
        ({ digest: full, id, name, role = 'client', rateLimit, ceilings = {}, mayMerge, ...more }) => {
          const { fallback, budgets, expiresAt } = more
          const hex = full.replace('sha256:', '')
          const names = {
            id: id ?? keyIdOf(full),
            name: name ?? `key-${hex.slice(0, SHORT_DIGITS)}`,
          }
          const key = {
            ...names,
            role,
            rateLimit,
            ceilings,
            ...(mayMerge === true && { mayMerge }),
            ...withoutUndefined({ fallback, budgets }),
          }
          const expiresMs = expiresAt === undefined ? Infinity : Date.parse(expiresAt)
          return { bytes: Buffer.from(hex, 'hex'), key, hasOwnId: id !== undefined, expiresMs }
        },
      )
    },
    find: (key) => withDigest(digest(key)),
    withDigest,
    withId: (id) => valid().find(({ key }) => key.id === id)?.key,
    list: () => valid().map(({ key }) => key),
    withoutOwnId: () =>
      valid()
        .filter(({ hasOwnId }) => !hasOwnId)
        .map(({ key }) => key),
  }
}

/** Keeps the first of equal digests: that of the config, which has a name and perhaps limits. */
function distinct(keys: readonly NamedDigest[]): NamedDigest[] {
  return [...new Map(keys.toReversed().map((key) => [key.digest, key])).values()].toReversed()
}
