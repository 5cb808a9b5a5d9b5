import { Type } from 'typebox'
import { literals, optionalText, strict, textLike } from '../kit/shape.ts'
import { LONGEST_WAIT_SECS } from './backend.shape.ts'

/** Either issues with a label, or a schedule with a goal. */
const WatchEntry = strict({
  repository: Type.String({
    minLength: 1,
    description: 'The clone in which the runs are started: an absolute path.',
  }),
  repo: Type.Optional(
    textLike('^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$', 'a repository such as ada/weather', {
      description: 'The repository of the issues. Default: the one that the remote `origin` names.',
    }),
  ),
  label: Type.Optional(
    textLike('^[^,]{1,100}$', 'one label, without a comma', {
      description: 'The label of the issues. Default: `drover`.',
    }),
  ),
  schedule: optionalText('Instead of issues: when to start a run, as a cron pattern of five fields.', { minLength: 1 }),
  timezone: optionalText('The time zone of the schedule, such as `Europe/Berlin`. Default: that of the machine.', {
    minLength: 1,
  }),
  goal_file: optionalText(
    'The file with the goal of the scheduled run: a path in the clone. Required with a schedule.',
    { minLength: 1 },
  ),
})

export const DriveSection = strict({
  actions: Type.Integer({
    default: 8,
    minimum: 1,
    maximum: 1000,
    description: 'Maximum actions per driven run.',
  }),
  max_tokens: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 1_000_000_000_000,
    description:
      'The tokens that a new run may use with all of its rounds, unless it names a limit itself (`--max-tokens`). 0: no limit.',
  }),
  max_cost_usd: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 1_000_000,
    description:
      'What a new run may cost with all of its rounds, in US dollars, unless it names a limit itself (`--max-cost`). 0: no limit. Its agents must report what they cost, or have a price.',
  }),
  checks: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description:
      "Commands that drover runs after each implementation, and that must pass. They run without a shell; use `sh -c '…'` if you need one.",
  }),
  require_checks: Type.Boolean({
    default: false,
    description:
      'Whether runs and comparisons of clients of the server always run all checks, and clients merge, check out and publish only what has passed them.',
  }),
  setup: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description:
      'Commands that prepare a new worktree, such as `npm ci`: once, before the first agent starts. Without a shell, like checks.',
  }),
  copy: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description: 'Files that git ignores, such as `.env.test`: copied from your worktree into a new one.',
    'x-rule': 'paths in the repository',
  }),
  share: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description:
      'Directories that git ignores, such as `node_modules`. If your lock files match those of the new worktree, drover copies these directories from your worktree and skips the setup.',
    'x-rule': 'paths in the repository',
  }),
  setup_timeout_secs: Type.Integer({
    default: 900,
    minimum: 1,
    maximum: LONGEST_WAIT_SECS,
    description: 'Maximum run time of one setup command in seconds.',
  }),
  template_max_bytes: Type.Integer({
    default: 10 * 1024 ** 3,
    minimum: 0,
    maximum: 1024 ** 5,
    description:
      'What setups installed is kept for the next worktree, up to this size in all. The least recently used is removed first.',
    'x-unit': 'bytes',
  }),
  baseline: literals(['note', 'skip', 'require'], {
    default: 'note',
    description:
      'Checks before the first agent: record a failure and continue (`note`; asks at a terminal), pause until they pass (`require`), or do not run them (`skip`).',
  }),
  check_timeout_secs: Type.Integer({
    default: 600,
    minimum: 1,
    maximum: LONGEST_WAIT_SECS,
    description: 'Maximum run time of one check in seconds.',
  }),
  attempts: Type.Integer({
    default: 3,
    minimum: 0,
    maximum: 20,
    description: 'How often the output of a failed check goes back to the agent.',
  }),
  rounds: Type.Integer({
    default: 2,
    minimum: 0,
    maximum: 20,
    description: 'Maximum follow-up runs to fix review findings and failed checks.',
  }),
  approval_mode: literals(['default', 'auto', 'sandboxed', 'none', 'always'], {
    default: 'default',
    description:
      'What the agent may do without approval while it implements a change: edit files and run the checks (`auto`), run any command in a sandbox (`sandboxed`), everything (`none`) or nothing (`always`). `default`: `sandboxed` where this machine has a sandbox, otherwise `auto`. In other actions, it may only read.',
  }),
  sandbox: literals(['on', 'off', 'required'], {
    default: 'on',
    description:
      'Whether driven runs and comparisons in worktrees run in a sandbox, with their agents, checks and setups: where this machine has one (`on`), never (`off`), or always, and nothing starts without it (`required`).',
  }),
  stall_secs: Type.Integer({
    default: 600,
    minimum: 1,
    maximum: LONGEST_WAIT_SECS,
    description: 'An agent that produces no text, tool result or file change for this long is stopped.',
  }),
  deliver: literals(['none', 'branch', 'pr'], {
    default: 'branch',
    description:
      'How the work is delivered: `none`, a commit on its `branch`, or that and a draft pull request (`pr`).',
  }),
  follow: Type.Boolean({
    default: false,
    description:
      'Whether a run watches its pull request until it is merged or closed: failed checks and comments of reviewers become further rounds. Only with `deliver: pr`.',
  }),
  follow_rounds: Type.Integer({
    default: 10,
    minimum: 1,
    maximum: 1000,
    description: 'Maximum rounds for one pull request after it was opened.',
  }),
  follow_poll_secs: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: LONGEST_WAIT_SECS,
    description: 'How often a followed pull request is looked at, in seconds.',
  }),
  reviewers: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description:
      'The accounts whose comments on a followed pull request are requirements. Empty: every account with write permission in the repository.',
  }),
  ready: Type.Boolean({
    default: false,
    description:
      'Whether the draft of a followed pull request is marked as ready when its checks have passed and no reviewer requests changes.',
  }),
  on_flags: literals(['deliver', 'ask'], {
    default: 'deliver',
    description:
      'If something in the work is suspicious, such as a deleted test: deliver it and say so (`deliver`), or wait for you before the commit (`ask`).',
  }),
  on_limit: literals(['ask', 'wait', 'next', 'pause'], {
    default: 'ask',
    description:
      'If an agent reaches a limit of its provider: wait until it is reset (`wait`), continue with the next agent of `drive.fallback` (`next`), or pause (`pause`). `ask` asks at a terminal and waits elsewhere. Nothing waits for credit or a login.',
  }),
  max_wait_secs: Type.Integer({
    default: 6 * 3600,
    minimum: 1,
    maximum: LONGEST_WAIT_SECS,
    description: 'A run waits for a limit at most this long, in seconds. Then it pauses.',
  }),
  fallback: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description: 'Agents that continue the work, in this order, if the one before has reached a limit.',
  }),
  repositories: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description:
      'Repositories in which clients of the server may start runs (`/api/v1/runs`) and compare agents in worktrees: the roots of their worktrees. You can drive in any of your repositories.',
    'x-rule': 'absolute paths',
  }),
  max_runs: Type.Integer({
    default: 4,
    minimum: 1,
    maximum: 1000,
    description: 'Runs that a server drives at the same time for its clients.',
  }),
  move_after_secs: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 604_800,
    description:
      'With PostgreSQL: when the machine of a run has had no worker for this many seconds, another one with the repository continues the run. 0: never, it waits for its machine.',
  }),
  parallel: Type.Integer({
    default: 1,
    minimum: 1,
    maximum: 100,
    description:
      'A queued run starts when your server drives fewer runs than this. Runs that wait for a limit do not count. `drover drive` queues runs if it gets several goals or issues.',
  }),
  watch: Type.Array(WatchEntry, {
    default: [],
    description:
      'What a server watches: labels of issues, and schedules. It queues a run for each issue with the label and for each time, as `drover watch` does.',
    'x-rule': 'absolute paths; a schedule and a goal file together',
  }),
  watch_secs: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: 86_400,
    description: 'Seconds between two looks at the issues of a repository. After a failure it takes longer.',
  }),
  mention: textLike('^[A-Za-z0-9][A-Za-z0-9-]{0,38}$', 'the name of an account, without @', {
    default: 'drover',
    description:
      'A comment on an issue that begins with `@` and this name starts a run for the issue, or continues it.',
  }),
})
