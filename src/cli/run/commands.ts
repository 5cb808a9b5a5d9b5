/** The commands on runs: for people, and under `protocol` for hosts that drive a run. */
import type { RunStatus } from '../../contract/run-status.shape.ts'
import type { Command, Flag, Positional } from '../command.ts'
import { JSON_FLAG, ROOT } from '../words/shared-flags.ts'

const BUDGET: Flag = { name: 'budget', value: 'N', description: 'The number of actions the run may use, 1 to 1000' }

const SOURCE_FILE: Flag = {
  name: 'source-file',
  value: 'FILE',
  description: 'The issue: an envelope written by drover source fetch',
  mayBeEmpty: true,
}

const RUN: Flag = { name: 'run', value: 'ID', description: 'The id of the run, or its beginning', mayBeEmpty: true }

const ACTION: Flag = { name: 'action', value: 'ID', description: 'The id of its current action', mayBeEmpty: true }

const STATES: readonly RunStatus['state'][] = ['active', 'paused', 'stopped', 'ended']

const RUN_ID: Positional = {
  name: 'run-id',
  description: 'The id of the run, or its beginning (at least 4 characters)',
  suggests: async (runtime) => (await import('./open-runs.ts')).suggestRunIds(runtime),
}

const ID = '6f1c2c6e-3b1b-4f39-9b0a-2f4f5a0d9a11'
const ACTION_ID = '0b9d1c7a-55f0-4f0e-8a1c-6a2d1f3e4b5c'

const PEOPLE: readonly Command[] = [
  {
    words: ['run'],
    group: 'Changes',
    summary: 'Start a run: a change made one action at a time',
    description: `The run is stored in the git directory of the worktree. It starts with one action, orient. A host performs the action
and reports its outcome with drover protocol submit; the response contains the next action, until the run has ended.
A host is an agent that drover is installed into; a script, or you, can do the same.

The goal is given as one argument, in a file or on standard input, and is stored unchanged. With an issue, from GitHub through gh or
from a file, the run works from the requirements of the issue. Without a goal, the title of a GitHub issue is the goal.`,
    positionals: [{ name: 'goal', description: 'What the change should achieve', isOptional: true }],
    flags: [
      { name: 'goal-file', value: 'FILE', description: 'Read the goal from this file', mayBeEmpty: true },
      { name: 'goal-stdin', description: 'Read the goal from standard input' },
      { name: 'issue', value: 'URL', description: 'Work from this GitHub issue, fetched through gh' },
      SOURCE_FILE,
      { ...BUDGET, description: 'The number of actions the run may use, 1 to 1000; 8 by default' },
      { name: 'no-review', description: 'Skip the review of the changes' },
      ROOT,
      { ...JSON_FLAG, description: 'Print a protocolState' },
    ],
    examples: [
      { line: 'drover run "Show the wind in knots"', description: 'a goal' },
      { line: 'drover run --issue https://github.com/ada/weather/issues/7', description: 'an issue' },
      { line: 'drover run --goal-file goal.md --budget 20 --no-review', description: 'more actions, no review' },
      { line: 'drover run --goal-stdin --json < goal.md', description: 'for programs' },
    ],
    load: () => import('./run.ts'),
  },
  {
    words: ['status'],
    group: 'Changes',
    summary: 'List the runs of the repository, or show one of them',
    description: `With an id: shows the state of the run, what it is waiting for, and the commands that can follow, ready to paste. Without
an id: lists all runs, oldest first, or only those in the given states. Runs of other worktrees are marked as foreign. A run that cannot
be read is always listed. Nothing is changed.`,
    positionals: [{ ...RUN_ID, isOptional: true }],
    flags: [
      {
        name: 'state',
        value: 'STATE',
        description: 'List only the runs in this state',
        choices: STATES,
        repeats: true,
      },
      {
        name: 'section',
        value: 'KEY',
        description: 'Show this section of the pinned issue',
        mayBeEmpty: true,
      },
      { name: 'watch', short: 'w', description: 'Follow the run until it has ended or you press Ctrl-C' },
      ROOT,
      { ...JSON_FLAG, description: 'Print a statusList, a runStatus or a pinnedMaterial' },
    ],
    examples: [
      { line: 'drover status', description: 'all runs' },
      { line: 'drover status --state active --state paused', description: 'active and paused runs' },
      { line: 'drover status 6f1c2c6e', description: 'one run, and the commands that can follow' },
      { line: `drover status ${ID} --watch`, description: 'live' },
      { line: `drover status ${ID} --section outcome`, description: 'a section of the issue' },
    ],
    load: () => import('./status.ts'),
  },
  {
    words: ['stop'],
    group: 'Changes',
    summary: 'Stop a run; it can be resumed later',
    description: `The work of the run is kept; its current action is withdrawn. Without an id, the only active or paused run of this
worktree is stopped. Stopping a run twice has no further effect.`,
    positionals: [{ ...RUN_ID, isOptional: true }],
    flags: [ROOT, { ...JSON_FLAG, description: 'Print a protocolState' }],
    examples: [
      { line: 'drover stop', description: 'the only run' },
      { line: 'drover stop 6f1c2c6e', description: 'one of several' },
    ],
    load: () => import('./stop.ts'),
  },
]

