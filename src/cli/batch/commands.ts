import { commandsIn, type Flag, flag } from '../command.ts'
import {
  ACCESS,
  ADD_DIR,
  ADDED_INPUT,
  APPROVAL,
  APPROVAL_CHOICES,
  BACKEND,
  DEMO,
  DRIVE_SANDBOX,
  JSON_FLAG,
  MODEL,
  PREPARATION,
  PROMPT_FILE,
  SCHEMA,
  TIMEOUT,
  WORKDIR,
} from '../words/shared-flags.ts'

const INPUT: readonly Flag[] = [
  flag('-f, --file FILE', 'YAML or JSON file to read (default: standard input)'),
  flag('--input FILE', 'Same as --file'),
]

/** Defaults for tasks that do not set these fields. */
const DEFAULTS: readonly Flag[] = [
  { ...BACKEND, description: 'Default agent' },
  { ...MODEL, description: 'Default model' },
  { ...WORKDIR, description: 'Default working directory' },
  { ...APPROVAL, description: `Default for what agents may do without approval: ${APPROVAL_CHOICES}` },
  { ...ACCESS, description: 'Default for where agents may write' },
  { ...TIMEOUT, description: 'Default time after which an agent is stopped' },
]

const OUTPUT_DIR: readonly Flag[] = [
  flag('--output-dir DIR', 'Write each result to a file in this directory as soon as it is available'),
  flag('--force', 'Replace existing results'),
]

const DRY_RUN: Flag = flag('--dry-run', 'Print the commands without running them')

