/** The commands on runs: those for people, and those under `protocol` by which a host drives a run. */
import type { RunStatus } from '../../contract/run-status.shape.ts'
import type { Command, Flag, Positional } from '../command.ts'
import { JSON_FLAG, ROOT } from '../words/shared-flags.ts'

const BUDGET: Flag = { name: 'budget', value: 'N', description: 'How many actions the run may have, 1 to 1000' }

const SOURCE_FILE: Flag = {
  name: 'source-file',
  value: 'FILE',
  description: 'The issue, as an envelope that drover source fetch wrote',
  mayBeEmpty: true,
}

const RUN: Flag = { name: 'run', value: 'ID', description: 'The run', mayBeEmpty: true }

const ACTION: Flag = { name: 'action', value: 'ID', description: 'Its current action', mayBeEmpty: true }

const STATES: readonly RunStatus['state'][] = ['active', 'paused', 'stopped', 'ended']

const RUN_ID: Positional = {
  name: 'run-id',
  description: 'The run',
  suggests: async (runtime) => (await import('./open-runs.ts')).suggestRunIds(runtime),
}

const ID = '6f1c2c6e-3b1b-4f39-9b0a-2f4f5a0d9a11'
const ACTION_ID = '0b9d1c7a-55f0-4f0e-8a1c-6a2d1f3e4b5c'

const PEOPLE: readonly Command[] = [
  {
    words: ['run'],
    group: 'Changes',
    summary: 'Start a run: a change that is worked out action by action',
    description: `The run is kept in the git directory of the worktree. It begins with one action, to look around; what comes of an
action, a host reports with drover protocol submit, and so the next one is found, until the run has ended. A host is a
coding agent that drover install has taught this, a script, or you.

The goal is given as one argument, in a file or on standard input, and kept as it is. With an issue, from GitHub through
gh or from a file, the run works from what the issue requires; of one from GitHub the title is the goal if no other is
given.`,
    positionals: [{ name: 'goal', description: 'What is to be reached, in words', isOptional: true }],
    flags: [
      { name: 'goal-file', value: 'FILE', description: 'Read the goal from this file', mayBeEmpty: true },
      { name: 'goal-stdin', description: 'Read the goal from standard input' },
      { name: 'issue', value: 'URL', description: 'Serve this issue on GitHub, fetched through gh' },
      SOURCE_FILE,
      { ...BUDGET, description: 'How many actions the run may have, 1 to 1000; 8 by default' },
      { name: 'no-review', description: 'Do without the review of what was changed' },
      ROOT,
      { ...JSON_FLAG, description: 'Print a protocolState' },
    ],
    examples: [
      { line: 'drover run "Show the wind in knots"', description: 'a goal in words' },
      { line: 'drover run --issue https://github.com/ada/weather/issues/7', description: 'what an issue requires' },
      { line: 'drover run --goal-file goal.md --budget 20 --no-review', description: 'more actions, no review' },
      { line: 'drover run --goal-stdin --json < goal.md', description: 'for programs' },
    ],
    load: () => import('./run.ts'),
  },
  {
    words: ['status'],
    group: 'Changes',
    summary: 'Show the runs of the repository, or where one of them stands',
    description: `With an id: what the run waits for, and the commands that can follow, to be pasted. Without: all runs, the oldest
first, or those in the states that are named; those of other worktrees are marked as foreign. A run that cannot be read
is listed whatever its state may be. Nothing is changed.`,
    positionals: [{ ...RUN_ID, isOptional: true }],
    flags: [
      { name: 'state', value: 'STATE', description: 'List the runs in this state', choices: STATES, repeats: true },
      {
        name: 'section',
        value: 'KEY',
        description: 'Show this section of the issue as it was pinned',
        mayBeEmpty: true,
      },
      { name: 'watch', short: 'w', description: 'Follow the run until it has ended, or until Ctrl-C' },
      ROOT,
      { ...JSON_FLAG, description: 'Print a statusList, a runStatus or a pinnedMaterial' },
    ],
    examples: [
      { line: 'drover status', description: 'all runs' },
      { line: 'drover status --state active --state paused', description: 'those that wait for somebody' },
      { line: `drover status ${ID}`, description: 'one of them, and how to go on' },
      { line: `drover status ${ID} --watch`, description: 'live' },
      { line: `drover status ${ID} --section outcome`, description: 'what the issue says' },
    ],
    load: () => import('./status.ts'),
  },
  {
    words: ['stop'],
    group: 'Changes',
    summary: 'Stop a run, which can be resumed later',
    description: `What the run has done stays; its current action is withdrawn. Without an id the one run of this worktree that is active
or paused is stopped. To stop a run twice does no harm.`,
    positionals: [{ ...RUN_ID, isOptional: true }],
    flags: [ROOT, { ...JSON_FLAG, description: 'Print a protocolState' }],
    examples: [
      { line: 'drover stop', description: 'the only one there is' },
      { line: `drover stop ${ID}`, description: 'this one' },
    ],
    load: () => import('./stop.ts'),
  },
]

