import { APPROVAL_MODES, NATIVE_BACKENDS, SANDBOX_MODES } from '../../agents/adapter/agent.ts'
import type { Config } from '../../config/config.shape.ts'
import { type Flag, flag, type Runtime } from '../command.ts'

const MAX_SECONDS = 7 * 24 * 60 * 60

export const BACKEND: Flag = flag('-b, --backend NAME', 'Backend, the name of the agent to use', {
  pattern: { like: /^[a-z][a-z0-9-]*$/, says: 'the name of a backend' },
  suggests: suggestBackends,
})

export const MODEL: Flag = flag('-m, --model NAME', "Model, or an alias for one from the agent's config")

export const WORKDIR: Flag = flag('-w, --workdir DIR', 'Working directory of the agent (default: current directory)')

export const ADD_DIR: Flag = flag(
  '--add-dir DIR',
  'Directory in which the agent works too, as in its working directory',
  {
    repeats: true,
  },
)

export const APPROVAL_CHOICES =
  "edit files (auto), everything in a sandbox (sandboxed), everything (none), nothing (always), or what the agent's own settings allow (default)"

export const APPROVAL: Flag = flag('--approval MODE', `What the agent may do without approval: ${APPROVAL_CHOICES}`, {
  choices: APPROVAL_MODES,
})

export const ACCESS: Flag = flag('--access MODE', 'Where the agent may write', { choices: SANDBOX_MODES })

export const MCP_SERVER: Flag = flag(
  '--mcp-server NAME',
  'Give the agent this MCP server of the config; none: no server (default: all)',
  { repeats: true },
)

/** Whether the agent runs in a sandbox that the system enforces, and with its own tools. */
const PROMPT_SANDBOX: readonly Flag[] = [
  flag('--sandbox', 'Run the agent in a sandbox of this machine, or do not start (default: as sandbox.mode says)'),
  flag('--no-sandbox', 'Run the agent without a sandbox'),
  MCP_SERVER,
  flag('--no-tools', 'Run the agent without its own tools, as a plain model'),
]

export const TIMEOUT: Flag = flag('--timeout SECONDS', 'Stop the agent after this time', {
  integer: { min: 1, max: MAX_SECONDS },
})

export const PROMPT_FILE: Flag = flag('-f, --file FILE', 'Read the prompt from a file')

/** What is sent together with the text of a prompt. */
export const ADDED_INPUT: readonly Flag[] = [
  flag('--attach FILE', 'Add the content of this text file to the prompt', { repeats: true }),
  flag('--no-stdin', 'Do not add piped input to the prompt'),
]

const DRY_RUN: Flag = flag('--dry-run', 'Print the command without running it')

export const DEMO: Flag = flag('--demo', 'Use the built-in demo agent for agents that are not installed')

export const SCHEMA: Flag = flag('--schema FILE', 'JSON Schema that the answer must match (claude, codex)')

/** An empty value means the current directory. */
export const ROOT: Flag = flag(
  '--root DIR',
  'Work in the git worktree that contains DIR (default: current directory)',
  { mayBeEmpty: true },
)

export const JSON_FLAG: Flag = flag('--json', 'Print JSON')

/** Flags of the commands that run one prompt. */
export const SINGLE_RUN: readonly Flag[] = [
  flag('-o, --output-format FORMAT', 'Print the answer, the whole result, or one event per line', {
    choices: ['text', 'json', 'stream-json'],
  }),
  flag('--raw', "Print the agent's output unchanged"),
  flag('--no-markdown', 'Do not render the Markdown of the answer on a terminal'),
  ADD_DIR,
  APPROVAL,
  ACCESS,
  ...PROMPT_SANDBOX,
  flag('--max-turns N', 'Stop after N turns (0: no limit from drover)', { integer: { min: 0, max: 10_000 } }),
  flag('--system TEXT', 'System prompt; an empty string disables the one in the config', { mayBeEmpty: true }),
  SCHEMA,
  flag('--extra ARG', 'Additional argument for the agent, as in --extra=--flag', { repeats: true }),
  TIMEOUT,
  PROMPT_FILE,
  ...ADDED_INPUT,
  flag('--image FILE', 'Send this image (PNG, JPEG, GIF, WebP) or PDF with the prompt', { repeats: true }),
  DRY_RUN,
  flag('--verbose', 'Ask the agent for more detail'),
  flag('--direct', 'Start a new agent process here, even if your server (drover serve or drover up) keeps one running'),
  flag('--usage', 'Print the token usage to stderr'),
  DEMO,
]

export const PREPARATION: readonly Flag[] = [
  flag('--setup COMMAND', 'Command that prepares the new worktree before the first agent starts, such as "npm ci"', {
    repeats: true,
  }),
  flag('--copy PATH', 'Ignored file to copy from your worktree into the new one, such as .env.test', { repeats: true }),
  flag('--share PATH', 'Ignored directory to copy from your worktree; if the lock files match, the setup is skipped', {
    repeats: true,
  }),
]

/** Of what runs in worktrees. */
export const DRIVE_SANDBOX: readonly Flag[] = [
  flag(
    '--sandbox',
    'Run agents, checks and setups in a sandbox, or do not start (default: in a sandbox if this machine has one)',
  ),
  flag('--no-sandbox', 'Run them without a sandbox'),
]

async function tryToReadConfig(runtime: Runtime): Promise<Config | undefined> {
  try {
    const { readConfig } = await import('../../config/read-config.ts')
    return (await readConfig(runtime)).config
  } catch {
    return undefined
  }
}

/** Names that the config defines, for completion. An invalid config counts as none. */
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
