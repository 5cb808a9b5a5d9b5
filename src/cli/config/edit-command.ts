/** `config set` and `config unset`. */
import { setConfigValue, unsetConfigValue } from '../../config/edit-config.ts'
import { formatValue, maskSetting } from '../../config/show-config.ts'
import type { RunCommand } from '../command.ts'
import { findUserPaths } from '../settings.ts'

export const set: RunCommand = async (invocation) => {
  const [key = '', ...value] = invocation.args
  const path = findUserPaths(invocation).config
  const written = await setConfigValue({ path, key, value })
  await invocation.runtime.terminal.out.write(`${key} = ${formatValue(maskSetting(key, written.value))} (in ${path})\n`)
  return 0
}

export const unset: RunCommand = async (invocation) => {
  const key = invocation.args[0] ?? ''
  const path = findUserPaths(invocation).config
  const { wasSet } = await unsetConfigValue({ path, key })
  const text = wasSet ? `${key} is no longer set in ${path}` : `${key} was not set in ${path}; nothing changed`
  await invocation.runtime.terminal.out.write(`${text}\n`)
  return 0
}
