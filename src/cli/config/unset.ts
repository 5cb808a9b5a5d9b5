import { unsetConfigValue } from '../../config/edit-config.ts'
import { findPaths } from '../../config/paths.ts'
import type { Run } from '../command.ts'
import { surroundingsOf } from '../settings.ts'

export const run: Run = async (invocation) => {
  const key = invocation.args[0] ?? ''
  const path = findPaths(surroundingsOf(invocation)).config
  const { wasSet } = await unsetConfigValue({ path, key })
  const text = wasSet ? `${key} is no longer set in ${path}` : `${key} was not set in ${path}; nothing changed`
  await invocation.runtime.terminal.out.write(`${text}\n`)
  return 0
}
