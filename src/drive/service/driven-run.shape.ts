/** Driven runs as they are sent to clients. */
import { type TSchema, Type } from 'typebox'
import { Usage } from '../../agents/adapter/agent.shape.ts'
import { DestructiveRequest } from '../../contract/destructive.shape.ts'
import { RunVerdict } from '../../contract/run-verdict.shape.ts'
import { literals, type Message, meaning, named } from '../../kit/shape.ts'
import { RefusingBudget } from '../../prompts/budget-list.shape.ts'
import { ApprovalRecord, costKind } from '../../prompts/prompt-result.shape.ts'
import { ACTED } from '../act/acted.shape.ts'
import { QUEUE_WAITS } from '../decide/queue.ts'
import { BoundarySummary } from '../record/boundary-summary.shape.ts'
import { CLAIM_VERDICTS, ENDS, PAUSES, PURPOSES } from '../record/drive-event.shape.ts'
import { REQUIREMENT_SOURCES, REQUIREMENT_VERDICTS } from '../record/follow-event.shape.ts'
import { FLAGS } from '../record/review-flags.ts'
import { DELIVERY_CHECKS, TestChange } from '../record/test-results.shape.ts'
import { GroupTotals } from './queue-totals.shape.ts'

const text = (description: string) => Type.String({ description })
const count = (description: string) => Type.Integer({ minimum: 0, description })
const moment = (description: string) => Type.String({ format: 'date-time', description })
const money = (description: string) => Type.Number({ minimum: 0, description })
const list = <S extends TSchema>(shape: S, description: string) => Type.Array(shape, { description })
const optional = Type.Optional

export const DRIVEN_STATES = [
  ...(['queued', 'running', 'waiting_for_limit', 'waiting', 'paused', 'stopped'] as const),
  ...(['interrupted', 'failed', 'continued', 'ended', 'merged', 'discarded'] as const),
] as const
export type DrivenState = (typeof DRIVEN_STATES)[number]

const STATE =
  '`queued`: until other runs have ended, see `drive.parallel`. `running`: an agent or a check works. `waiting_for_limit`: until an agent may be used again, see `limit`. `waiting`: for a person, see `waits_for`. `paused`: see `pause`. `stopped`: by a ' +
  'person. `interrupted`: its process ended; it can be resumed. `failed`: see `problem`. `continued`: as `next_run_id`. ' +
  '`ended`: see `delivered`. `merged`: the work is in another branch, see `merged`. `discarded`: see `discarded`.'

/** What can be done with a run, by the names of the endpoints. */
const RUN_CHOICES = [
  ...(['answer', 'confirm', 'skip', 'stop', 'resume', 'first', 'move'] as const),
  ...(['follow-up', 'merge', 'pull-request', 'take', 'discard', 'undo-discard'] as const),
] as const
export type RunChoice = (typeof RUN_CHOICES)[number]

const commandRun = {
  command: text('The command.'),
  exit_code: optional(Type.Integer({ description: 'Absent if it did not exit by itself.' })),
  problem: optional(text('Why there is no exit code.')),
  duration_ms: count('How long it took.'),
  output: text('The end of what it printed.'),
}

const checkRun = {
  ...commandRun,
  passed: Type.Boolean({ description: 'Whether it passed.' }),
  tests: optional(
    meaning(
      'The tests that it ran. Absent if it is no known test runner.',
      Type.Object({
        passed: count('How many passed, of those that are named in the output.'),
        failed: count('How many failed.'),
        skipped: count('How many were skipped.'),
        changes: list(TestChange, 'What became of tests since before the work, the worst first.'),
      }),
    ),
  ),
}

const CheckRun = Type.Object({ ...checkRun, at: moment('When it ended.') })

const DeliveryCheck = Type.Object({
  commit: text('The commit.'),
  result: literals(DELIVERY_CHECKS, { description: '`skipped`: see `reason`.' }),
  reason: optional(text('Why it was skipped, or what the failure means.')),
  setup_failed: optional(
    meaning('The command of the setup that failed there. Then no check ran.', Type.Object(commandRun)),
  ),
  checks: list(Type.Object(checkRun), 'The checks that ran there.'),
  duration_ms: count('How long it took.'),
})

