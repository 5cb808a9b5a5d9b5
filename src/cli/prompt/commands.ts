/** The commands that run prompts. */
import type { Command } from '../command.ts'
import { BACKEND, DEMO, JSON_FLAG, MODEL, SINGLE_RUN, WORKDIR } from '../words/shared-flags.ts'

export const PROMPT_COMMANDS: readonly Command[] = [
  {
    words: ['prompt'],
    group: 'Prompts',
    summary: 'Run a prompt on an agent',
    description: `The word "prompt" may be left out when the text has a space in it or an agent or model is named. "-" or a pipe
gives the text on standard input; where a text is given, a pipe is not read. On a terminal the answer streams; into a
pipe goes the finished answer alone.
The exit code is the agent's own when it fails, 124 after a timeout, 130 after Ctrl-C.`,
    positionals: [{ name: 'text', description: 'The prompt; - reads it from standard input', isOptional: true }],
    flags: [
      BACKEND,
      MODEL,
      WORKDIR,
      {
        name: 'continue',
        short: 'c',
        description: 'Go on with the latest session of this directory, or of that of -w',
      },
      { name: 'ephemeral', description: 'Leave no session behind' },
      ...SINGLE_RUN,
    ],
    examples: [
      { line: 'drover "explain the build of this project"', description: 'ask the default agent' },
      {
        line: 'drover -b codex --sandbox workspace "fix the failing test"',
        description: 'another agent, which may write here',
      },
      { line: 'git diff | drover prompt - -o json', description: 'the prompt from a pipe, the result as JSON' },
      { line: 'drover prompt --file task.md --timeout 600', description: 'from a file, ten minutes at most' },
      { line: 'drover -c "and now the tests"', description: 'go on with the latest session of this directory' },
      { line: 'drover --demo "hello there"', description: 'try it without any agent installed' },
    ],
    load: () => import('./prompt.ts'),
  },
  {
    words: ['backends'],
    group: 'Prompts',
    summary: 'Show which agents are installed and what each can do',
    positionals: [],
    flags: [JSON_FLAG, DEMO],
    examples: [
      { line: 'drover backends', description: 'installed agents, their versions and abilities' },
      { line: 'drover backends --json', description: 'for scripts' },
    ],
    load: () => import('../backends/backends.ts'),
  },
]
