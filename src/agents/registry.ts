/** The agents that drover has a dedicated adapter for. */
import { type Backend, type LineAgent, NATIVE_BACKENDS, type NativeBackend } from './adapter/agent.ts'
import { claude } from './claude/agent.ts'
import { codex } from './codex/agent.ts'
import { gemini } from './gemini/agent.ts'

export const NATIVE_AGENTS: Readonly<Record<NativeBackend, LineAgent>> = { claude, codex, gemini }

/** Undefined for a backend that the config defines. */
export function findNativeAgent(backend: Backend): LineAgent | undefined {
  const name = NATIVE_BACKENDS.find((native) => native === backend)
  return name === undefined ? undefined : NATIVE_AGENTS[name]
}
