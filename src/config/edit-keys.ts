/** Adds keys to `server.keys` in the config file and removes them. The file gets only the digest of a key. */
import { isMap, isSeq, type YAMLSeq } from 'yaml'
import { digest } from '../kit/digest.ts'
import type { Ids } from '../kit/ids.ts'
import { nearestWord } from '../kit/match-names.ts'
import type { Config } from './config.shape.ts'
import { changeFile, removeIn, setIn } from './edit-config.ts'
import { apiKeyExists, apiKeyExpired, apiKeyNotFound } from './faults.ts'
import { keyIdOf } from './key-ring.ts'

const STEPS = ['server', 'keys'] as const

/** The operator may run this as root for a server that runs as another user and must still be able to read the file. */
const EDIT = { key: STEPS.join('.') }

export type ServerKey = Config['server']['keys'][number]

export async function addServerKey({ path, entry }: { path: string; entry: ServerKey }): Promise<void> {
  await changeFile({ path, ...EDIT }, (document) => {
    const keys = document.getIn(STEPS)
    if (!isSeq(keys) || keys.items.length === 0) return setIn(document, { steps: STEPS, value: [entry] })
    if (namesIn(keys).includes(entry.name)) throw apiKeyExists({ name: entry.name, file: path })
    // Added to the existing list, which keeps the comments in it.
    keys.add(document.createNode(entry))
    return true
  })
}

/** What belongs to the key stays its own: an id that was made from the old digest is written down. */
export async function rotateServerKey(serverKey: Pick<ServerKey, 'name' | 'sha256'> & { path: string }): Promise<void> {
  const { path, name, sha256 } = serverKey
  await changeFile({ path, ...EDIT }, (document) => {
    const keys = document.getIn(STEPS)
    const names = isSeq(keys) ? namesIn(keys) : []
    const item = isSeq(keys) ? keys.items[names.indexOf(name)] : undefined
    if (!isMap(item)) throw apiKeyNotFound({ name, file: path, nearest: nearestWord(name, names) })
    if (!item.has('id')) item.set('id', keyIdOf(String(item.get('sha256'))))
    item.set('sha256', sha256)
    return true
  })
}

/** Returns how many keys are left in the file. */
export async function removeServerKey({ path, name }: { path: string; name: string }): Promise<{ left: number }> {
  let left = 0
  await changeFile({ path, ...EDIT }, (document) => {
    const keys = document.getIn(STEPS)
    const names = isSeq(keys) ? namesIn(keys) : []
    const at = names.indexOf(name)
    if (!isSeq(keys) || at === -1) throw apiKeyNotFound({ name, file: path, nearest: nearestWord(name, names) })
    left = names.length - 1
    return left === 0 ? removeIn(document, STEPS) : keys.delete(at)
  })
  return { left }
}

function namesIn({ items }: YAMLSeq): string[] {
  return items.map((item) => (isMap(item) ? String(item.get('name')) : ''))
}

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
