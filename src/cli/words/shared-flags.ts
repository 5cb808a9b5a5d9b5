/** Flags that several commands have, each defined once. */
import { APPROVAL_MODES, BACKENDS, SANDBOX_MODES } from '../../agents/adapter/agent.ts'
import type { Flag } from '../command.ts'

const MAX_SECONDS = 7 * 24 * 60 * 60

export const BACKEND: Flag = { name: 'backend', short: 'b', value: 'NAME', description: 'The agent', choices: BACKENDS }

export const MODEL: Flag = {
  name: 'model',
  short: 'm',
  value: 'NAME',
  description: "The model, or one of the agent's aliases in the config",
}

export const WORKDIR: Flag = {
  name: 'workdir',
  short: 'w',
  value: 'DIR',
  description: 'Where the agent works; the current directory by default',
}

export const APPROVAL: Flag = {
  name: 'approval',
  value: 'MODE',
  description: 'What the agent may do without asking',
  choices: APPROVAL_MODES,
}

export const SANDBOX: Flag = {
  name: 'sandbox',
  value: 'MODE',
  description: 'Where the agent may write',
  choices: SANDBOX_MODES,
}

export const TIMEOUT: Flag = {
  name: 'timeout',
  value: 'SECONDS',
  description: 'End the agent after this time',
  integer: { min: 1, max: MAX_SECONDS },
}

export const PROMPT_FILE: Flag = { name: 'file', short: 'f', value: 'FILE', description: 'Read the prompt from a file' }

const DRY_RUN: Flag = { name: 'dry-run', description: 'Print the command instead of running it' }

export const DEMO: Flag = {
  name: 'demo',
  description: 'Let the built-in demo agent stand in for agents that are not installed',
}

/** Empty, it says the same as left out. */
export const ROOT: Flag = {
  name: 'root',
  value: 'DIR',
  description: 'A place in the git worktree; the current directory by default',
  mayBeEmpty: true,
}

export const JSON_FLAG: Flag = { name: 'json', description: 'Print JSON' }

/** How a single prompt is run and shown. */
export const SINGLE_RUN: readonly Flag[] = [
  {
    name: 'output-format',
    short: 'o',
    value: 'FORMAT',
    description: 'What to print: the answer, the whole result, or every event',
    choices: ['text', 'json', 'stream-json'],
  },
  { name: 'raw', description: "Print the agent's own lines as they are" },
  APPROVAL,
  SANDBOX,
  { name: 'max-turns', value: 'N', description: 'Stop after so many turns', integer: { min: 1, max: 10_000 } },
  {
    name: 'system',
    value: 'TEXT',
    description: 'The system prompt; an empty one takes that of the config away',
    mayBeEmpty: true,
  },
  {
    name: 'extra',
    value: 'ARG',
    description: 'One more argument for the agent itself, as --extra=--flag',
    repeats: true,
  },
  TIMEOUT,
  PROMPT_FILE,
  DRY_RUN,
  { name: 'verbose', description: 'Ask the agent for more detail' },
  { name: 'usage', description: 'Also print the tokens used, on stderr' },
  DEMO,
]
