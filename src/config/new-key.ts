/** New API keys, and keys as they may be shown. */
import { digest } from '../kit/digest.ts'
import type { Ids } from '../kit/ids.ts'
import type { ServerKey } from './edit-keys.ts'
import { apiKeyExpired } from './faults.ts'

/** 192 bits: a digest of such a key needs no salt. */
const KEY_BYTES = 24
const ID_BYTES = 12

/** What can be said of a key when it is created. */
export type NewKey = Omit<ServerKey, 'id' | 'sha256' | 'fallback'>

/** The prefix lets logs and scanners recognize a key. */
export function newSecret(ids: Ids): { key: string; sha256: string } {
  const key = `drover_key_${ids.hex(KEY_BYTES)}`
  return { key, sha256: digest(key).replace('sha256:', '') }
}

/** The entry for the config file, and the key itself, which is shown once. Throws `api_key_expired`. */
export function createKey(wanted: NewKey, { ids, now }: { ids: Ids; now: Date }): { entry: ServerKey; key: string } {
  const { name, expires_at: expires, ...limits } = wanted
  if (expires !== undefined && new Date(expires) <= now) throw apiKeyExpired({ name, expires })
  const { key, sha256 } = newSecret(ids)
  const entry = { name, id: `key_${ids.hex(ID_BYTES)}`, sha256, ...limits, ...(expires && { expires_at: expires }) }
  return { entry, key }
}

export type ShownKey = Omit<ServerKey, 'sha256' | 'role'> & { role: NonNullable<ServerKey['role']> }

/** Without its digest, which tells a reader nothing. */
export function toShownKey({ sha256: _, ...entry }: ServerKey): ShownKey {
  return { ...entry, role: entry.role ?? 'client' }
}
