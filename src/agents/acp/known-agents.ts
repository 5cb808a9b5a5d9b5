/**
 * Agents that speak ACP, as their vendors publish them, and what was measured of the version named here. The commands are
 * those of the agents' own documentation. `drover backends add NAME` takes them from this table.
 */
import { basename } from 'node:path'
import { type AcpProfile, UNKNOWN_AGENT } from '../adapter/acp-profile.ts'
import type { Program } from '../adapter/agent.ts'
import { TOOL_SERVER } from '../adapter/tool-server-place.ts'
import { denyReading } from '../claude/user-settings.ts'

export type KnownAgent = {
  name: string
  command: Program
  install: string
  /** The version that the profile was measured with. */
  version: string
  profile: AcpProfile
}

const OFF = 'false'
const ASK = '{"edit":"ask","bash":"ask","webfetch":"ask"}'
/** It opens a link in the directory without a look at where the link leads. */
const ASK_BEFORE_READING = '{"edit":"ask","bash":"ask","webfetch":"ask","read":"ask"}'

/** Its own tools are hidden from the model. */
const NO_TOOLS = `{"*":"deny","${TOOL_SERVER}_*":"allow"}`

/** Which of them counts is decided by NODE_ENV. */
const BUN_VARIABLES = ['', '.development', '.production', '.test'].flatMap((kind) => [
  `.env${kind}`,
  `.env${kind}.local`,
])

const OPENCODE: AcpProfile = {
  modes: { 'read-only': 'plan', ask: 'build', edit: 'build', everything: 'build' },
  asks: 'always',
  // Opencode asks for nothing unless it is told to.
  env: { OPENCODE_PERMISSION: ASK_BEFORE_READING },
  withoutTools: { OPENCODE_PERMISSION: NO_TOOLS },
  usage: 'last-request',
  countsApart: { cache: true, reasoning: true },
  showsExitCodes: true,
  resume: 'session/resume',
  // OPENCODE_DISABLE_PROJECT_CONFIG leaves plugins on, and drops AGENTS.md.
  withoutProject: { refused: ['.opencode', 'opencode.json', 'opencode.jsonc'] },
  configFiles: ['.config/opencode/opencode.json', '.local/share/opencode/auth.json'],
  login: 'opencode auth login',
}

