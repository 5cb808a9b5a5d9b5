/** The valid API keys, stored only as digests. */
import { timingSafeEqual } from 'node:crypto'
import { type Digest, digest } from '../kit/digest.ts'
import type { APPROVAL_CEILINGS, SANDBOX_CEILINGS } from './backend.shape.ts'
import type { KEY_ROLES } from './server.shape.ts'

/** `client` sees only its own executions; `operator` sees those of every key. */
type KeyRole = (typeof KEY_ROLES)[number]

export type ApiKey = {
  /** Its name in logs and metrics: the name in the config, or the start of its digest. */
  name: string
  role: KeyRole
  /** Replaces the server's own limits. */
  rateLimit: { rps?: number; burst?: number }
  /** Replace `server.max_approval_mode` and `server.max_sandbox_mode`. */
  ceilings: { approval?: (typeof APPROVAL_CEILINGS)[number]; sandbox?: (typeof SANDBOX_CEILINGS)[number] }
}

export type KeyRing = {
  /** Whether requests need a key. It never changes: if a source becomes empty, no key is valid, but the server stays closed. */
  isRequired: boolean
  find(key: string): ApiKey | undefined
  /** The key with this digest, if it is still valid. */
  withDigest(digest: Digest): ApiKey | undefined
  /** The valid key with this name. */
  named(name: string): ApiKey | undefined
}

export type NamedDigest = {
  digest: string
  name?: string
  /** `client` if undefined. */
  role?: KeyRole
  rateLimit: ApiKey['rateLimit']
  ceilings?: ApiKey['ceilings']
  /** Whether it is short enough to be guessed. */
  isShort?: boolean
}

const SHORT_DIGITS = 8

export function createKeyRing({ isRequired }: { isRequired: boolean }): KeyRing & {
  replace(keys: readonly NamedDigest[]): void
} {
  let entries: readonly { bytes: Buffer; key: ApiKey }[] = []
  /** Compares all digests in constant time, so that the time reveals nothing about any key. */
  const withDigest = (full: string) => {
    const wanted = Buffer.from(full.replace('sha256:', ''), 'hex')
    let found: ApiKey | undefined
    for (const { bytes, key: candidate } of entries) if (timingSafeEqual(bytes, wanted)) found = candidate
    return found
  }
  return {
    isRequired,
    replace(keys) {
      entries = distinct(keys).map(({ digest: full, name, role = 'client', rateLimit, ceilings = {} }) => {
        const hex = full.replace('sha256:', '')
        const key = { name: name ?? `key-${hex.slice(0, SHORT_DIGITS)}`, role, rateLimit, ceilings }
        return { bytes: Buffer.from(hex, 'hex'), key }
      })
    },
    find: (key) => withDigest(digest(key)),
    withDigest,
    named: (name) => entries.find(({ key }) => key.name === name)?.key,
  }
}

/** Keeps the first of equal digests: that of the config, which has a name and perhaps limits. */
function distinct(keys: readonly NamedDigest[]): NamedDigest[] {
  return [...new Map(keys.toReversed().map((key) => [key.digest, key])).values()].toReversed()
}
