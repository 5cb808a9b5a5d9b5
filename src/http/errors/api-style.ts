/** Which API a request is meant for, by its path. It decides the format of errors, also where there is no endpoint. Pure. */
import type { IncomingHttpHeaders } from 'node:http'

export type ApiStyle = 'native' | 'chat' | 'message'

/** Paths of the vendors' APIs, which clients with a wrong base URL call without the prefix of the API. */
const CHAT_PATHS = [
  '/chat',
  '/completions',
  '/responses',
  '/conversations',
  '/models',
  '/embeddings',
  '/images',
  '/audio',
  '/moderations',
]

/** Both vendors have the path `/v1/models`. Only clients of the message API send a version header. */
export function findApiStyle(url: string, headers: IncomingHttpHeaders = {}): ApiStyle {
  if (isUnder(url, '/openai')) return 'chat'
  if (isUnder(url, '/anthropic')) return 'message'
  const isVersioned = isUnder(url, '/v1')
  const rest = isVersioned ? url.slice('/v1'.length) : url
  if (isUnder(rest, '/messages')) return 'message'
  if (!isVersioned && !CHAT_PATHS.some((path) => isUnder(rest, path))) return 'native'
  return isMessageClient(headers) ? 'message' : 'chat'
}

export function isMessageClient(headers: IncomingHttpHeaders): boolean {
  return headers['anthropic-version'] !== undefined
}

function isUnder(url: string, prefix: string): boolean {
  return url.startsWith(prefix) && /^(?:[/?#]|$)/.test(url.slice(prefix.length))
}