export const KNOWN_AGENTS: readonly KnownAgent[] = [
  {
    name: 'opencode',
    command: ['opencode', 'acp'],
    install: 'npm install --global opencode-ai',
    version: '1.18.33',
    profile: { ...OPENCODE, staysInside: true },
  },
  {
    name: 'qwen',
    command: ['qwen', '--acp'],
    install: 'npm install --global @qwen-code/qwen-code',
    version: '0.24.4',
    profile: {
      modes: { 'read-only': 'plan', ask: 'default', edit: 'auto-edit', everything: 'yolo' },
      asks: 'sometimes',
      usage: 'per-request',
      showsExitCodes: true,
      resume: 'session/resume',
      withServers: { QWEN_CODE_LEGACY_MCP_BLOCKING: '1' },
      // In a folder that it does not trust, it has no mode for edits and reads no instructions.
      withoutProject: { refused: ['.qwen', '.env'] },
      configFiles: ['.qwen/settings.json', '.qwen/oauth_creds.json'],
      login: 'qwen',
    },
  },
  {
    name: 'goose',
    command: ['goose', 'acp', '--with-builtin', 'developer'],
    install: 'curl -fsSL https://github.com/block/goose/releases/download/stable/download_cli.sh | bash',
    version: '1.52.0',
    profile: {
      modes: { 'read-only': 'approve', ask: 'approve', edit: 'approve', everything: 'auto' },
      asks: 'always',
      staysInside: true,
      usage: 'last-request',
      showsExitCodes: true,
      resume: 'session/load',
      client: { files: true, terminal: true },
      failure: { lastChunk: /^(?:Ran into this error: |Network error: |The model returned an empty response)/ },
      kinds: [
        [/^(?:write|edit|text_editor)\b/, 'edit'],
        [/^shell\b/, 'execute'],
        [/^read\b/, 'read'],
      ],
      isLate: true,
      withoutProject: { refused: ['.agents/plugins'] },
      configFiles: ['.config/goose/config.yaml', '.config/goose/secrets.yaml'],
      login: 'goose configure',
    },
  },
  {
    name: 'kimi',
    command: ['kimi', 'acp'],
    install: 'npm install --global @moonshot-ai/kimi-code',
    version: '2.1.0',
    profile: {
      modes: { 'read-only': 'default', ask: 'default', edit: 'default', everything: 'yolo' },
      asks: 'always',
      staysInside: true,
      usage: 'none',
      showsExitCodes: true,
      resume: 'session/resume',
      client: { files: true, terminal: true },
      isLate: true,
      // Used in folders that its user has trusted once.
      withoutProject: { refused: ['.kimi-code', '.mcp.json'] },
      configFiles: ['.kimi-code/config.toml'],
      login: 'kimi login',
    },
  },
  {
    name: 'grok',
    command: ['grok', 'agent', '--no-leader', 'stdio'],
    install: 'npm install --global @xai-official/grok',
    version: '1.0.41',
    profile: {
      images: false,
      modes: {},
      asks: 'sometimes',
      staysInside: true,
      usage: 'meta',
      showsExitCodes: true,
      resume: 'session/resume',
      client: { files: true, terminal: true },
      isLate: true,
      // Used in folders that its user has trusted once.
      withoutProject: {
        refused: ['.grok', '.mcp.json', '.envrc'],
        env: {
          ...{ GROK_CLAUDE_HOOKS_ENABLED: OFF, GROK_CURSOR_HOOKS_ENABLED: OFF, GROK_CODEX_HOOKS_ENABLED: OFF },
          ...{ GROK_CLAUDE_MCPS_ENABLED: OFF, GROK_CURSOR_MCPS_ENABLED: OFF, GROK_CODEX_MCPS_ENABLED: OFF },
        },
      },
      configFiles: ['.grok/config.toml', '.grok/auth.json'],
      login: 'grok login',
    },
  },
  {
    name: 'vibe',
    command: ['vibe-acp'],
    install: 'uv tool install mistral-vibe',
    version: '3.0.2',
    profile: {
      modes: { 'read-only': 'ask', ask: 'ask', edit: 'accept-edits', everything: 'auto-approve' },
      asks: 'sometimes',
      usage: 'session',
      resume: 'session/load',
      // Used in folders that its user has trusted once.
      withoutProject: { refused: ['.vibe'] },
      configFiles: ['.vibe/config.toml', '.vibe/.env'],
      login: 'vibe --setup',
    },
  },
  {
    name: 'pi',
    command: ['pi-acp'],
    install: 'npm install --global pi-acp @earendil-works/pi-coding-agent',
    version: '0.0.34',
    profile: {
      modes: {},
      asks: 'never',
      usage: 'none',
      showsExitCodes: true,
      resume: 'session/load',
      notices: /^(?:pi v[\d.]+\n---\n|Retrying \(attempt |Retry finished)/,
      // Used in folders that its user has trusted once.
      withoutProject: { refused: ['.pi'] },
      configFiles: ['.pi/agent/settings.json', '.pi/agent/models.json', '.pi/agent/auth.json'],
      login: 'pi',
    },
  },
  {
    name: 'copilot',
    command: ['copilot', '--acp', '--no-auto-update'],
    install: 'npm install --global @github/copilot',
    version: '1.0.102',
    profile: {
      modes: {},
      asks: 'always',
      staysInside: true,
      usage: 'session',
      showsExitCodes: true,
      resume: 'session/load',
      failure: { lastChunk: /^Error: (?:Failed to get response|Authentication failed|.*\(HTTP \d{3}\))/ },
      notices: /^Info: /,
      isLate: true,
      // All but the first are used in folders that its user has trusted once.
      withoutProject: {
        refused: ['.github/hooks', '.github/copilot', '.github/mcp.json', '.github/lsp.json', '.mcp.json'],
      },
      login: 'copilot login',
    },
  },
  {
    name: 'cline',
    command: ['cline', '--acp'],
    install: 'npm install --global cline',
    version: '3.0.65',
    profile: {
      modes: { 'read-only': 'plan', ask: 'act', edit: 'act', everything: 'act' },
      asks: 'always',
      usage: 'none',
      resume: 'session/load',
      // The program is built with Bun, which reads the last ones.
      withoutProject: { refused: ['.cline', '.clinerules/hooks', 'bunfig.toml', ...BUN_VARIABLES] },
      login: 'cline auth',
    },
  },
  {
    name: 'kilo',
    command: ['kilo', 'acp'],
    install: 'npm install --global @kilocode/cli',
    version: '7.7.7',
    profile: {
      ...OPENCODE,
      modes: { 'read-only': 'ask', ask: 'code', edit: 'code', everything: 'code' },
      // In the mode `ask` it denies changes and runs other commands by its own rules.
      asks: 'sometimes',
      env: { KILO_PERMISSION: ASK },
      withoutTools: { KILO_PERMISSION: NO_TOOLS },
      withoutProject: {
        refused: [
          '.kilo',
          '.kilocode',
          '.opencode',
          ...['kilo', 'opencode'].flatMap((name) => [`${name}.json`, `${name}.jsonc`]),
        ],
      },
      configFiles: ['.config/kilo/kilo.json', '.local/share/kilo/auth.json'],
      login: 'kilo auth login',
    },
  },
  {
    name: 'claude-acp',
    command: ['claude-agent-acp'],
    install: 'npm install --global @agentclientprotocol/claude-agent-acp',
    version: '0.99.1',
    profile: {
      modes: { 'read-only': 'plan', ask: 'default', edit: 'acceptEdits', everything: 'default' },
      asks: 'always',
      staysInside: true,
      usage: 'turn',
      countsApart: { cache: true, reasoning: false },
      showsExitCodes: true,
      resume: 'session/resume',
      isLate: true,
      withoutProject: {
        refused: [],
        // Claude reads instructions with the settings of the project, or else in directories that were added.
        env: { CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1' },
        sessionMeta: (workdir, closedFiles) => ({
          claudeCode: {
            options: {
              ...{ settingSources: ['user'], strictMcpConfig: true, additionalDirectories: [workdir] },
              ...(closedFiles.length > 0 && { disallowedTools: closedFiles.flatMap(denyReading) }),
            },
          },
        }),
      },
      login: 'claude /login',
    },
  },
  {
    name: 'codex-acp',
    command: ['codex-acp'],
    install: 'npm install --global @agentclientprotocol/codex-acp',
    version: '2.6.0',
    profile: {
      modes: { 'read-only': 'read-only', ask: 'read-only', edit: 'workspace-write', everything: 'agent-full-access' },
      asks: 'sometimes',
      usage: 'turn',
      countsApart: { cache: true, reasoning: false },
      showsExitCodes: true,
      resume: 'session/resume',
      failure: { usageIsNull: true },
      // It trusts every folder.
      withoutProject: { refused: ['.codex'] },
      login: 'codex login',
    },
  },
]

export function findKnownAgent(name: string): KnownAgent | undefined {
  return KNOWN_AGENTS.find((known) => known.name === name)
}

/** What a user does to use an agent that drover knows but the config does not have, as a part of a sentence. */
export function howToAdd(name: string): string | undefined {
  return findKnownAgent(name) && `add it with "drover backends add ${name}"`
}

/** The profile of the agent that a command starts: it is known by its program, whatever the backend is called. */
export function findProfile(command: readonly string[]): AcpProfile {
  const known = KNOWN_AGENTS.find((each) => each.command[0] === programName(command))
  return known?.profile ?? UNKNOWN_AGENT
}

export function programName([program = '']: readonly string[]): string {
  return basename(program).replace(/\.(?:exe|cmd)$/i, '')
}