const HOSTS: readonly Command[] = [
  {
    words: ['protocol', 'submit'],
    group: 'Changes',
    summary: 'Report the outcome of the current action of a run',
    description: `The outcome is JSON, described in docs/machine-protocol.md. Submitting the same bytes for the same action again returns
the same response and changes nothing. Prints a protocolState with the next action.`,
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
    summary: 'Answer the question of a run, or confirm a destructive request',
    description: `A text never permits a destructive operation. Only --confirm-destructive does, together with the digest of the exact
request. You can add a text as a note. Prints a protocolState.`,
    positionals: [],
    flags: [
      RUN,
      ACTION,
      { name: 'text', value: 'TEXT', description: 'The answer', mayBeEmpty: true },
      { name: 'text-file', value: 'FILE', description: 'Read the answer from this file', mayBeEmpty: true },
      { name: 'text-stdin', description: 'Read the answer from standard input' },
      { name: 'confirm-destructive', description: 'Permit the request, once' },
      { name: 'scope-sha256', value: 'DIGEST', description: 'The digest of the permitted request', mayBeEmpty: true },
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
    summary: 'Skip the current action of a run',
    description: 'Changes that the action made in the worktree are still recorded. Prints a protocolState.',
    positionals: [],
    flags: [RUN, ACTION, ROOT],
    examples: [
      { line: `drover protocol skip --run ${ID} --action ${ACTION_ID}`, description: 'continue with the next action' },
    ],
    load: () => import('./protocol-skip.ts'),
  },
  {
    words: ['protocol', 'resume'],
    group: 'Changes',
    summary: 'Resume a run that was stopped, or is paused without a question',
    description: `A run with an issue needs a choice: the current version of the issue, or the pinned one. If the issue has changed, the
run waits until you choose between them. Without --budget the run keeps its remaining budget; if none is left, it gets
its initial budget again. Prints a protocolState.`,
    positionals: [RUN_ID],
    flags: [
      BUDGET,
      SOURCE_FILE,
      { name: 'use-pinned-source', description: 'Continue with the pinned issue' },
      {
        name: 'source-choice',
        value: 'CHOICE',
        description: 'Which source to continue with: pinned or adopt',
        mayBeEmpty: true,
      },
      { name: 'candidate', value: 'ID', description: 'The id of the source candidate', mayBeEmpty: true },
      ROOT,
    ],
    examples: [
      { line: `drover protocol resume ${ID}`, description: 'a run without an issue' },
      { line: `drover protocol resume ${ID} --source-file envelope.json`, description: 'with the current issue' },
      {
        line: `drover protocol resume ${ID} --use-pinned-source --budget 5`,
        description: 'with the pinned issue and five actions',
      },
      {
        line: `drover protocol resume ${ID} --source-choice adopt --candidate ${ACTION_ID}`,
        description: 'adopt the changed issue',
      },
    ],
    load: () => import('./protocol-resume.ts'),
  },
  {
    words: ['protocol', 'material'],
    group: 'Changes',
    summary: 'Read a section of the issue for the current action of a run',
    description: 'Only the current action of a run may read it. Prints an actionMaterial and changes nothing.',
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
        description: 'the requirements',
      },
    ],
    load: () => import('./protocol-material.ts'),
  },
]

export const RUN_COMMANDS: readonly Command[] = [...PEOPLE, ...HOSTS]
