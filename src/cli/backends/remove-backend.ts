import { removeBackendSection } from '../../config/edit-config.ts'
import type { RunCommand } from '../command.ts'
import { findUserPaths, readSettings } from '../settings.ts'
import { definedIn } from './add.ts'
import { backendNotDefined } from './faults.ts'

export const run: RunCommand = async (invocation) => {
  const [name = ''] = invocation.args
  const { config } = await readSettings(invocation)
  const known = definedIn(config)
  if (!known.includes(name)) throw backendNotDefined({ name, known })
  const { config: path } = findUserPaths(invocation)
  await removeBackendSection({ path, name })
  await invocation.runtime.terminal.out.write(`${name} is no longer a backend (removed from ${path})\n`)
  return 0
}
