/** Definitions of `prompt` and `resume`. */
import type { Command } from '../command.ts'
import { SESSION } from '../sessions/commands.ts'
import { BACKEND, MODEL, SINGLE_RUN, WORKDIR } from '../words/shared-flags.ts'

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
    words: ['resume'],
    group: 'Prompts',
    summary: 'Go on with a session',
    description: `The agent, the directory and what the agent may do are those of the session; flags change them for this turn, and a
warning says so. Without a session and without --last, a terminal offers the latest ones to choose from; it asks for a
prompt that is missing. With --here and a prompt it is the latest session of this directory, as with --last --here; a
prompt that could be an id (only 0-9 and a-f) needs --last.
--fork starts a new session with the settings of that one and a link to it. The agent begins afresh: what was said in
the old session is not carried over.`,
    positionals: [
      { ...SESSION, isOptional: true },
      { name: 'text', description: 'The prompt; - reads it from standard input', isOptional: true },
    ],
    flags: [
      {
        name: 'last',
        description: 'The session that was used last and whose directory exists; the first word is then the prompt',
      },
      { name: 'latest', description: 'The same as --last' },
      { name: 'here', description: 'Only sessions of the current directory: the latest one, or to choose from' },
      { ...BACKEND, description: 'With --last or to choose from: only sessions of this agent' },
      { name: 'fork', description: 'Start a new session with the settings of this one' },
      { ...MODEL, description: 'Another model than that of the session' },
      ...SINGLE_RUN,
    ],
    examples: [
      { line: 'drover resume 3f2a9c1b "now write the tests"', description: 'by the beginning of its id' },
      { line: 'drover resume --here "go on"', description: 'the latest session of this directory' },
      { line: 'drover resume', description: 'choose one of the latest sessions' },
      {
        line: 'git diff | drover resume --last -b codex -',
        description: 'the latest session of codex, the prompt from a pipe',
      },
      {
        line: 'drover resume 3f2a9c1b --fork "try it another way"',
        description: 'the same settings, a new conversation',
      },
    ],
    load: () => import('./resume.ts'),
  },
]