const Evidence = Type.Object({
  claims: list(
    Type.Object({
      about: literals(['file', 'activity'], { description: 'What the claim is about.' }),
      subject: text('The file, or the command.'),
      exit_code: optional(Type.Integer({ description: 'The exit code that the agent reports.' })),
      verdict: literals(CLAIM_VERDICTS, { description: 'What drover observed of it.' }),
      note: text('What was seen.'),
      seq: optional(count('The number of the event that shows it.')),
      execution_id: optional(text('The execution of that event.')),
    }),
    'Each claim of the agent, compared with what happened.',
  ),
  flags: list(
    Type.Object({
      flag: literals(FLAGS, { description: 'What was seen.' }),
      is_serious: Type.Boolean({ description: 'Whether a person should look at it before using the work.' }),
      detail: text('Where it was seen, and what it is.'),
      path: optional(text('The file.')),
      line: optional(Type.Integer({ minimum: 1, description: 'The line in the file as it is now.' })),
    }),
    'What a person should look at.',
  ),
})

const DrivenAttempt = named(
  'DrivenAttempt',
  Type.Object({
    attempt: Type.Integer({ minimum: 1, description: 'Counts from 1.' }),
    action_id: text('The action.'),
    action_kind: text('`orient`, `clarify`, `implement`, `review` or `summarize`.'),
    purpose: literals(PURPOSES, { description: 'Why it was made: for the action, or again because of something.' }),
    backend: text('The agent.'),
    model: optional(text('The model that was asked for.')),
    execution_id: text('Its execution, which can be followed.'),
    session_id: optional(text('The session of the agent.')),
    how: literals(['running', ...ENDS], { description: 'How it ended. `unknown`: its process was killed.' }),
    started_at: moment('When it began.'),
    ended_at: optional(moment('When it ended.')),
    duration_ms: optional(count('How long it took.')),
    usage: optional(meaning('The tokens that it used.', Usage)),
    cost_usd: optional(money('The cost in US dollars, if it is known.')),
    cost_kind: costKind,
    summary: optional(text('The summary of its outcome.')),
    error: optional(text('Why it failed, or why its outcome was not valid.')),
    error_code: optional(text('The code of the error, if the agent failed.')),
    approvals: optional(list(ApprovalRecord, 'Who decided about what the agent asked for, oldest first.')),
    warnings: list(Type.String(), 'Warnings, such as denied tool calls.'),
    checks: list(CheckRun, 'The checks that drover ran after it.'),
    evidence: optional(meaning('What drover observed of its claims.', Evidence)),
  }),
  'One prompt of a driven run, with what drover observed of it.',
)

const WaitsFor = Type.Object({
  reason: literals(
    [
      'decision_required',
      'destructive_confirmation_required',
      'environment_unavailable',
      'budget_exhausted',
      'source_changed',
    ],
    { description: '`source_changed`: the issue was edited; choose with `drover continue`.' },
  ),
  question: text('The question, or what is missing.'),
  action_id: optional(text('The action that asks.')),
  destructive_request: optional(
    meaning(
      'What would be destroyed. `confirm` needs its `scope_sha256`; any other answer declines.',
      DestructiveRequest,
    ),
  ),
  choices: list(literals(RUN_CHOICES), 'The endpoints that let the run continue.'),
})

const Delivery = Type.Object({
  as: literals(['none', 'branch', 'pr'], {
    description: 'Where the work is. The word of the verdict says whether it is delivered.',
  }),
  branch: optional(text('The branch.')),
  commit: optional(text('The commit.')),
  tree_id: optional(text('The git tree of the commit, or of all files if nothing was committed.')),
  pull_request: optional(text('The address of the pull request.')),
  note: optional(text('Why it is not delivered. Always set if the verdict is `not delivered`.')),
})

