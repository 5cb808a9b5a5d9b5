/** Finds the key that a name means, and explains names that are not keys. */
import type { Problem } from '../kit/schema.ts'
import { configKeyUnknown } from './faults.ts'
import {
  CONFIG_KEYS,
  type ConfigKey,
  definedBackend,
  findKey,
  findMap,
  isSection,
  isWithin,
  keysOfBackend,
  suggestKey,
} from './setting-keys.ts'

/** A key, or with `entry` one entry of a map such as `backends.codex.model_aliases.fast`. */
export type ResolvedKey = { key: ConfigKey; entry?: string; steps: readonly string[] }

/** Finds the key that a person named; throws `config_key_unknown` with a suggestion. */
export function resolveKey(name: string): ResolvedKey {
  const key = findKey(name)
  if (key !== undefined) return { key, steps: name.split('.') }
  const map = findMap(name)
  if (map === undefined || name.length === map.path.length + 1)
    throw configKeyUnknown({ key: name, reason: explainName(name) })
  const entry = name.slice(map.path.length + 1)
  return { key: map, entry, steps: [...map.path.split('.'), entry] }
}

function explainName(name: string): string {
  if (isSection(name)) {
    const own = definedBackend(name)
    const first = (own === undefined ? CONFIG_KEYS : keysOfBackend(own)).find(({ path }) => isWithin(path, name))
    return `is a section; name one of its keys, such as ${first?.path}`
  }
  const reason = explainUnknownKey(name)
  return reason === UNKNOWN ? `${UNKNOWN}; drover config show lists all keys` : reason
}

const UNKNOWN = 'is not a known key'

/** Why a path is not a key, to follow it in a sentence. */
export function explainUnknownKey(path: string): string {
  const unsupported = UNSUPPORTED_KEYS.find((key) => isWithin(path, key.path))
  if (unsupported !== undefined) return `is not supported: ${unsupported.reason}`
  const nearest = suggestKey(path)
  return nearest === undefined ? UNKNOWN : `${UNKNOWN}; did you mean ${nearest}?`
}

const PLAIN_KEY =
  'the file may not contain API keys; set DROVER_API_KEYS, keep them in gopass (server.api_keys_gopass_path) or list their SHA-256 digests in server.keys'

/** Keys of similar programs. To ignore them would promise what drover does not do. */
export const UNSUPPORTED_KEYS: readonly { path: string; reason: string }[] = [
  {
    path: 'session.auto_resume',
    reason: 'a prompt never continues a session on its own, because the context of one project would leak into another',
  },
  { path: 'retry', reason: 'drover never repeats a prompt on its own, because a failed prompt may have changed files' },
  { path: 'mcp', reason: 'MCP has no separate settings; drover mcp and /mcp use the others' },
  {
    path: 'server.policy',
    reason: 'drover has no policy rules; use API keys, rate limits and server.allowed_workdir_prefixes',
  },
  { path: 'server.api_keys', reason: PLAIN_KEY },
  { path: 'server.api_key', reason: PLAIN_KEY },
]

/** Field names that suggest a key in plain text. */
const PLAIN_KEY_FIELDS = ['key', 'api_key', 'secret', 'token', 'password', 'value']

/** Finds the entries of `server.keys` that hold a key itself, or seem to, instead of its digest. */
export function findPlainKeys(entries: unknown): Problem[] {
  if (!Array.isArray(entries)) return []
  return entries.flatMap((entry: unknown, index) => {
    const path = `server.keys[${index}]`
    if (typeof entry === 'string') return [{ path, rule: `is not supported: ${PLAIN_KEY}` }]
    if (typeof entry !== 'object' || entry === null) return []
    const fields = PLAIN_KEY_FIELDS.filter((field) => Object.hasOwn(entry, field))
    return fields.map((field) => ({ path: `${path}.${field}`, rule: `is not supported: ${PLAIN_KEY}` }))
  })
}
