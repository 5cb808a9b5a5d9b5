import { join } from 'node:path'
import type { AgentRequest } from '../adapter/agent.ts'
import { hasText } from '../adapter/flags.ts'
import { hasTraces } from '../adapter/login-traces.ts'
import { NO_SURROUNDINGS, namesIn, readInstructions, type Surroundings, userHome } from '../adapter/surroundings.ts'

/** The first one counts. */
const INSTRUCTION_FILES = ['AGENTS.override.md', 'AGENTS.md']

export function readSurroundings({ env, workdir }: Pick<AgentRequest, 'env' | 'workdir'>): Surroundings {
  const texts = INSTRUCTION_FILES.map((name) => readInstructions(workdir, name))
  return { ...NO_SURROUNDINGS, instructions: texts.find(hasText) ?? '', homeEntries: namesIn(codexHome(env)) }
}

export function codexHome(env: AgentRequest['env']): string {
  return env['CODEX_HOME'] || join(userHome(env), '.codex')
}

/** With `config.toml`, codex may use another service, or keep its login in a keyring. */
export function hasLogin(env: AgentRequest['env']): boolean {
  const files = ['auth.json', 'config.toml'].map((name) => join(codexHome(env), name))
  return hasTraces(env, { files, variables: ['OPENAI_API_KEY', 'CODEX_API_KEY'] })
}
