import type { LineAgent } from '../adapter/agent.ts'
import { createOutputReader } from '../adapter/output-reader.ts'
import { codexNeeds } from './codex-needs.ts'
import { toCodexCommand, toSandbox } from './command.ts'
import { configuredModel } from './configured-model.ts'
import { CodexOutput } from './output.ts'
import { hasLogin, readSurroundings } from './surroundings.ts'

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
    '--model': 'value',
    '-m': 'value',
    '--color': 'value',
    '--strict-config': 'switch',
  },
  modeFlags: {
    '--dangerously-bypass-approvals-and-sandbox': 'switch',
    '--yolo': 'switch',
    '--full-auto': 'switch',
    '--sandbox': 'value',
    '-s': 'value',
    '--ask-for-approval': 'value',
    '-a': 'value',
    '--add-dir': 'value',
    '--profile': 'value',
    '-p': 'value',
    '--config': MODE_SETTING,
    '-c': MODE_SETTING,
  },
}
