import { findKey, findMap } from '../../config/setting-keys.ts'
import type { Invocation } from '../command.ts'
import { askStatus } from '../local/local-server.ts'

/** Says so if a server of this user keeps the old value until it is restarted. */
export async function noteRestart(invocation: Invocation, key: string): Promise<void> {
  if ((findKey(key) ?? findMap(key))?.applies !== undefined) return
  const server = await askStatus(invocation).catch(() => undefined)
  if (server === undefined) return
  const how = server.is_background ? 'restart it with "drover down && drover up"' : 'restart it'
  await invocation.runtime.terminal.err.write(
    `drover: note: the running server (process ${server.pid}) uses the new value of ${key} after a restart; ${how}\n`,
  )
}
