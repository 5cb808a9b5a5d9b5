import type { ServerContext } from '../../http/context/server-context.ts'
import { type BoundAddress, baseUrl } from '../../http/listen.ts'
import type { ConsoleLink } from '../local/local-protocol.ts'

/** The address of the console. With API keys it is a link that logs the user of the server in, once. */
export function consoleLinkFor(
  { config, keys, logins }: Pick<ServerContext, 'config' | 'keys' | 'logins'>,
  bound: BoundAddress | undefined,
): ConsoleLink {
  if (bound === undefined || 'socket' in bound || !config.server.console) return { url: null, is_one_time: false }
  const page = `${baseUrl(bound)}/`
  if (!keys.isRequired) return { url: page, is_one_time: false }
  return { url: `${page}#/open/${logins.createLink()}`, is_one_time: true }
}
