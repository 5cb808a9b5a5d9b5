/** The commands that run prompts. */
import { APPROVAL_MODES, BACKENDS, SANDBOX_MODES } from '../agents/agent.ts'
import type { Command, Flag } from './command.ts'

const MAX_SECONDS = 7 * 24 * 60 * 60

const DEMO: Flag = { name: 'demo', says: 'Let the built-in demo agent stand in for agents that are not installed' }

export const PROMPT_COMMANDS: readonly Command[] = [
  {
    words: ['prompt'],
    group: 'Prompts',
    summary: 'Run a prompt on an agent',
    description: `The word "prompt" may be left out when the text has a space in it or an agent or model is named. "-" or a pipe
gives the text on standard input; where a text is given, a pipe is not read. On a terminal the answer streams; into a
pipe goes the finished answer alone.
The exit code is the agent's own when it fails, 124 after a timeout, 130 after Ctrl-C.`,
    positionals: [{ name: 'text', says: 'The prompt; - reads it from standard input', isOptional: true }],
    flags: [
      { name: 'backend', short: 'b', value: 'NAME', says: 'The agent', choices: BACKENDS },
      { name: 'model', short: 'm', value: 'NAME', says: "The model, or one of the agent's aliases in the config" },
      { name: 'workdir', short: 'w', value: 'DIR', says: 'Where the agent works; the current directory by default' },
      {
        name: 'output-format',
        short: 'o',
        value: 'FORMAT',
        says: 'What to print: the answer, the whole result, or every event',
        choices: ['text', 'json', 'stream-json'],
      },
      { name: 'raw', says: "Print the agent's own lines as they are" },
      {
        name: 'approval',
        value: 'MODE',
        says: 'What the agent may do without asking',
        choices: APPROVAL_MODES,
      },
      {
        name: 'sandbox',
        value: 'MODE',
        says: 'Where the agent may write',
        choices: SANDBOX_MODES,
      },
      { name: 'max-turns', value: 'N', says: 'Stop after so many turns', integer: { min: 1, max: 10_000 } },
      { name: 'system', value: 'TEXT', says: 'The system prompt' },
      { name: 'extra', value: 'ARG', says: 'One more argument for the agent itself, as --extra=--flag', repeats: true },
      {
        name: 'timeout',
        value: 'SECONDS',
        says: 'End the agent after this time',
        integer: { min: 1, max: MAX_SECONDS },
      },
      { name: 'file', short: 'f', value: 'FILE', says: 'Read the prompt from a file' },
      { name: 'ephemeral', says: 'Leave no session behind' },
      { name: 'dry-run', says: 'Print the command instead of running it' },
      { name: 'verbose', says: 'Ask the agent for more detail' },
      { name: 'usage', says: 'Also print the tokens used, on stderr' },
      DEMO,
    ],
    examples: [
      { line: 'drover "explain the build of this project"', says: 'ask the default agent' },
      {
        line: 'drover -b codex --sandbox workspace "fix the failing test"',
        says: 'another agent, which may write here',
      },
      { line: 'git diff | drover prompt - -o json', says: 'the prompt from a pipe, the result as JSON' },
      { line: 'drover prompt --file task.md --timeout 600', says: 'from a file, ten minutes at most' },
      { line: 'drover --demo "hello there"', says: 'try it without any agent installed' },
    ],
    load: () => import('./commands/prompt.ts'),
  },
  {
    words: ['backends'],
    group: 'Prompts',
    summary: 'Show which agents are installed and what each can do',
    positionals: [],
    flags: [{ name: 'json', says: 'Print JSON' }, DEMO],
    examples: [
      { line: 'drover backends', says: 'installed agents, their versions and abilities' },
      { line: 'drover backends --json', says: 'for scripts' },
    ],
    load: () => import('./commands/backends.ts'),
  },
]
