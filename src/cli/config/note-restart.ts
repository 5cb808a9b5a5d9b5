import { findKey, findMap } from '../../config/setting-keys.ts'
import type { Invocation } from '../command.ts'
import { restartCommand } from '../local/background-server.ts'
import { askStatus } from '../local/local-server.ts'
import { findNamedConfig } from '../settings.ts'

/** Says so if a server of this user keeps the old value until it is restarted. */
export async function noteRestart(invocation: Invocation, key: string): Promise<void> {
  if ((findKey(key) ?? findMap(key))?.applies !== undefined) return
  const server = await askStatus(invocation).catch(() => undefined)
  if (server === undefined) return
  // It does not use the file that was changed.
  if (server.config_file !== findNamedConfig(invocation)) return
  const how = server.is_background ? `restart it with ${restartCommand(invocation)}` : 'restart it'
  await invocation.runtime.terminal.err.write(
    `drover: note: the running server (process ${server.pid}) uses the new value of ${key} after a restart; ${how}\n`,
  )
}
