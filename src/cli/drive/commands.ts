import { commandsIn } from '../command.ts'
import { RUN_ID } from '../run/run-flags.ts'
import { DEMO, DRIVE_SANDBOX, JSON_FLAG, MCP_SERVER, PREPARATION, ROOT } from '../words/shared-flags.ts'

export const DRIVE_COMMANDS = commandsIn({ group: 'Changes' }, [
  {
    words: ['drive'],
    summary: 'Let agents make a change on their own, from goal to branch',
    description: `Starts a run and lets an agent perform the run's actions: the agent reads the code, asks you when it needs a decision, and changes
the files. Then the changes are reviewed in a new session, by another agent if one is installed. drover runs your checks itself, sends
failures back to the agent, and compares what the agent reports with git and with its tool calls. The work is done in a new git
worktree, created from the last commit, and becomes a commit on a new branch.

If the run needs a decision, drover asks you at the terminal. Without a terminal, the command prints what it is waiting for and exits
with 4. Answer with "drover answer", then continue the run with "drover drive RUN_ID". The same command continues a run that was killed
or stopped, that reached a limit, or that was started with "drover run".

With --detach, your server drives the run. If none is running, one is started in the background. The run survives closing the
terminal. If the server is killed, the run continues when the server is started again. "drover drive RUN_ID" follows the run, and
Ctrl-C leaves it running. "drover stop RUN_ID" stops it.

With several targets, --label or --after, the runs are queued: your server drives as many at once as drive.parallel says, each in its own
worktree. The command follows them until all have ended, and Ctrl-C leaves them running; with --detach it returns at once. "drover stop
RUN_ID" removes a run from the queue, "drover drive RUN_ID --first" puts it first, and --ahead-of puts it before another one. A new run with --detach is queued too if runs
are queued already. The exit code is that of the worst result.

TARGET is a goal, the URL of an issue (or '#7' in a clone of its repository), the id of a run, or the URL of the pull request that
a run has delivered, which is then followed. Without TARGET, continues the
unfinished run, if there is exactly one.

Exit codes: 0 if the work is delivered, or left in the worktree because you asked for that, or if no change was needed; 2 for a usage
error; 3 if the work was not delivered because something failed, a check failed or did not run, or no agent did the work; 4 if the run
is waiting for you or a limit was reached; 5 if the work is delivered, but you should look at it first; 130 if the command was
interrupted.`,
    positionals: [
      {
        ...RUN_ID,
        name: 'TARGET',
        description: 'A goal, an issue, or the id of a run (default: the only unfinished run); several are queued',
        isOptional: true,
        repeats: true,
      },
    ],
    flags: [
      {
        name: 'goal-file',
        otherNames: ['goal'],
        value: 'FILE',
        description: 'Read the goal from this file; every TARGET is then a file too',
        mayBeEmpty: true,
        repeats: true,
      },
      { name: 'label', value: 'LABEL', description: 'Queue the open issues with this label, oldest first' },
      {
        name: 'after',
        value: 'RUN',
        description: 'Queue the run: it starts on the branch of this run, when that is delivered',
      },
      {
        name: 'first',
        description: 'Put the new runs, or the queued run that TARGET names, before all others in the queue',
      },
      {
        name: 'ahead-of',
        value: 'RUN',
        description: 'Start the queued run that TARGET names before this one, and those in front of it in their order',
      },
      {
        name: 'total-tokens',
        value: 'N',
        description: 'Pause all runs that are queued by this command once they have used this many tokens together',
        integer: { min: 1, max: 1_000_000_000_000 },
      },
      {
        name: 'total-cost',
        value: 'USD',
        description: 'Pause them once they have cost this much together',
      },
      { name: 'queue', description: 'Show the queue: its order, what each run waits for, and what was used' },
      {
        name: 'with',
        value: 'BACKEND[/MODEL]',
        description: 'Agent that does the work (default: default_backend)',
        otherNames: ['backend', 'b', 'model', 'm', 'agent'],
      },
      {
        name: 'review-with',
        value: 'BACKEND[/MODEL]',
        description:
          'Agent that reviews the changes, read-only (default: another installed agent, or else the same one)',
      },
      {
        name: 'check',
        value: 'COMMAND',
        description: 'Command that drover runs after the work and that must pass',
        repeats: true,
      },
      ...PREPARATION,
      {
        name: 'baseline',
        value: 'HOW',
        description:
          'Whether to run the checks before the first agent starts: run them, record failures and continue, but ask first at a terminal (note); run them and pause until they pass (require); or do not run them (skip). Default: note',
        choices: ['note', 'require', 'skip'],
      },
      {
        name: 'actions',
        value: 'N',
        description: 'Maximum number of actions per run (default: 8)',
        integer: { min: 1, max: 1000 },
      },
      {
        name: 'max-tokens',
        value: 'N',
        description: 'Pause once this many tokens have been used',
        integer: { min: 1, max: 1_000_000_000_000 },
      },
      { name: 'max-cost', value: 'USD', description: 'Pause once this much has been spent' },
      { name: 'max-time', value: 'TIME', description: 'Pause after this much working time, such as 90m or 2h' },
      {
        name: 'on-limit',
        value: 'HOW',
        description:
          "If an agent reaches its provider's limit: wait until it is reset (wait), continue with the next agent of --fallback (next), or pause (pause). Default: ask at a terminal, wait elsewhere (ask)",
        choices: ['ask', 'wait', 'next', 'pause'],
      },
      { name: 'max-wait', value: 'TIME', description: 'Wait for a limit at most this long, such as 90m (default: 6h)' },
      {
        name: 'fallback',
        value: 'BACKENDS',
        description: 'Agents that continue the work after a limit, in this order, such as codex,opencode',
      },
      {
        name: 'rounds',
        value: 'N',
        description: 'Maximum number of follow-up runs to fix review findings and failed checks (default: 2)',
        integer: { min: 0, max: 20 },
      },
      {
        name: 'approval',
        value: 'MODE',
        description:
          'What the agent may do in an implement action: edit files and run the checks (auto), run any command in a sandbox (sandboxed), everything (none), or only read (always); default: sandboxed where this machine has a sandbox, else auto',
        choices: ['auto', 'sandboxed', 'none', 'always'],
      },
      ...DRIVE_SANDBOX,
      MCP_SERVER,
      { name: 'no-review', description: 'Skip the review of the changes' },
      { name: 'worktree', description: 'Work in a new git worktree, on a new branch (the default)' },
      { name: 'in-place', description: 'Work directly in the current worktree, and commit nothing' },
      {
        name: 'deliver',
        value: 'HOW',
        description:
          'Commit on the branch (branch), also open a draft pull request (pr), or do neither (none); default: branch',
        choices: ['none', 'branch', 'pr'],
      },
      {
        name: 'follow',
        description:
          'Open a draft pull request and watch it until it is merged or closed: failed checks and comments of reviewers become further rounds',
      },
      {
        name: 'also',
        value: 'TEXT',
        description: 'What the delivered run that TARGET names has to do in addition, on the same branch',
        repeats: true,
      },
      {
        name: 'take-over',
        description: 'Continue on top of what another person pushed to the branch of the run that TARGET names',
      },
      { name: 'as-goal', description: 'Use the title and text of an ordinary issue as the goal, without asking' },
      {
        name: 'notify',
        value: 'COMMAND',
        description: 'Run this command, with JSON on its standard input, when the run needs you or ends',
      },
      {
        name: 'detach',
        description: 'Run on your server (drover serve or drover up); if none is running, one is started',
      },
      {
        name: 'restore',
        description:
          "Undo changes to the repository's refs, git settings and hooks that were made while this run's agents were working",
      },
      { name: 'yes', description: 'Restore without asking' },
      { name: 'list', description: 'List the worktrees of driven runs, and why they were kept' },
      DEMO,
      { ...ROOT, otherNames: ['workdir', 'w', 'directory', 'cwd'] },
      {
        ...JSON_FLAG,
        description: 'Print one JSON object per line: every record, every agent event, the result',
      },
    ],
    examples: {
      'drover drive "Show the wind in knots"': 'a goal',
      'drover drive --demo "Show the wind in knots"': 'try it without an agent',
      'drover drive "Show the wind in knots" --check "npm test"': 'with a check',
      'drover drive "Show the wind in knots" --setup "npm ci" --check "npm test"': 'in a project with dependencies',
      'drover drive https://github.com/ada/weather/issues/7 --with codex': 'an issue',
      'drover drive --goal-file issue.md': 'a longer goal, such as an issue from another tracker',
      'drover drive 6f1c2c6e --max-tokens 500000': 'continue a run, up to a limit',
      'drover drive "Show the wind in knots" --detach': 'in the background',
      'drover drive 6f1c2c6e --on-limit next --fallback codex': 'continue with another agent after a limit',
      "drover drive '#7' '#9' '#12' --detach": 'three issues, one after the other',
      'drover drive --label ready --total-tokens 5000000': 'all issues with a label, up to a limit',
      "drover drive '#7' --as-goal --follow": 'an issue, until its pull request is merged',
      'drover drive 6f1c2c6e --also "Mention it in the README"': 'more, on the same branch',
      'drover drive --queue': 'show the queue',
      'drover drive --list': 'list worktrees that were kept',
    },
    load: () => import('./drive.ts'),
  },
])