export const DrivenRun = named(
  'DrivenRun',
  Type.Object({
    id: text('The id of the run.'),
    goal: text('The goal.'),
    title: text('The first line of the goal. A later round says so, as in `round 2 of Show the wind in knots`.'),
    state: literals(DRIVEN_STATES, { description: STATE }),
    verdict: meaning('What became of the run, in the words of every face.', RunVerdict),
    created_at: moment('When it was started.'),
    updated_at: moment('When it last changed.'),
    api_key: optional(text('The name of the API key that started it.')),
    is_demo: optional(Type.Literal(true, { description: 'The demo agent may stand in for missing agents.' })),
    driven_by: optional(
      literals(['this_server', 'another_process'], { description: 'Who drives it; absent if no process does.' }),
    ),
    machine: optional(text('With PostgreSQL, the machine that has the run and drives it.')),
    is_machine_gone: optional(
      Type.Literal(true, {
        description:
          'No worker is running on its machine, so nothing can be done with it. It continues when one is started there.',
      }),
    ),
    repository: text('The repository.'),
    worktree: text('Where the agents work. A delivered worktree is removed.'),
    branch: optional(text('The branch of the worktree; absent in place.')),
    base: optional(text('The commit that the branch starts from.')),
    issue: optional(text('The address of the issue.')),
    label: optional(text('The label of the issue for which a watcher started it.')),
    round: Type.Integer({ minimum: 1, description: 'A later round works on what the one before left open.' }),
    previous_run_id: optional(text('The run of the round before.')),
    next_run_id: optional(text('The run that continues what this one left open.')),
    action: optional(
      Type.Object(
        {
          action_id: text('Its id.'),
          kind: text('`orient`, `clarify`, `implement`, `review` or `summarize`.'),
          number: Type.Integer({ minimum: 1, description: 'Counts the actions of this run.' }),
        },
        { description: 'The current action.' },
      ),
    ),
    actions: Type.Object(
      { taken: count('Actions that were issued.'), remaining: count('Actions that may still be taken.') },
      { description: 'The budget of actions.' },
    ),
    backend: text('The agent that does the work. After a limit, it may be another one than the run was started with.'),
    model: optional(text('Its model.')),
    review_backend: optional(text('The agent that reviews; absent without reviews.')),
    review_model: optional(text('Its model.')),
    approval_mode: text('What the agent may do without approval while it implements.'),
    mcp_servers: optional(list(Type.String(), 'The MCP servers that the agents get.')),
    checks: list(Type.String(), 'The commands that must pass.'),
    rounds: count('Further runs for what is still open.'),
    deliver: literals(['none', 'branch', 'pr'], { description: 'What becomes of the work.' }),
    limits: Type.Object(
      {
        max_tokens: optional(count('Tokens.')),
        max_cost_usd: optional(money('Costs in US dollars.')),
        max_time_secs: optional(Type.Number({ minimum: 0, description: 'Working time.' })),
      },
      { description: 'The run pauses when one of them is reached.' },
    ),
    spent: Type.Object(
      {
        tokens: count('Tokens.'),
        cost_usd: money('Costs, as far as they are known.'),
        priced_usd: optional(money('The part of it that no agent reported: tokens at list prices.')),
        unknown_cost_attempts: optional(count('Attempts that are missing in the cost. Absent if there is none.')),
        time_secs: Type.Number({ minimum: 0, description: 'Time of agents and checks.' }),
      },
      { description: 'What was used so far, in all rounds.' },
    ),
    limit: optional(
      Type.Object(
        {
          backend: text('The agent.'),
          code: text('How it failed.'),
          until: moment('When it is tried again.'),
          is_guess: optional(Type.Literal(true, { description: 'The agent did not say when its limit is reset.' })),
          budget: optional(RefusingBudget),
        },
        { description: 'The limit of an agent, or the budget, that the run waits for.' },
      ),
    ),
    queue: optional(
      Type.Object(
        {
          number: Type.Integer({ minimum: 1, description: 'Its place in the queue, from 1.' }),
          waits_for: literals(QUEUE_WAITS, {
            description:
              '`turn`: for other runs. `run`: until the run in `after` is delivered. `run_not_delivered`: that run has ended without a branch. `run_gone`: that run does not exist any more. `total`: its group has used what it may use. `limit`: until the limit of its agent is reset.',
          }),
          after: optional(text('The run whose branch it starts on.')),
          reason: optional(text('Why it waits, if not only for its turn, as people read it.')),
        },
        { description: 'Its place in the queue; only in the queue.' },
      ),
    ),
    overlaps: optional(
      list(
        Type.Object({ run_id: text('The other run.'), files: list(Type.String(), 'The files that both change.') }),
        'Other runs that change the same files; only in the queue.',
      ),
    ),
    waits_for: optional(meaning('What the run waits for.', WaitsFor)),
    pause: optional(
      Type.Object(
        { reason: literals(PAUSES, { description: 'The reason.' }), message: text('What to do.') },
        { description: 'Why it is paused.' },
      ),
    ),
    problem: optional(
      Type.Object(
        { code: text('The code of the error.'), message: text('What is wrong and what to do.') },
        { description: 'Why the server could not continue.' },
      ),
    ),
    delivered: optional(meaning('Where the work is, also if the verdict is `not delivered`.', Delivery)),
    ...ACTED,
    choices: list(literals(RUN_CHOICES), 'The endpoints that can be called now, with the key of the request.'),
    last_seq: count('The number of its last event.'),
    attempts: optional(list(DrivenAttempt, 'Oldest first; only in a single run.')),
    delivery_check: optional(
      meaning('The checks in a clean checkout of the commit; only in a single run.', DeliveryCheck),
    ),
    findings: optional(
      list(
        Type.Object({
          location: text('Where.'),
          summary: text('What.'),
          detail: text('Why it matters.'),
        }),
        'The findings of the last review; only in a single run.',
      ),
    ),
    requirements: optional(
      list(
        Type.Object({
          text: text('What was asked for.'),
          from: literals(REQUIREMENT_SOURCES, {
            description: '`person`: a text of a client. The others are from the pull request.',
          }),
          path: optional(text('The file that it is about.')),
          line: optional(count('The line.')),
          url: optional(text('Where it was written.')),
          verdict: optional(
            literals(REQUIREMENT_VERDICTS, { description: 'What became of it. Absent until the round has ended.' }),
          ),
          note: optional(text('What was seen.')),
        }),
        'What this round was asked for after a delivery, numbered from 1; only in a single run.',
      ),
    ),
    boundary: optional(meaning('Its sandbox; only in a single run.', BoundarySummary)),
    source: optional(
      Type.Object(
        {
          title: text('The title of the issue.'),
          sections: list(
            Type.Object({
              key: text('The key of the section.'),
              role: text('What the section is for.'),
              title: text('Its title.'),
              markdown: text('Its text, as it was when the run was bound to it.'),
              url: text('The comment that it was taken from.'),
            }),
            'In the order of the issue.',
          ),
        },
        { description: 'The sections that the run is bound to; only in a single run from an issue that has them.' },
      ),
    ),
    report: optional(text('The report in Markdown; only in a single run.')),
  }),
  'A run that agents do.',
)
export type DrivenRun = Message<typeof DrivenRun>

