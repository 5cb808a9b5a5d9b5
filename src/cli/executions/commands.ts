import { commandsIn, flag, type Positional } from '../command.ts'
import { JSON_FLAG } from '../words/shared-flags.ts'

const MAX_PAGE = 1000

const executionArgument = (which: 'running' | 'latest'): Positional => ({
  name: 'execution',
  description: 'Id of an execution, or at least its first 4 characters; exec_ can be left out',
  suggests: async (runtime) => (await import('../sessions/suggest-ids.ts')).suggestExecutionIds(runtime, which),
})

export const EXECUTION_COMMANDS = commandsIn({ group: 'Prompts' }, [
  {
    words: ['ps'],
    summary: 'List the prompts that are running, newest first',
    description: `An execution is one prompt that is running or has run. Lists the executions of all your drover processes: on the command
line, in batches and on the server. The parts of a batch are listed under it. With --all, executions that have ended are
listed too, if they were kept (see the setting executions.keep).`,
    flags: [
      flag('-a, --all', 'Also list the latest executions that have ended'),
      flag('-n, --limit N', 'Show at most N, including those that have ended (default: 20)', {
        integer: { min: 1, max: MAX_PAGE },
      }),
      flag('--before ID', 'Show those that were created before this execution'),
      JSON_FLAG,
    ],
    examples: {
      'drover ps': 'what is running',
      'drover ps --all -n 50': 'the latest 50, including those that have ended',
      'drover ps --json | jq -r .executions[].id': 'the ids of what is running',
    },
    load: () => import('./ps.ts'),
  },
  {
    words: ['logs'],
    summary: 'Show what an execution has printed, and follow it',
    description: `Prints the answer and the tool calls as "drover prompt" does on a terminal. For a batch, prints its parts in turn.
For an agent of a comparison, also says which comparison it is, the result of its checks, and what became of its work.
With -f, follows the execution until it ends, whichever process it runs in. Ctrl-C stops only this command.
How much was kept depends on the setting executions.keep at the time when the prompt was started.`,
    positionals: [executionArgument('latest')],
    flags: [
      flag('-f, --follow', 'Wait for more until the execution ends'),
      flag('--json', 'Print one event per line'),
      flag('--no-markdown', 'Do not render the Markdown of the answer on a terminal'),
    ],
    examples: {
      'drover logs 3f2a9c1b': 'what it has printed so far',
      'drover logs -f $(drover prompt --detach "fix the tests")': 'start on the server, and watch',
      'drover logs 3f2a9c1b --json | jq .type': 'its events',
    },
    load: () => import('./logs.ts'),
  },
  {
    words: ['say'],
    summary: 'Tell a running agent something',
    description: `Gives the agent of a running execution a message, such as a correction, whichever process it runs in, and prints when the agent
gets it. Claude, Codex and some agents that speak ACP take messages while they work, if drover keeps their processes running. Others get
the message with the next prompt of their session. In a run that agents do, the message is recorded as your decision.
Without text, drover reads the message from standard input.`,
    positionals: [executionArgument('running'), { name: 'text', description: 'The message', isOptional: true }],
    flags: [flag('-f, --file FILE', 'Read the message from this file'), JSON_FLAG],
    examples: {
      'drover say 3f2a9c1b "Leave the tests in src/legacy alone."': 'a correction',
      'drover say 3f2a9c1b -f notes.md': 'a long message',
    },
    load: () => import('./say.ts'),
  },
  {
    words: ['cancel'],
    otherNames: ['kill'],
    summary: 'Cancel running executions',
    description: `Asks the process that runs an execution to stop its agent, and waits until the agent is gone. A batch is canceled as a
whole. If one of the ids is wrong, nothing is canceled.
The exit code is 1 if an execution had already ended.`,
    positionals: [{ ...executionArgument('running'), repeats: true }],
    flags: [flag('--no-wait', 'Do not wait until the agents are gone'), JSON_FLAG],
    examples: {
      'drover cancel 3f2a9c1b': 'cancel one execution',
      'drover cancel 3f2a9c1b 77d0e412 --no-wait': 'cancel two, and do not wait',
    },
    load: () => import('./cancel.ts'),
  },
])
