/** Flags that several commands share. */
import { APPROVAL_MODES, SANDBOX_MODES } from '../../agents/adapter/agent.ts'
import type { Flag } from '../command.ts'
import { suggestBackends } from './suggest-backends.ts'

const MAX_SECONDS = 7 * 24 * 60 * 60

export const BACKEND: Flag = {
  name: 'backend',
  short: 'b',
  value: 'NAME',
  description: 'Backend, the name of the agent to use',
  pattern: { like: /^[a-z][a-z0-9-]*$/, says: 'the name of a backend' },
  suggests: suggestBackends,
}

export const MODEL: Flag = {
  name: 'model',
  short: 'm',
  value: 'NAME',
  description: "Model, or an alias for one from the agent's config",
}

export const WORKDIR: Flag = {
  name: 'workdir',
  short: 'w',
  value: 'DIR',
  description: 'Working directory of the agent (default: current directory)',
}

export const APPROVAL_CHOICES =
  "edit files (auto), everything in a sandbox (sandboxed), everything (none), nothing (always), or what the agent's own settings allow (default)"

export const APPROVAL: Flag = {
  name: 'approval',
  value: 'MODE',
  description: `What the agent may do without approval: ${APPROVAL_CHOICES}`,
  choices: APPROVAL_MODES,
}

export const ACCESS: Flag = {
  name: 'access',
  value: 'MODE',
  description: 'Where the agent may write',
  choices: SANDBOX_MODES,
}

/** Whether the agent runs in a sandbox that the system enforces. */
const PROMPT_SANDBOX: readonly Flag[] = [
  {
    name: 'sandbox',
    description: 'Run the agent in a sandbox of this machine, or do not start (default: as sandbox.mode says)',
  },
  { name: 'no-sandbox', description: 'Run the agent without a sandbox' },
]

export const TIMEOUT: Flag = {
  name: 'timeout',
  value: 'SECONDS',
  description: 'Stop the agent after this time',
  integer: { min: 1, max: MAX_SECONDS },
}

export const PROMPT_FILE: Flag = { name: 'file', short: 'f', value: 'FILE', description: 'Read the prompt from a file' }

/** What is sent together with the text of a prompt. */
export const ADDED_INPUT: readonly Flag[] = [
  { name: 'attach', value: 'FILE', description: 'Add the content of this text file to the prompt', repeats: true },
  { name: 'no-stdin', description: 'Do not add piped input to the prompt' },
]

const DRY_RUN: Flag = { name: 'dry-run', description: 'Print the command without running it' }

export const DEMO: Flag = {
  name: 'demo',
  description: 'Use the built-in demo agent for agents that are not installed',
}

/** An empty value means the current directory. */
export const ROOT: Flag = {
  name: 'root',
  value: 'DIR',
  description: 'Work in the git worktree that contains DIR (default: current directory)',
  mayBeEmpty: true,
}

export const JSON_FLAG: Flag = { name: 'json', description: 'Print JSON' }

/** Flags of the commands that run one prompt. */
export const SINGLE_RUN: readonly Flag[] = [
  {
    name: 'output-format',
    short: 'o',
    value: 'FORMAT',
    description: 'Print the answer, the whole result, or one event per line',
    choices: ['text', 'json', 'stream-json'],
  },
  { name: 'raw', description: "Print the agent's output unchanged" },
  { name: 'no-markdown', description: 'Do not render the Markdown of the answer on a terminal' },
  APPROVAL,
  ACCESS,
  ...PROMPT_SANDBOX,
  {
    name: 'max-turns',
    value: 'N',
    description: 'Stop after N turns (0: no limit from drover)',
    integer: { min: 0, max: 10_000 },
  },
  {
    name: 'system',
    value: 'TEXT',
    description: 'System prompt; an empty string disables the one in the config',
    mayBeEmpty: true,
  },
  { name: 'schema', value: 'FILE', description: 'JSON Schema that the answer must match (claude, codex)' },
  {
    name: 'extra',
    value: 'ARG',
    description: 'Additional argument for the agent, as in --extra=--flag',
    repeats: true,
  },
  TIMEOUT,
  PROMPT_FILE,
  ...ADDED_INPUT,
  DRY_RUN,
  { name: 'verbose', description: 'Ask the agent for more detail' },
  {
    name: 'direct',
    description: 'Start a new agent process here, even if your server (drover serve or drover up) keeps one running',
  },
  { name: 'usage', description: 'Print the token usage to stderr' },
  DEMO,
]

/** How new worktrees are prepared. */
export const PREPARATION: readonly Flag[] = [
  {
    name: 'setup',
    value: 'COMMAND',
    description: 'Command that prepares the new worktree before the first agent starts, such as "npm ci"',
    repeats: true,
  },
  {
    name: 'copy',
    value: 'PATH',
    description: 'Ignored file to copy from your worktree into the new one, such as .env.test',
    repeats: true,
  },
  {
    name: 'share',
    value: 'PATH',
    description: 'Ignored directory to copy from your worktree; if the lock files match, the setup is skipped',
    repeats: true,
  },
]

/** Of what runs in worktrees. */
export const DRIVE_SANDBOX: readonly Flag[] = [
  {
    name: 'sandbox',
    description:
      'Run agents, checks and setups in a sandbox, or do not start (default: in a sandbox if this machine has one)',
  },
  { name: 'no-sandbox', description: 'Run them without a sandbox' },
]
