/** Names that the config defines, for completion. An invalid config counts as none. */
import { NATIVE_BACKENDS } from '../../agents/adapter/agent.ts'
import type { Config } from '../../config/config.shape.ts'
import type { Runtime } from '../command.ts'

async function tryToReadConfig(runtime: Runtime): Promise<Config | undefined> {
  try {
    const { readConfig } = await import('../../config/read-config.ts')
    return (await readConfig(runtime)).config
  } catch {
    return undefined
  }
}

export async function suggestBackends(runtime: Runtime): Promise<readonly string[]> {
  const config = await tryToReadConfig(runtime)
  return config === undefined ? NATIVE_BACKENDS : Object.keys(config.backends)
}

/** Only those that the config defines. */
export async function suggestDefinedBackends(runtime: Runtime): Promise<readonly string[]> {
  const names = await suggestBackends(runtime)
  return names.filter((name) => !NATIVE_BACKENDS.some((native) => native === name))
}

/** The agents that drover knows the command of. */
export async function suggestKnownAgents(): Promise<readonly string[]> {
  const { KNOWN_AGENTS } = await import('../../agents/acp/known-agents.ts')
  const { namesInRegistry, REGISTRY } = await import('../../agents/acp/registry.ts')
  return [...new Set([...KNOWN_AGENTS.map(({ name }) => name), ...namesInRegistry(REGISTRY)])]
}

export async function suggestKeyNames(runtime: Runtime): Promise<readonly string[]> {
  const config = await tryToReadConfig(runtime)
  return config?.server.keys.map(({ name }) => name) ?? []
}
