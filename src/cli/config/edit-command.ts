/** `config set` and `config unset`. */
import { setConfigValue, unsetConfigValue } from '../../config/edit-config.ts'
import { findKey, findMap } from '../../config/setting-keys.ts'
import { formatValue, maskSetting } from '../../config/show-config.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { askStatus } from '../local/local-server.ts'
import { findUserPaths } from '../settings.ts'

export const set: RunCommand = async (invocation) => {
  const [key = '', ...value] = invocation.args
  const path = findUserPaths(invocation).config
  const written = await setConfigValue({ path, key, value })
  await invocation.runtime.terminal.out.write(`${key} = ${formatValue(maskSetting(key, written.value))} (in ${path})\n`)
  await noteRestart(invocation, key)
  return 0
}

/** Says so if a server of this user keeps the old value until it is restarted. */
async function noteRestart(invocation: Invocation, key: string): Promise<void> {
  if ((findKey(key) ?? findMap(key))?.applies !== undefined) return
  const server = await askStatus(invocation).catch(() => undefined)
  if (server === undefined) return
  const how = server.is_background ? 'restart it with "drover down && drover up"' : 'restart it'
  await invocation.runtime.terminal.err.write(
    `drover: note: the running server (process ${server.pid}) uses the new value of ${key} after a restart; ${how}\n`,
  )
}

export const unset: RunCommand = async (invocation) => {
  const key = invocation.args[0] ?? ''
  const path = findUserPaths(invocation).config
  const { wasSet } = await unsetConfigValue({ path, key })
  const text = wasSet ? `${key} is no longer set in ${path}` : `${key} was not set in ${path}; nothing changed`
  await invocation.runtime.terminal.out.write(`${text}\n`)
  if (wasSet) await noteRestart(invocation, key)
  return 0
}
