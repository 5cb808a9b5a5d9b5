/** The keys that are valid now, each known only by its digest. */
import { timingSafeEqual } from 'node:crypto'
import { digest } from '../kit/digest.ts'

export type ApiKey = {
  /** What logs and metrics call it: its name in the config, or the beginning of its digest. */
  name: string
  /** In place of the server's own limits. */
  rateLimit: { rps?: number; burst?: number }
}

export type KeyRing = {
  /** Whether requests need a key. That never changes: a source that runs dry leaves no valid key, not an open server. */
  isRequired: boolean
  find(key: string): ApiKey | undefined
}

export type NamedDigest = {
  digest: string
  name?: string
  rateLimit: ApiKey['rateLimit']
  /** Whether it has so few characters that it can be guessed. */
  isShort?: boolean
}

const SHORT_DIGITS = 8

export function createKeyRing({ isRequired }: { isRequired: boolean }): KeyRing & {
  replace(keys: readonly NamedDigest[]): void
} {
  let held: readonly { bytes: Buffer; key: ApiKey }[] = []
  return {
    isRequired,
    replace(keys) {
      held = distinct(keys).map(({ digest: full, name, rateLimit }) => {
        const hex = full.replace('sha256:', '')
        return { bytes: Buffer.from(hex, 'hex'), key: { name: name ?? `key-${hex.slice(0, SHORT_DIGITS)}`, rateLimit } }
      })
    },
    /** Digests are of one length, and all are compared, so that the time taken says nothing about any key. */
    find(key) {
      const presented = Buffer.from(digest(key).replace('sha256:', ''), 'hex')
      let found: ApiKey | undefined
      for (const { bytes, key: candidate } of held) if (timingSafeEqual(bytes, presented)) found = candidate
      return found
    },
  }
}

/** The first of equal digests stays: that of the config, which has a name and perhaps limits. */
function distinct(keys: readonly NamedDigest[]): NamedDigest[] {
  return [...new Map(keys.toReversed().map((key) => [key.digest, key])).values()].toReversed()
}
