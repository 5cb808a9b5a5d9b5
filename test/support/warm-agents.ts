/** Scripted agents that stay up (test/programs/warm-*.mjs). */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentRequest } from '../../src/agents/adapter/agent.ts'
import { program } from './test-command.ts'

export type WarmBackend = 'claude' | 'codex'

/** Writes executables `claude` and `codex` into the directory, for PATH; each starts the scripted agent. */
export function installWarmAgents(directory: string): string {
  mkdirSync(directory, { recursive: true })
  for (const backend of ['claude', 'codex'] as const) {
    const start = `exec '${process.execPath}' '${program(`warm-${backend}.mjs`)}' "$@"\n`
    writeFileSync(join(directory, backend), `#!/bin/sh\n${start}`, { mode: 0o755 })
  }
  return directory
}

/** The program of a request that starts the scripted agent directly. */
export function warmProgram(backend: WarmBackend): AgentRequest['program'] {
  return [process.execPath, program(`warm-${backend}.mjs`)]
}
