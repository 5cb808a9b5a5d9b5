import type { RunStatus } from '../../contract/run-status.shape.ts'
import { commandsIn, type Flag, flag } from '../command.ts'
import { JSON_FLAG, ROOT } from '../words/shared-flags.ts'
import { BUDGET, ID, RUN_ID, SOURCE_FILE } from './run-flags.ts'

const STATES: readonly (RunStatus['state'] | 'delivered' | 'merged' | 'discarded')[] = [
  ...(['active', 'paused', 'stopped', 'ended', 'delivered', 'merged', 'discarded'] as const),
]

const STATE_AS_JSON: Flag = {
  ...JSON_FLAG,
  description: 'Print JSON (a protocolState; see docs/machine-protocol.md)',
}

export const RUN_COMMANDS = commandsIn({ group: 'Changes' }, [
  {
    words: ['run'],
    summary: 'Start a run: a change made one action at a time',
    description: `The run is stored in the worktree's git directory. It starts with the action "orient". A host performs the action and
reports its outcome with "drover protocol submit". The response contains the next action, until the run has ended.
A host is an agent that drover is installed into. You or a script can take its place. "drover drive RUN_ID" lets agents
perform the actions, and "drover drive GOAL" starts a run and drives it in one command.

The goal is given as one argument, in a file or on standard input, and is stored unchanged. If you name an issue, from GitHub (through
gh) or from a file, the run works from the issue's requirements. If you give no goal, the title of the GitHub issue is the goal.`,
    positionals: [{ name: 'goal', description: 'What the change should achieve', isOptional: true }],
    flags: [
      flag('--goal-file FILE', 'Read the goal from this file', { mayBeEmpty: true }),
      flag('--goal-stdin', 'Read the goal from standard input'),
      flag('--issue URL', 'Work from this GitHub issue, fetched through gh'),
      SOURCE_FILE,
      { ...BUDGET, description: 'Maximum number of actions, 1 to 1000 (default: 8)' },
      flag('--no-review', 'Skip the review of the changes'),
      ROOT,
      STATE_AS_JSON,
    ],
    examples: {
      'drover run "Show the wind in knots"': 'a goal',
      'drover run --issue https://github.com/ada/weather/issues/7': 'an issue',
      'drover run --goal-file goal.md --budget 20 --no-review': 'more actions, no review',
      'drover run --goal-stdin --json < goal.md': 'for programs',
    },
    load: () => import('./run-command.ts'),
  },
  {
    words: ['status'],
    summary: 'List the runs of the repository, or show one of them',
    description: `With an id, shows the state of the run, what it is waiting for, and the commands you can run next, ready to paste.
Without an id, lists all runs, oldest first, or only those in the given states. Runs in other worktrees are marked. Runs
that cannot be read are always listed. A delivered run has ended, and its work is on a branch. This command changes nothing.`,
    positionals: [{ ...RUN_ID, isOptional: true }],
    flags: [
      flag('--state STATE', 'List only the runs in this state', { choices: STATES, repeats: true }),
      flag('--section KEY', 'Show this section of the pinned issue', { mayBeEmpty: true }),
      flag('-w, --watch', 'Follow the run until it has ended or you press Ctrl-C'),
      ROOT,
      {
        ...JSON_FLAG,
        description: 'Print JSON (a statusList, runStatus or pinnedMaterial; see docs/machine-protocol.md)',
      },
    ],
    examples: {
      'drover status': 'all runs',
      'drover status --state active --state paused': 'active and paused runs',
      'drover status 6f1c2c6e': 'one run, and the commands you can run next',
      [`drover status ${ID} --watch`]: 'follow a run live',
      [`drover status ${ID} --section outcome`]: 'a section of the issue',
    },
    load: () => import('./status.ts'),
  },
  {
    words: ['stop'],
    summary: 'Stop a run; it can be resumed later',
    description: `The run's work is kept, and its current action is withdrawn. Without an id, stops the active or paused run of this
worktree, if there is exactly one. Stopping a run twice has no further effect.`,
    positionals: [{ ...RUN_ID, isOptional: true }],
    flags: [ROOT, STATE_AS_JSON],
    examples: {
      'drover stop': 'the only run',
      'drover stop 6f1c2c6e': 'one of several',
    },
    load: () => import('./stop-command.ts'),
  },
  {
    words: ['answer'],
    summary: "Answer a run's question, or confirm a destructive operation",
    description: `Without a run id, answers the run that is waiting for an answer, if there is exactly one. A single argument is the answer,
unless it is the id of a run. Without text, drover reads the answer from a pipe, or shows the question and asks at a terminal.

An ordinary answer never permits a destructive operation: it declines the operation, and its text is passed on to the agent. To allow
exactly the operation that is shown, once, type only y when drover asks, or use --confirm with the digest that "drover status" shows
(its first 12 characters are enough).`,
    positionals: [
      { ...RUN_ID, isOptional: true },
      { name: 'text', description: 'The answer', isOptional: true },
    ],
    flags: [
      flag('-f, --file FILE', 'Read the answer from this file'),
      flag('--confirm DIGEST', 'Permit the destructive request with this digest, once'),
      ROOT,
      STATE_AS_JSON,
    ],
    examples: {
      'drover answer "Whole knots."': 'the only run with a question',
      'drover answer 6f1c2c6e "Whole knots."': 'one of several',
      'drover answer 6f1c2c6e -f answer.md': 'a long answer',
      'drover answer 6f1c2c6e --confirm 3f2a9c01b7de': 'allow a destructive request',
    },
    load: () => import('./answer-command.ts'),
  },
  {
    words: ['skip'],
    summary: "Skip a run's current action",
    description: `Changes that the action made in the worktree are still recorded. Without an id, skips the action of the run that has one,
if there is exactly one.`,
    positionals: [{ ...RUN_ID, isOptional: true }],
    flags: [ROOT, STATE_AS_JSON],
    examples: {
      'drover skip': 'the only run',
      'drover skip 6f1c2c6e': 'one of several',
    },
    load: () => import('./skip-command.ts'),
  },
  {
    words: ['continue'],
    summary: 'Resume a run that was stopped, or is paused without a question',
    description: `Without an id, resumes the only resumable run. If the run works from an issue, the issue is fetched again through gh. If the
issue has changed, the run waits until you choose: --adopt continues with the changed issue, --use-pinned with the pinned one. Without
--budget, the run keeps its remaining actions. If none is left, it gets its initial number again.`,
    positionals: [{ ...RUN_ID, isOptional: true }],
    flags: [
      BUDGET,
      flag('--use-pinned', 'Continue with the pinned issue'),
      flag('--adopt', 'Continue with the changed issue'),
      SOURCE_FILE,
      ROOT,
      STATE_AS_JSON,
    ],
    examples: {
      'drover continue': 'the only run that was stopped',
      'drover continue 6f1c2c6e --budget 5': 'with five more actions',
      'drover continue 6f1c2c6e --use-pinned': 'without looking at the issue again',
    },
    load: () => import('./continue.ts'),
  },
  {
    words: ['report'],
    summary: 'Write a report about a run, in Markdown',
    description: `The report has the goal, the decisions, the changed files with their added and removed lines, the evidence, the checks,
the review findings, the summary and the cost. It repeats what was reported and observed. It does not certify anything.
Without an id, reports on the newest run. On a terminal, the Markdown is rendered.

With --since, writes one page about all runs that agents have driven in this repository since then: what was delivered, what is waiting
for you, what failed and why, the cost, and an order in which the branches merge without conflicts.`,
    positionals: [{ ...RUN_ID, isOptional: true }],
    flags: [
      flag('--since TIME', 'One page about all driven runs since then: 12h, yesterday, or a date'),
      flag('-o, --output FILE', 'Write the report to this file, which must not exist yet'),
      ROOT,
      { ...JSON_FLAG, description: 'Print the report as one JSON object' },
    ],
    examples: {
      'drover report': 'the newest run',
      'drover report 6f1c2c6e -o report.md': 'a file, for a pull request',
      'drover report 6f1c2c6e --json': 'for programs',
      'drover report --since yesterday': 'everything that happened overnight',
    },
    load: () => import('./report.ts'),
  },
])

