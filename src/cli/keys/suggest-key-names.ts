import { readConfig } from '../../config/read-config.ts'
import type { Runtime } from '../command.ts'

/** The names of the keys in the config file, for completion. Ignores all errors. */
export async function suggestKeyNames(runtime: Runtime): Promise<readonly string[]> {
  try {
    const { config } = await readConfig(runtime)
    return config.server.keys.map(({ name }) => name)
  } catch {
    return []
  }
}
