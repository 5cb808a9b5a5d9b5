import { commandsIn, type Flag, flag } from '../command.ts'
import { SESSION } from '../sessions/commands.ts'
import { BACKEND, MODEL, SINGLE_RUN, WORKDIR } from '../words/shared-flags.ts'

const DETACH: Flag = flag(
  '--detach',
  'Hand the prompt to your server (drover serve or drover up) and print the id of its execution',
)

export const PROMPT_COMMANDS = commandsIn({ group: 'Prompts' }, [
  {
    words: ['prompt'],
    summary: 'Run a prompt on an agent',
    description: `The word "prompt" can be left out if the text contains a space, or if -b, -m or -c is given.
The prompt is read from standard input if it is "-", or if no text is given and standard input is a pipe. Otherwise
drover reads piped input to its end and adds it to the prompt in a fenced block.
Use --no-stdin inside a loop such as "while read", or drover will consume the loop's input.
--attach adds files in the same way as piped input. @path in a prompt has no special meaning.
On a terminal, the answer is streamed. A file or a pipe gets the complete answer and nothing else.
--detach hands the prompt to your server, which runs it with the same directory, agent, model and modes as here.
The exit code is the agent's if the agent fails, 124 after a timeout and 130 after Ctrl-C.`,
    positionals: [{ name: 'text', description: 'Prompt; - reads it from standard input', isOptional: true }],
    flags: [
      BACKEND,
      MODEL,
      WORKDIR,
      flag('-c, --continue', 'Continue the latest session in this directory, or in the one given with -w'),
      flag(
        '--fallback BACKENDS',
        'Agents that get the prompt if the one before is limited or cannot be reached, such as codex,opencode',
      ),
      flag('--ephemeral', 'Do not record a session'),
      DETACH,
      ...SINGLE_RUN,
    ],
    examples: {
      'drover "explain how this project is built"': 'run on the default agent',
      'drover -b codex --access workspace "fix the failing test"':
        'use another agent, which may write in this directory',
      'git diff | drover "review this change"': 'add the output of a program to the prompt',
      'drover "explain this file" --attach src/main.c': 'add a file to the prompt',
      'cat task.md | drover prompt - -o json': 'read the prompt from a pipe, print the result as JSON',
      'drover "count the tests" --schema count.schema.json': 'print JSON that matches a schema, or fail',
      'drover prompt --file task.md --timeout 600': 'read the prompt from a file, stop after ten minutes',
      'drover -c "and now the tests"': 'continue the latest session in this directory',
      'drover prompt --detach "update the dependencies"':
        'run it in the background; watch and stop it with drover ps, logs and cancel',
      'drover --demo "hello there"': 'try it without an installed agent',
    },
    load: () => import('./prompt-command.ts'),
  },
  {
    words: ['resume'],
    summary: 'Continue a session',
    description: `The session keeps its agent, directory and permissions. Flags change them for this turn only, with a warning.
On a terminal, without a session id and without --last, drover lets you choose a session in a menu. The arrow keys move,
typing filters by id, agent, title and directory, and Enter resumes. If no prompt is given, drover asks for one.
--here with a prompt continues the latest session in this directory, as --last --here does. A prompt that looks like an
id (only 0-9 and a-f) needs --last.
--fork starts a new session with the settings of the old one and a link to it. The agent starts without the old
conversation. With a session id and -b OTHER, the new session uses another agent. That agent gets the old conversation
before the prompt: its latest 100,000 characters, quoted, as far as prompts and answers were kept (see the setting executions.keep).`,
    positionals: [
      { ...SESSION, isOptional: true },
      { name: 'text', description: 'Prompt; - reads it from standard input', isOptional: true },
    ],
    flags: [
      flag('--last', 'Continue the latest session whose directory still exists; the first argument is the prompt'),
      flag('--latest', 'Same as --last'),
      flag('--here', 'Consider only sessions in the current directory'),
      {
        ...BACKEND,
        description: 'Consider only sessions of this agent; with an id and --fork, the agent for the new session',
      },
      flag('--fork', 'Start a new session with the settings of this one'),
      DETACH,
      { ...MODEL, description: 'Use this model instead of the one that the session used' },
      ...SINGLE_RUN,
    ],
    examples: {
      'drover resume 3f2a9c1b "now write the tests"': 'find the session by the first characters of its id',
      'drover resume --here "continue"': 'continue the latest session in this directory',
      'drover resume': 'choose a session in a menu',
      'git diff | drover resume --last -b codex -': 'continue the latest codex session, read the prompt from a pipe',
      'drover resume 3f2a9c1b --fork "try it another way"': 'same settings, new conversation',
      'drover resume 3f2a9c1b --fork -b codex "review what was done"': 'another agent continues the conversation',
    },
    load: () => import('./resume-command.ts'),
  },
])
