/** The commands that run several prompts: `parallel`, `chain` and `compare`. */
import type { Command, Flag } from '../command.ts'
import {
  APPROVAL,
  BACKEND,
  DEMO,
  JSON_FLAG,
  MODEL,
  PROMPT_FILE,
  SANDBOX,
  TIMEOUT,
  WORKDIR,
} from '../words/shared-flags.ts'

const INPUT: readonly Flag[] = [
  {
    name: 'file',
    short: 'f',
    value: 'FILE',
    description: 'Read it from this file, YAML or JSON; standard input by default',
  },
  { name: 'input', value: 'FILE', description: 'The same as --file' },
]

/** What counts for every task that does not say otherwise. */
const DEFAULTS: readonly Flag[] = [
  { ...BACKEND, description: 'The agent of all that name none' },
  { ...MODEL, description: 'The model of all that name none' },
  { ...WORKDIR, description: 'The directory of all that name none' },
  { ...APPROVAL, description: 'What agents may do without asking, where nothing else is said' },
  { ...SANDBOX, description: 'Where agents may write, where nothing else is said' },
  { ...TIMEOUT, description: 'End each agent after this time, where nothing else is said' },
]

const OUTPUT_DIR: readonly Flag[] = [
  { name: 'output-dir', value: 'DIR', description: 'Write every result to a file there, as soon as it is known' },
  { name: 'force', description: 'Replace the results that are there' },
]

const DRY_RUN: Flag = { name: 'dry-run', description: 'Print the commands instead of running them' }

export const BATCH_COMMANDS: readonly Command[] = [
  {
    words: ['parallel'],
    group: 'Prompts',
    summary: 'Run many prompts side by side',
    description: `The file holds a list of tasks, or an object with "tasks" and settings; docs/task-files.md has all fields. It is checked
as a whole before anything is started. No sessions are kept.
The exit code is 1 if any task failed. Ctrl-C ends all agents; what has finished is kept and printed.`,
    positionals: [],
    flags: [
      ...INPUT,
      { name: 'max-parallel', value: 'N', description: 'So many at once', integer: { min: 1, max: 1000 } },
      { name: 'fail-fast', description: 'End all others when one fails' },
      ...DEFAULTS,
      ...OUTPUT_DIR,
      JSON_FLAG,
      { name: 'quiet', short: 'q', description: 'No progress and no outputs, only the table' },
      DRY_RUN,
      DEMO,
    ],
    examples: [
      { line: 'drover parallel -f tasks.yaml', description: 'as many at once as the config says' },
      {
        line: 'drover parallel -f tasks.yaml --max-parallel 8 --output-dir results',
        description: 'eight, and a file for each',
      },
      {
        line: 'drover parallel -f tasks.json --json --fail-fast',
        description: 'for scripts, ending at the first failure',
      },
      {
        line: `echo '[{"prompt": "hello there"}]' | drover parallel --demo`,
        description: 'from a pipe, without any agent',
      },
    ],
    load: () => import('./parallel.ts'),
  },
  {
    words: ['chain'],
    group: 'Prompts',
    summary: 'Run prompts one after another, each with the answers before it',
    description: `In a step's prompt {{previous}} stands for the answer of the step before, {{steps.NAME}} for that of an earlier one.
The file holds a list of steps, or an object with "steps" and settings; docs/task-files.md has all fields. A chain stops at
the first failure unless it is told to go on. No sessions are kept.`,
    positionals: [],
    flags: [
      ...INPUT,
      { name: 'stop-on-failure', description: 'Leave out the steps after one that failed, as is the default' },
      { name: 'continue-on-failure', description: 'Go on after a failure' },
      ...DEFAULTS,
      ...OUTPUT_DIR,
      JSON_FLAG,
      { name: 'quiet', short: 'q', description: 'No progress and no outputs, only the table' },
      DRY_RUN,
      DEMO,
    ],
    examples: [
      { line: 'drover chain -f steps.yaml', description: 'one step after another' },
      { line: 'drover chain -f steps.yaml --continue-on-failure --json', description: 'all steps, for scripts' },
      { line: 'drover chain -f steps.yaml --dry-run', description: 'what would be run' },
    ],
    load: () => import('./chain.ts'),
  },
  {
    words: ['compare'],
    group: 'Prompts',
    summary: 'Ask several agents the same',
    description: `On a wide terminal the answers stand side by side. An agent that is not installed is left out with a warning.
The exit code is 1 if any of them failed.`,
    positionals: [{ name: 'text', description: 'The prompt; - reads it from standard input', isOptional: true }],
    flags: [
      { name: 'backends', value: 'NAMES', description: 'The agents, as in claude,codex' },
      { name: 'all-backends', description: 'All agents that are installed' },
      { name: 'sequential', description: 'One after another instead of all at once' },
      { ...MODEL, description: 'One model for all of them' },
      WORKDIR,
      APPROVAL,
      SANDBOX,
      TIMEOUT,
      PROMPT_FILE,
      ...OUTPUT_DIR,
      JSON_FLAG,
      { name: 'quiet', short: 'q', description: 'No progress, only the answers' },
      DRY_RUN,
      DEMO,
    ],
    examples: [
      { line: 'drover compare "explain this error" --all-backends', description: 'everybody' },
      { line: 'git diff | drover compare - --backends claude,codex --json', description: 'two of them, for scripts' },
      { line: 'drover compare --demo --all-backends "hello there"', description: 'without any agent installed' },
    ],
    load: () => import('./compare.ts'),
  },
]
