import { join } from 'node:path'
import type { AgentRequest, LineAgent } from '../adapter/agent.ts'
import { type BoundaryNeeds, hostsIn } from '../adapter/boundary-needs.ts'
import { takes } from '../adapter/flags.ts'
import { objectAt, textAt } from '../adapter/json-fields.ts'
import { createOutputReader } from '../adapter/output-reader.ts'
import { userHome } from '../adapter/surroundings.ts'
import { toClaudeCommand } from './command.ts'
import { ClaudeOutput } from './output.ts'
import { readSessionCounts, readSessionFile, toProjectName, writeSessionFile } from './session-file.ts'
import { claudeHome, hasLogin, readUserSettings } from './user-settings.ts'

const SETTINGS = [
  ...['settings.json', 'settings.local.json', 'CLAUDE.md', 'rules', 'agents', 'commands', 'skills', 'plugins'],
  ...['output-styles', 'hooks'],
]

const LONGEST_NAME = 200

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
  readSessionCounts,
  createReader: ({ wantsDeltas, earlier }) => createOutputReader(new ClaudeOutput({ wantsDeltas, earlier })),
  extraFlags: {
    ...takes('value', '--model', '--fallback-model', '--effort', '--max-turns', '--max-budget-usd'),
    ...takes('value', '--append-system-prompt', '--tools', '--disallowedTools', '--disallowed-tools'),
    ...takes('switch', '--strict-mcp-config', '--disable-slash-commands', '--verbose'),
  },
  modeFlags: {
    ...takes('switch', '--dangerously-skip-permissions', '--allow-dangerously-skip-permissions'),
    ...takes('value', '--permission-mode', '--permission-prompt-tool', '--settings', '--setting-sources'),
    ...takes('values', '--allowedTools', '--allowed-tools', '--add-dir'),
  },
}

export function claudeNeeds({ env, workdir }: Pick<AgentRequest, 'env' | 'workdir'>): BoundaryNeeds {
  const own = claudeHome(env)
  return {
    directories: [own],
    read: SETTINGS.map((name) => join(own, name)),
    copied: [join(env['CLAUDE_CONFIG_DIR'] ? own : userHome(env), '.claude.json')],
    logins: [join(own, '.credentials.json')],
    kept: [projectOf(own, workdir)],
    hosts: [
      ...['api.anthropic.com', 'platform.claude.com', 'console.anthropic.com', 'claude.ai'],
      ...hostsIn(env, ['ANTHROPIC_BASE_URL']),
    ],
    services: [textAt(objectAt(readUserSettings({ env }).userSettings, 'env'), 'ANTHROPIC_BASE_URL') ?? ''],
    env: ['ANTHROPIC_*', 'CLAUDE_*', 'API_TIMEOUT_MS', 'BASH_*', 'MAX_*', 'DISABLE_*', 'MCP_*', 'IS_SANDBOX'],
  }
}

/** Not the sessions of other directories. Claude cuts a long name and adds a digest; then it gets them all. */
function projectOf(own: string, workdir: string): string {
  const name = toProjectName(workdir)
  return name.length > LONGEST_NAME ? join(own, 'projects') : join(own, 'projects', name)
}
