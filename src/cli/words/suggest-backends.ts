import { NATIVE_BACKENDS } from '../../agents/adapter/agent.ts'
import type { Runtime } from '../command.ts'

/** The names of all backends, for completion. An invalid config counts as none. */
export async function suggestBackends(runtime: Runtime): Promise<readonly string[]> {
  try {
    const { readConfig } = await import('../../config/read-config.ts')
    return Object.keys((await readConfig(runtime)).config.backends)
  } catch {
    return NATIVE_BACKENDS
  }
}
