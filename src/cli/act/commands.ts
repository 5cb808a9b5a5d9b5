/** What people do with the work of a driven run. */
import { commandsIn, type Flag, flag } from '../command.ts'
import { RUN_ID } from '../run/run-flags.ts'
import { JSON_FLAG, ROOT } from '../words/shared-flags.ts'

const AS_JSON: Flag = { ...JSON_FLAG, description: 'Print one JSON object: the run, its verdict and what was done' }

export const ACT_COMMANDS = commandsIn({ group: 'Changes' }, [
  {
    words: ['merge'],
    summary: 'Merge the work of a delivered run into your branch',
    description: `Moves the branch that was checked out when the run was started to the work of the run: by a fast-forward, or by a merge commit
if the branch has moved since. A merge commit is checked first, in a clean checkout, by the checks of the run. If the branch is checked
out, its files are updated. Then the worktree and the branch of the run are removed.

Nothing changes if the run is "not delivered", if the checkout has changes that are not committed, if there are conflicts, if a check
fails, or if the branch of the run is not at the delivered commit. A run with a pull request is merged on its forge, unless you pass --here. git hooks do not run.
If the command is killed, run it again. Merging twice has no further effect.`,
    positionals: [RUN_ID],
    flags: [
      flag('--into BRANCH', 'Merge into this branch'),
      flag('--here', 'Merge into the branch here although the run has a pull request'),
      ROOT,
      AS_JSON,
    ],
    examples: {
      'drover merge 6f1c2c6e': 'into the branch it was started on',
      'drover merge 6f1c2c6e --into develop': 'into another branch',
    },
    load: () => import('./act.ts').then(({ merge }) => ({ run: merge })),
  },
  {
    words: ['pr'],
    summary: 'Open a pull request for a delivered run',
    description: `Pushes the branch of the run and opens a draft pull request through gh, as "drover drive --deliver pr" does at its end. A pull
request that is open already is used. "drover drive RUN_ID --follow" then watches it.`,
    positionals: [RUN_ID],
    flags: [ROOT, AS_JSON],
    examples: { 'drover pr 6f1c2c6e': 'a draft, with the report as its text' },
    load: () => import('./act.ts').then(({ publish }) => ({ run: publish })),
  },
  {
    words: ['take'],
    summary: 'Check the branch of a delivered run out here',
    description: `Removes the worktree of the run, which holds its branch, and switches to the branch in this worktree, as "git switch" does.
Nothing changes if this worktree has changes that are not committed. git hooks do not run.`,
    positionals: [RUN_ID],
    flags: [ROOT, AS_JSON],
    examples: { 'drover take 6f1c2c6e': 'continue by hand' },
    load: () => import('./act.ts').then(({ take }) => ({ run: take })),
  },
  {
    words: ['discard'],
    summary: 'Discard the work of a run; it can be brought back for 7 days',
    description: `Removes the worktree and the branch of the run, delivered or not. What is in the worktree is committed first. A ref in
refs/drover/discarded keeps the commit for 7 days, and --undo brings the branch back. At a terminal, drover asks first.`,
    positionals: [RUN_ID],
    flags: [flag('-y, --yes', 'Do not ask'), flag('--undo', 'Bring the branch of a discarded run back'), ROOT, AS_JSON],
    examples: {
      'drover discard 6f1c2c6e': 'ask, then discard it',
      'drover discard 6f1c2c6e --undo': 'bring it back',
    },
    load: () => import('./act.ts').then(({ discard }) => ({ run: discard })),
  },
])
