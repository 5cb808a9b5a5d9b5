/** The commands under `protocol`: for hosts and other programs that drive a run. */
import { commandsIn, type Flag, flag } from '../command.ts'
import { BUDGET, ID, ROOT, RUN_ID, SOURCE_FILE } from '../words/shared-flags.ts'

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
run waits until you choose between them. Without --budget the run keeps its remaining budget; if none is left, it gets
its initial budget again. Prints a protocolState.`,
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
