/** Keys known from similar programs. Accepting them in silence would promise what drover does not do. */
import type { Problem } from '../kit/schema.ts'
import { isWithin } from './keys.ts'

const PLAIN_KEY =
  'API keys are not written into the file as they are; set DROVER_API_KEYS, keep them in gopass (server.api_keys_gopass_path) or list their SHA-256 digests in server.keys'

export const UNSUPPORTED_KEYS: readonly { path: string; reason: string }[] = [
  {
    path: 'session.auto_resume',
    reason: 'a prompt never continues a session by itself, which would carry one project into another',
  },
  { path: 'retry', reason: 'drover runs no prompt again by itself, because a failed run may have changed files' },
  { path: 'mcp', reason: 'drover is not an MCP server' },
  {
    path: 'server.policy',
    reason: 'drover has no policy rules; use API keys, rate limits and server.allowed_workdir_prefixes',
  },
  { path: 'server.api_keys', reason: PLAIN_KEY },
  { path: 'server.api_key', reason: PLAIN_KEY },
]

/** Why a key that drover does not have is refused, where there is more to say than that it is unknown. */
export function unsupportedReason(path: string): string | undefined {
  return UNSUPPORTED_KEYS.find((key) => isWithin(path, key.path))?.reason
}

/** The names under which a key is written as it is. */
const PLAIN_KEY_FIELDS = ['key', 'api_key', 'secret', 'token', 'password', 'value']

/** The places in a value of `server.keys` where a key itself stands, or seems to, instead of its digest. */
export function findPlainKeys(entries: unknown): Problem[] {
  if (!Array.isArray(entries)) return []
  return entries.flatMap((entry: unknown, index) => {
    const place = `server.keys[${index}]`
    if (typeof entry === 'string') return [{ path: place, rule: `is not supported: ${PLAIN_KEY}` }]
    if (typeof entry !== 'object' || entry === null) return []
    const fields = PLAIN_KEY_FIELDS.filter((field) => Object.hasOwn(entry, field))
    return fields.map((field) => ({ path: `${place}.${field}`, rule: `is not supported: ${PLAIN_KEY}` }))
  })
}