const HOSTS: readonly Command[] = [
  {
    words: ['protocol', 'submit'],
    group: 'Changes',
    summary: 'Report what came of the current action of a run',
    description: `The outcome is JSON as docs/machine-protocol.md describes it. The same bytes for the same action count once and are
answered again. Prints a protocolState, with the next action in it.`,
    positionals: [],
    flags: [
      RUN,
      ACTION,
      { name: 'outcome-file', value: 'FILE', description: 'Read the outcome from this file', mayBeEmpty: true },
      { name: 'outcome-stdin', description: 'Read the outcome from standard input' },
      ROOT,
    ],
    examples: [
      {
        line: `drover protocol submit --run ${ID} --action ${ACTION_ID} --outcome-file outcome.json`,
        description: 'a file',
      },
      {
        line: `drover protocol submit --run ${ID} --action ${ACTION_ID} --outcome-stdin < outcome.json`,
        description: 'standard input',
      },
    ],
    load: () => import('./protocol-submit.ts'),
  },
  {
    words: ['protocol', 'answer'],
    group: 'Changes',
    summary: 'Answer what a run asks, or confirm what it may destroy',
    description: `Words never allow anything to be destroyed, whatever they say: that takes --confirm-destructive with the digest of exactly
what was asked for. A note may go with it. Prints a protocolState.`,
    positionals: [],
    flags: [
      RUN,
      ACTION,
      { name: 'text', value: 'TEXT', description: 'The answer', mayBeEmpty: true },
      { name: 'text-file', value: 'FILE', description: 'Read the answer from this file', mayBeEmpty: true },
      { name: 'text-stdin', description: 'Read the answer from standard input' },
      { name: 'confirm-destructive', description: 'Allow what was asked for, once' },
      { name: 'scope-sha256', value: 'DIGEST', description: 'The digest of what is allowed', mayBeEmpty: true },
      ROOT,
    ],
    examples: [
      { line: `drover protocol answer --run ${ID} --action ${ACTION_ID} --text "Knots."`, description: 'a decision' },
      {
        line: `drover protocol answer --run ${ID} --action ${ACTION_ID} --confirm-destructive --scope-sha256 sha256:…`,
        description: 'a confirmation',
      },
    ],
    load: () => import('./protocol-answer.ts'),
  },
  {
    words: ['protocol', 'skip'],
    group: 'Changes',
    summary: 'Pass over the current action of a run',
    description: 'What it may have changed is looked at all the same. Prints a protocolState.',
    positionals: [],
    flags: [RUN, ACTION, ROOT],
    examples: [{ line: `drover protocol skip --run ${ID} --action ${ACTION_ID}`, description: 'on to the next' }],
    load: () => import('./protocol-skip.ts'),
  },
  {
    words: ['protocol', 'resume'],
    group: 'Changes',
    summary: 'Let a run go on that was stopped or lacks something',
    description: `A run that serves an issue has to be told which: the issue as it is now, or the one that it has pinned. If the issue has
changed, the run waits until one of the two is chosen. Without --budget it keeps what is left, or gets as much as at
first. Prints a protocolState.`,
    positionals: [RUN_ID],
    flags: [
      BUDGET,
      SOURCE_FILE,
      { name: 'use-pinned-source', description: 'Go on with the issue as it was pinned' },
      {
        name: 'source-choice',
        value: 'CHOICE',
        description: 'Which source to go on with: pinned or adopt',
        mayBeEmpty: true,
      },
      { name: 'candidate', value: 'ID', description: 'What was found, by its id', mayBeEmpty: true },
      ROOT,
    ],
    examples: [
      { line: `drover protocol resume ${ID}`, description: 'a run that serves no issue' },
      { line: `drover protocol resume ${ID} --source-file envelope.json`, description: 'with the issue as it is now' },
      {
        line: `drover protocol resume ${ID} --use-pinned-source --budget 5`,
        description: 'as it was, and five actions',
      },
      { line: `drover protocol resume ${ID} --source-choice adopt --candidate ${ACTION_ID}`, description: 'a choice' },
    ],
    load: () => import('./protocol-resume.ts'),
  },
  {
    words: ['protocol', 'material'],
    group: 'Changes',
    summary: 'Read a section of the issue for the current action of a run',
    description: 'Only the action that a run waits for may read. Prints an actionMaterial and changes nothing.',
    positionals: [],
    flags: [
      RUN,
      ACTION,
      { name: 'section', value: 'KEY', description: 'The key of the section', mayBeEmpty: true },
      ROOT,
    ],
    examples: [
      {
        line: `drover protocol material --run ${ID} --action ${ACTION_ID} --section requirements`,
        description: 'what is required',
      },
    ],
    load: () => import('./protocol-material.ts'),
  },
]

export const RUN_COMMANDS: readonly Command[] = [...PEOPLE, ...HOSTS]
