import type { LineAgent } from '../adapter/agent.ts'
import { createOutputReader } from '../adapter/output-reader.ts'
import { claudeNeeds } from './claude-needs.ts'
import { toClaudeCommand } from './command.ts'
import { ClaudeOutput } from './output.ts'
import { readSessionFile, writeSessionFile } from './session-file.ts'
import { hasLogin, readUserSettings } from './user-settings.ts'

export const claude: LineAgent = {
  backend: 'claude',
  executable: 'claude',
  login: 'run `claude` in a terminal and type /login, or set ANTHROPIC_API_KEY',
  hasLogin,
  // It prints nothing while the model thinks, if the model does not show its thoughts.
  silenceMs: 300_000,
  abilities: {
    deltas: true,
    resume: true,
    system_prompt: 'flag',
    max_turns: true,
    output_schema: true,
    images: true,
    documents: true,
    os_sandbox: false,
    usage: { cached: true, reasoning: false },
  },
  countsApart: { cache: true, reasoning: false },
  reports: { tokens: true, cost: true, exitCodes: true },
  // On SIGTERM it leaves its tools running.
  cancelSignal: 'SIGINT',
  toCommand: toClaudeCommand,
  boundaryNeeds: claudeNeeds,
  readSurroundings: readUserSettings,
  sessionFile: { read: readSessionFile, write: writeSessionFile },
  createReader: ({ wantsDeltas }) => createOutputReader(new ClaudeOutput({ wantsDeltas })),
  extraFlags: {
    '--model': 'value',
    '--fallback-model': 'value',
    '--effort': 'value',
    '--max-turns': 'value',
    '--max-budget-usd': 'value',
    '--append-system-prompt': 'value',
    '--tools': 'value',
    '--disallowedTools': 'value',
    '--disallowed-tools': 'value',
    '--strict-mcp-config': 'switch',
    '--disable-slash-commands': 'switch',
    '--verbose': 'switch',
  },
  modeFlags: {
    '--dangerously-skip-permissions': 'switch',
    '--allow-dangerously-skip-permissions': 'switch',
    '--permission-mode': 'value',
    '--permission-prompt-tool': 'value',
    '--settings': 'value',
    '--setting-sources': 'value',
    '--allowedTools': 'values',
    '--allowed-tools': 'values',
    '--add-dir': 'values',
  },
}