export const DrivenDiff = named(
  'DrivenDiff',
  Type.Object({
    id: text('The id of the run.'),
    base: text('The commit that the branch starts from.'),
    branch: text('The branch.'),
    commit: optional(text('The delivered commit. Without one, the files of the worktree are compared.')),
    files: list(
      Type.Object({
        path: text('The path.'),
        from: optional(text('The path that it was renamed from.')),
        insertions: Type.Union([count('Added lines.'), Type.Null({ description: 'A binary file.' })]),
        deletions: Type.Union([count('Removed lines.'), Type.Null({ description: 'A binary file.' })]),
      }),
      'The changed files.',
    ),
    patch: text('The changes in the format of `git diff`.'),
    is_cut: Type.Boolean({ description: 'Whether the patch is longer than what is shown. All files are listed.' }),
  }),
  'What the branch of a run changes.',
)
export type DrivenDiff = Message<typeof DrivenDiff>

export const DrivenRunPage = named(
  'DrivenRunPage',
  Type.Object({
    runs: list(DrivenRun, 'Newest first.'),
    next: optional(text('The last run of the page, as `before` for the next page; absent on the last page.')),
    repositories: list(
      Type.String(),
      'Where runs can be started: `drive.repositories`; with PostgreSQL, those of all workers.',
    ),
    checks: list(Type.String(), 'The checks that a client can choose from: `drive.checks`.'),
  }),
  'A part of the list of driven runs.',
)
export type DrivenRunPage = Message<typeof DrivenRunPage>

export const RunQueue = named(
  'RunQueue',
  Type.Object({
    parallel: Type.Integer({ minimum: 1, description: 'How many runs are driven at once: `drive.parallel`.' }),
    runs: list(
      DrivenRun,
      'The runs that have started, oldest first, then those that are queued, in the order in which they start. Runs that have ended stay in the list as long as runs that were queued together with them are open.',
    ),
    totals: optional(GroupTotals),
  }),
)
export type RunQueue = Message<typeof RunQueue>
