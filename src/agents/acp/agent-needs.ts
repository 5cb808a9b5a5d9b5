/**
 * What known agents that speak ACP need inside of a boundary, by the name of their program, as measured with the versions in
 * known-agents.ts. Paths are in the home of the user. A login that is kept must not be able to name a program, which the agent would
 * start outside later: opencode and kilo load settings from a server that `auth.json` names, pi runs a key that begins with `!`,
 * and cline keeps paths of programs beside its keys. They get copies, and what they refresh is discarded.
 */
import { join } from 'node:path'
import type { Environment } from '../../kit/process/child-environment.ts'
import type { AgentRequest } from '../adapter/agent.ts'
import { type BoundaryNeeds, hostsIn } from '../adapter/boundary-needs.ts'
import { userHome } from '../adapter/surroundings.ts'
import { claudeNeeds } from '../claude/agent.ts'
import { codexNeeds } from '../codex/agent.ts'

type Row = Partial<BoundaryNeeds> & {
  /** Variables that name a host. */
  hostsIn?: readonly string[]
}

const within = (directory: string, names: readonly string[]) => names.map((name) => join(directory, name))

/** Agents that use the models of others find the key in the variable of its service. */
const SERVICES = [
  ...['api.anthropic.com', 'api.openai.com', 'generativelanguage.googleapis.com', 'openrouter.ai'],
  ...['api.mistral.ai', 'api.x.ai', 'api.deepseek.com', 'api.groq.com'],
]
const KEYS = [
  ...['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY', 'OPENROUTER_API_KEY'],
  ...['MISTRAL_API_KEY', 'XAI_API_KEY', 'DEEPSEEK_API_KEY', 'GROQ_API_KEY'],
]

/** They write other files beside their settings. */
const settingsIn = (directory: string, files: readonly string[]) =>
  within(directory, [
    ...[...files, 'config.json', 'AGENTS.md', 'package.json', 'node_modules'],
    ...['agent', 'command', 'mode', 'plugin', 'skill', 'tool'].flatMap((name) => [name, `${name}s`]),
  ])

const CLINE_VARIABLES = {
  ...{ CLINE_DB_DATA_DIR: '~/.cline/sandbox/db', CLINE_SESSION_DATA_DIR: '~/.cline/sandbox/sessions' },
  // Otherwise the first turn starts a daemon for all sessions, and no process could stay up.
  CLINE_SESSION_BACKEND_MODE: 'local',
}