export const BATCH_COMMANDS = commandsIn({ group: 'Prompts' }, [
  {
    words: ['parallel'],
    summary: 'Run several prompts at the same time',
    description: `The file contains a list of tasks, or an object with "tasks" and settings (see docs/task-files.md). The whole file is
checked before the first task starts. No sessions are recorded.
The exit code is 1 if any task failed. Ctrl-C stops all agents, but finished results are still printed.`,
    flags: [
      ...INPUT,
      flag('--max-parallel N', 'Run at most N tasks at the same time (0: parallel.max_workers in the config)', {
        integer: { min: 0, max: 1000 },
      }),
      flag('--fail-fast', 'Stop all tasks when one fails'),
      ...DEFAULTS,
      ...OUTPUT_DIR,
      JSON_FLAG,
      flag('-q, --quiet', 'Print only the table'),
      DRY_RUN,
      DEMO,
    ],
    examples: {
      'drover parallel -f tasks.yaml': 'run as many at the same time as the config allows',
      'drover parallel -f tasks.yaml --max-parallel 8 --output-dir results':
        'run eight at a time and write one result file each',
      'drover parallel -f tasks.json --json --fail-fast': 'print JSON and stop at the first failure',
      [`echo '[{"prompt": "hello there"}]' | drover parallel --demo`]: 'read tasks from a pipe, use the demo agent',
    },
    load: () => import('./parallel-command.ts'),
  },
  {
    words: ['chain'],
    summary: 'Run prompts one after another; each can use earlier answers',
    description: `In a step's prompt, {{previous}} is replaced by the previous step's answer and {{steps.NAME}} by a named step's answer.
The file contains a list of steps, or an object with "steps" and settings (see docs/task-files.md). A chain stops at the
first failure by default. No sessions are recorded.`,
    flags: [
      ...INPUT,
      flag('--stop-on-failure', 'Skip the steps after a failure (default)'),
      flag('--continue-on-failure', 'Continue after a failure'),
      ...DEFAULTS,
      ...OUTPUT_DIR,
      JSON_FLAG,
      flag('-q, --quiet', 'Print only the table'),
      DRY_RUN,
      DEMO,
    ],
    examples: {
      'drover chain -f steps.yaml': 'run the steps',
      'drover chain -f steps.yaml --continue-on-failure --json': 'run all steps and print JSON',
      'drover chain -f steps.yaml --dry-run': 'show what would run',
    },
    load: () => import('./chain-command.ts'),
  },
  {
    words: ['compare'],
    summary: 'Run the same prompt on several agents',
    description: `A wide terminal shows the answers side by side. An agent that --backends names and that cannot be used fails, and the others answer.
The exit code is 1 if an agent failed, or if the work kept with --keep fails a check.

With --worktrees, each agent works in its own git worktree, created from the last commit, and may edit files there. Then drover
runs your checks and shows how much each agent changed. --keep turns one agent's work into a branch and drops the others. With
--worktrees, it does so as soon as the agents finish. Without --worktrees, it applies to the last comparison in this repository,
or to the one that --comparison names, and so does --diff. Ctrl-C leaves no processes, worktrees or branches behind.

--list shows earlier comparisons in all repositories, newest first: each agent's state, checks and work, and which one was kept.
--show ID shows one of them with its answers and the output of failed checks. Comparisons in worktrees are listed unless executions.keep is none, others if it is results or events.`,
    positionals: [{ name: 'text', description: 'Prompt; - reads it from standard input', isOptional: true }],
    flags: [
      flag('--backends NAMES', 'Agents to compare, as in claude,codex (default: all installed)', {
        otherNames: ['backend', 'b'],
      }),
      flag('--all-backends', 'Compare all installed agents, even if only one is installed'),
      flag('--sequential', 'Run one agent after another'),
      flag('--worktrees', 'Give each agent its own git worktree'),
      flag(
        '--check COMMAND',
        "Run this in each worktree, without a shell; use sh -c '…' if you need one (default: drive.checks)",
        { repeats: true },
      ),
      flag('--check-timeout SECONDS', 'Stop a check after this time (default: 600)', {
        integer: { min: 1, max: 86_400 },
      }),
      ...PREPARATION,
      ...DRIVE_SANDBOX,
      flag('--keep NAME', "Keep this agent's work as a branch, and drop the others"),
      flag('--drop', 'Drop all worktrees of the last comparison'),
      flag('--diff NAME', "Print this agent's changes as a patch, with new files"),
      flag(
        '--comparison ID',
        'With --diff, --keep or --drop: the comparison with this id, or at least its first 4 characters',
      ),
      flag('--list', 'List earlier comparisons'),
      flag('--show ID', 'Show an earlier comparison, named as for --comparison: its answers, checks and changes'),
      flag('-n, --limit N', 'With --list: show at most N (default: 20)', { integer: { min: 1, max: 100 } }),
      flag('--offset N', 'With --list: skip the N newest', { integer: { min: 0, max: 10_000 } }),
      { ...MODEL, description: 'Model for all agents' },
      WORKDIR,
      {
        ...ADD_DIR,
        description: 'Directory in which all agents work too; with --worktrees, one outside of the repository',
      },
      SCHEMA,
      APPROVAL,
      ACCESS,
      TIMEOUT,
      PROMPT_FILE,
      ...ADDED_INPUT,
      ...OUTPUT_DIR,
      JSON_FLAG,
      flag('-q, --quiet', 'Print only the answers; with --keep or --drop, only what could not be dropped'),
      DRY_RUN,
      DEMO,
    ],
    examples: {
      'drover compare "explain this error"': 'compare all installed agents',
      'git diff | drover compare "review this change" --backends claude,codex --json':
        'compare two agents and print JSON',
      'drover compare --worktrees --check "npm test" "show the wind in knots"':
        'let each agent make the change, and check the results',
      'drover compare --diff codex': 'look at the changes of one agent',
      'drover compare --keep codex': "keep one agent's work as a branch",
      'drover compare --list': 'find an earlier comparison',
      'drover compare --show 3f2a9c1b': 'look at it again',
      'drover compare --keep codex --comparison 3f2a9c1b': 'keep work of an earlier comparison',
      'drover compare --demo "hello there"': 'try it without an installed agent',
    },
    load: () => import('./compare-command.ts'),
  },
])
