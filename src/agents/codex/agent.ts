import { join } from 'node:path'
import type { AgentRequest, LineAgent } from '../adapter/agent.ts'
import { type BoundaryNeeds, hostsIn } from '../adapter/boundary-needs.ts'
import { takes } from '../adapter/flags.ts'
import { createOutputReader } from '../adapter/output-reader.ts'
import { toCodexCommand, toSandbox } from './command.ts'
import { CodexOutput } from './output.ts'
import { codexHome, configuredModel, configuredService, hasLogin, readSurroundings } from './surroundings.ts'

/** Settings of a `-c KEY=VALUE` that decide about the sandbox, approvals and permissions. */
const MODE_SETTING = /^\s*["']?(?:sandbox|approval|permission|default_permission|profile|project)/

export const codex: LineAgent = {
  backend: 'codex',
  executable: 'codex',
  login: 'run `codex login` in a terminal, or set the variable of the key that its config.toml names',
  hasLogin,
  // It prints whole messages only.
  silenceMs: 600_000,
  abilities: {
    deltas: false,
    resume: true,
    system_prompt: 'before the prompt',
    max_turns: false,
    output_schema: true,
    images: true,
    documents: true,
    os_sandbox: true,
    usage: { cached: true, reasoning: true },
  },
  countsApart: { cache: false, reasoning: false },
  reports: { tokens: true, cost: false, exitCodes: true },
  cancelSignal: 'SIGTERM',
  toCommand: toCodexCommand,
  configuredModel,
  boundaryNeeds: codexNeeds,
  isReadOnly: (request) => toSandbox({ ...request, boundary: undefined }) === 'read-only',
  readSurroundings,
  createReader: ({ priorUsage }) => createOutputReader(new CodexOutput(priorUsage)),
  extraFlags: {
    ...takes('value', '--model', '-m', '--color'),
    ...takes('switch', '--strict-config'),
  },
  modeFlags: {
    ...takes('switch', '--dangerously-bypass-approvals-and-sandbox', '--yolo', '--full-auto'),
    ...takes('value', '--sandbox', '-s', '--ask-for-approval', '-a', '--add-dir', '--profile', '-p'),
    ...takes(MODE_SETTING, '--config', '-c'),
  },
}

export function codexNeeds({ env }: Pick<AgentRequest, 'env'>): BoundaryNeeds {
  const own = codexHome(env)
  const inOwn = (names: readonly string[]) => names.map((name) => join(own, name))
  return {
    directories: [own],
    read: inOwn(['config.toml', 'AGENTS.md', 'AGENTS.override.md', 'rules', 'skills', 'prompts', 'plugins']),
    copied: inOwn(['.credentials.json', 'models_cache.json', 'version.json', 'installation_id']),
    logins: inOwn(['auth.json']),
    kept: inOwn(['sessions']),
    hosts: ['api.openai.com', 'chatgpt.com', 'auth.openai.com', ...hostsIn(env, ['OPENAI_BASE_URL'])],
    services: configuredService(env),
    env: ['OPENAI_*', 'CODEX_*'],
  }
}