/** The commands under `protocol`: for hosts and other programs that drive a run. */
const RUN: Flag = flag('--run ID', 'The id of the run, or its beginning', { mayBeEmpty: true })

const ACTION: Flag = flag('--action ID', 'The id of its current action', { mayBeEmpty: true })

const ACTION_ID = '0b9d1c7a-55f0-4f0e-8a1c-6a2d1f3e4b5c'

export const PROTOCOL_COMMANDS = commandsIn({ group: 'Programs', failsAs: 'Changes' }, [
  {
    words: ['protocol', 'submit'],
    summary: 'Report the outcome of the current action of a run',
    description: `The outcome is JSON, described in docs/machine-protocol.md. Submitting the same bytes for the same action again returns
the same response and changes nothing. Prints a protocolState with the next action.`,
    flags: [
      RUN,
      ACTION,
      flag('--outcome-file FILE', 'Read the outcome from this file', { mayBeEmpty: true }),
      flag('--outcome-stdin', 'Read the outcome from standard input'),
      ROOT,
    ],
    examples: {
      [`drover protocol submit --run ${ID} --action ${ACTION_ID} --outcome-file outcome.json`]: 'a file',
      [`drover protocol submit --run ${ID} --action ${ACTION_ID} --outcome-stdin < outcome.json`]: 'standard input',
    },
    load: () => import('./protocol-submit.ts'),
  },
  {
    words: ['protocol', 'answer'],
    summary: 'Answer the question of a run, or confirm a destructive request',
    description: `An ordinary answer never permits a destructive operation. Only --confirm-destructive does, together with the digest of
the exact request. You can add text as a note. Prints a protocolState.`,
    flags: [
      RUN,
      ACTION,
      flag('--text TEXT', 'The answer', { mayBeEmpty: true }),
      flag('--text-file FILE', 'Read the answer from this file', { mayBeEmpty: true }),
      flag('--text-stdin', 'Read the answer from standard input'),
      flag('--confirm-destructive', 'Permit the request, once'),
      flag('--scope-sha256 DIGEST', 'The digest of the permitted request', { mayBeEmpty: true }),
      ROOT,
    ],
    examples: {
      [`drover protocol answer --run ${ID} --action ${ACTION_ID} --text "Knots."`]: 'a decision',
      [`drover protocol answer --run ${ID} --action ${ACTION_ID} --confirm-destructive --scope-sha256 sha256:…`]:
        'a confirmation',
    },
    load: async () => ({ run: (await import('./protocol.ts')).answer }),
  },
  {
    words: ['protocol', 'skip'],
    summary: 'Skip the current action of a run',
    description: 'Changes that the action made in the worktree are still recorded. Prints a protocolState.',
    flags: [RUN, ACTION, ROOT],
    examples: {
      [`drover protocol skip --run ${ID} --action ${ACTION_ID}`]: 'continue with the next action',
    },
    load: async () => ({ run: (await import('./protocol.ts')).skip }),
  },
  {
    words: ['protocol', 'resume'],
    summary: 'Resume a run that was stopped, or is paused without a question',
    description: `A run with an issue needs a choice: the current version of the issue, or the pinned one. If the issue has changed, the
run waits until you choose between them. Without --budget the run keeps its remaining actions; if none is left, it gets
its initial number again. Prints a protocolState.`,
    positionals: [RUN_ID],
    flags: [
      BUDGET,
      SOURCE_FILE,
      flag('--use-pinned-source', 'Continue with the pinned issue'),
      flag('--source-choice CHOICE', 'Which source to continue with: pinned or adopt', { mayBeEmpty: true }),
      flag('--candidate ID', 'The id of the source candidate', { mayBeEmpty: true }),
      ROOT,
    ],
    examples: {
      [`drover protocol resume ${ID}`]: 'a run without an issue',
      [`drover protocol resume ${ID} --source-file envelope.json`]: 'with the current issue',
      [`drover protocol resume ${ID} --use-pinned-source --budget 5`]: 'with the pinned issue and five actions',
      [`drover protocol resume ${ID} --source-choice adopt --candidate ${ACTION_ID}`]: 'adopt the changed issue',
    },
    load: async () => ({ run: (await import('./protocol.ts')).resume }),
  },
  {
    words: ['protocol', 'material'],
    summary: 'Read a section of the issue for the current action of a run',
    description: 'Only the current action of a run may read it. Prints an actionMaterial and changes nothing.',
    flags: [RUN, ACTION, flag('--section KEY', 'The key of the section', { mayBeEmpty: true }), ROOT],
    examples: {
      [`drover protocol material --run ${ID} --action ${ACTION_ID} --section requirements`]: 'the requirements',
    },
    load: async () => ({ run: (await import('./protocol.ts')).material }),
  },
])
