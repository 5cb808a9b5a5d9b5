import { setConfigValue } from '../../config/edit-config.ts'
import { findPaths } from '../../config/paths.ts'
import { formatValue } from '../../config/show-config.ts'
import type { Run } from '../command.ts'
import { surroundingsOf } from '../settings.ts'

export const run: Run = async (invocation) => {
  const [key = '', ...value] = invocation.args
  const path = findPaths(surroundingsOf(invocation)).config
  const written = await setConfigValue({ path, key, value })
  await invocation.runtime.terminal.out.write(`${key} = ${formatValue(written.value)} (in ${path})\n`)
  return 0
}
