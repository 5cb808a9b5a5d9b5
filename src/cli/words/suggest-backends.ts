/** The names of backends, for completion. An invalid config counts as none. */
import { NATIVE_BACKENDS } from '../../agents/adapter/agent.ts'
import type { Runtime } from '../command.ts'

export async function suggestBackends(runtime: Runtime): Promise<readonly string[]> {
  try {
    const { readConfig } = await import('../../config/read-config.ts')
    return Object.keys((await readConfig(runtime)).config.backends)
  } catch {
    return NATIVE_BACKENDS
  }
}

/** Only those that the config defines. */
export async function suggestDefinedBackends(runtime: Runtime): Promise<readonly string[]> {
  const names = await suggestBackends(runtime)
  return names.filter((name) => !NATIVE_BACKENDS.some((native) => native === name))
}

/** The agents that drover knows the command of. */
export async function suggestKnownAgents(): Promise<readonly string[]> {
  const { KNOWN_AGENTS } = await import('../../agents/acp/known-agents.ts')
  return KNOWN_AGENTS.map(({ name }) => name)
}