/** Made when an agent is looked up: most prompts need none of them. */
const rows = (): Readonly<Record<string, Row>> => ({
  opencode: {
    read: settingsIn('.config/opencode', ['opencode.json', 'opencode.jsonc']),
    copied: ['.local/share/opencode/auth.json'],
    // Its own directory has repositories and programs beside the sessions.
    kept: ['.local/share/opencode/sandbox'],
    variables: { OPENCODE_DB: 'sandbox/opencode.db' },
    hosts: ['opencode.ai', 'models.dev', ...SERVICES],
    env: ['OPENCODE_*', ...KEYS],
  },
  kilo: {
    read: settingsIn('.config/kilo', []),
    // It writes its settings again when it starts.
    copied: ['.local/share/kilo/auth.json', ...within('.config/kilo', ['kilo.json', 'kilo.jsonc', 'opencode.json'])],
    kept: ['.local/share/kilo/sandbox'],
    variables: { KILO_DB: 'sandbox/kilo.db' },
    hosts: ['api.kilo.ai', ...SERVICES],
    env: ['KILO_*', ...KEYS],
    hostsIn: ['KILO_API_URL'],
  },
  qwen: {
    read: within('.qwen', ['settings.json', 'QWEN.md', '.env', 'commands', 'extensions', 'skills', 'agents']),
    copied: within('.qwen', ['installation_id', 'output-language.md']),
    logins: ['.qwen/oauth_creds.json'],
    kept: ['.qwen/projects'],
    hosts: ['chat.qwen.ai', 'portal.qwen.ai', '*.dashscope.aliyuncs.com', 'dashscope.aliyuncs.com'],
    env: ['QWEN_*', 'OPENAI_*', 'DASHSCOPE_*'],
    hostsIn: ['OPENAI_BASE_URL'],
  },
  goose: {
    read: ['.config/goose'],
    kept: ['.local/share/goose/sessions'],
    hosts: SERVICES,
    env: ['GOOSE_*', 'OPENAI_*', 'ANTHROPIC_*', 'OPENROUTER_*', ...KEYS],
    hostsIn: ['OPENAI_HOST', 'ANTHROPIC_HOST', 'OPENROUTER_HOST'],
  },
  kimi: {
    read: within('.kimi-code', ['config.toml', 'mcp.json', 'AGENTS.md', 'agents', 'skills', 'plugins']),
    copied: within('.kimi-code', ['device_id']),
    logins: ['.kimi-code/credentials/kimi-code.json'],
    kept: ['.kimi-code/sessions'],
    hosts: ['api.kimi.com', 'auth.kimi.com', 'api.kimi.ai', 'auth.kimi.ai', 'api.moonshot.ai', 'api.moonshot.cn'],
    env: ['KIMI_*', 'MOONSHOT_*'],
    hostsIn: ['KIMI_CODE_BASE_URL', 'KIMI_CODE_OAUTH_HOST'],
  },
  grok: {
    read: within('.grok', ['config.toml', 'AGENTS.md', 'agents', 'skills', 'hooks', 'plugins', 'installed-plugins']),
    copied: ['.grok/agent_id'],
    logins: ['.grok/auth.json'],
    kept: ['.grok/sessions'],
    hosts: ['cli-chat-proxy.grok.com', 'api.x.ai', 'auth.x.ai', 'accounts.x.ai'],
    env: ['GROK_*', 'XAI_*'],
    hostsIn: ['GROK_CLI_CHAT_PROXY_BASE_URL'],
  },
  'vibe-acp': {
    read: within('.vibe', ['config.toml', '.env', 'agents', 'prompts', 'skills', 'tools']),
    copied: ['.vibe/trusted_folders.toml'],
    kept: ['.vibe/logs/session'],
    hosts: ['api.mistral.ai'],
    env: ['VIBE_*', 'MISTRAL_*'],
  },
  'pi-acp': {
    read: within('.pi/agent', ['settings.json', 'models.json', 'AGENTS.md', 'extensions', 'skills', 'prompts']),
    copied: ['.pi/agent/auth.json'],
    kept: ['.pi/agent/sessions', '.pi/pi-acp'],
    hosts: SERVICES,
    env: ['PI_*', ...KEYS],
    programs: ['pi'],
  },
  copilot: {
    // It unpacks itself, which takes longer than most turns.
    read: [
      '.cache/copilot/pkg',
      ...within('.copilot', ['mcp-config.json', 'copilot-instructions.md', 'agents', 'skills']),
    ],
    copied: within('.copilot', ['config.json', 'settings.json']),
    kept: ['.copilot/session-state'],
    hosts: ['api.github.com', '*.githubcopilot.com'],
    env: ['COPILOT_*', 'GH_TOKEN', 'GITHUB_TOKEN'],
    hostsIn: ['COPILOT_PROVIDER_BASE_URL'],
  },
  cline: {
    read: within('.cline', ['rules', 'skills', 'hooks']),
    copied: within('.cline/data/settings', ['providers.json', 'global-settings.json', 'cline_mcp_settings.json']),
    // The database of its sessions is beside one of commands that it runs at times.
    kept: ['.cline/sandbox'],
    variables: CLINE_VARIABLES,
    hosts: ['api.cline.bot', ...SERVICES],
    env: ['CLINE_*', ...KEYS],
    hostsIn: ['CLINE_API_BASE_URL'],
  },
})

type Place = Pick<AgentRequest, 'env' | 'workdir'>

/** Undefined if no one has tried: what the agent needs is in the settings of the sandbox. */
export function findAcpNeeds(program: string): ((place: Place) => BoundaryNeeds) | undefined {
  if (program === 'claude-agent-acp') return claudeNeeds
  if (program === 'codex-acp') return codexNeeds
  const row = new Map(Object.entries(rows())).get(program)
  return row && (({ env }) => toNeeds(row, env))
}

function toNeeds({ hostsIn: names = [], hosts = [], ...row }: Row, env: Environment): BoundaryNeeds {
  const home = userHome(env)
  const inHome = (paths: readonly string[] = []) => paths.map((path) => join(home, path))
  return {
    ...{ directories: [], read: inHome(row.read), copied: inHome(row.copied), logins: inHome(row.logins) },
    ...{ kept: inHome(row.kept), hosts: [...hosts, ...hostsIn(env, names)], env: row.env ?? [] },
    ...{ programs: row.programs ?? [], variables: inVariables(row.variables ?? {}, home) },
  }
}

/** `~/` stands for the home. */
function inVariables(variables: Readonly<Record<string, string>>, home: string): Record<string, string> {
  const entries = Object.entries(variables)
  return Object.fromEntries(entries.map(([name, value]) => [name, value.replace(/^~(?=\/)/, home)]))
}
