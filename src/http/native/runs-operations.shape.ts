/** The OpenAPI operations of driven runs. */
import { type TSchema, Type } from 'typebox'
import { NightReports, type NightReports as NightReportsMessage } from '../../drive/night/night-report.shape.ts'
import {
  DrivenDiff,
  type DrivenDiff as DrivenDiffMessage,
  DrivenRun,
  DrivenRunEvent,
  type DrivenRunEvent as DrivenRunEventMessage,
  type DrivenRun as DrivenRunMessage,
  DrivenRunPage,
  RunQueue,
} from '../../drive/service/driven-run.shape.ts'
import { stated } from '../../kit/shape.ts'
import {
  AnswerBody,
  ConfirmBody,
  FollowUpBody,
  MergeBody,
  ReportQuery,
  ResumeBody,
  RunQuery,
  SkipBody,
  StartBody,
} from '../../service/run-requests.shape.ts'
import { BODY_ERRORS, COMMON_ERRORS, SESSION_ERRORS } from '../api-description/error-responses.shape.ts'
import {
  EXAMPLE,
  eventResponses,
  IDEMPOTENCY_KEY,
  jsonResponse,
  LAST_EVENT_ID,
  type Operation,
  operation,
  type Parameter,
  toQueryParameters,
} from '../api-description/operation.shape.ts'
import { EventsQuery } from './executions.shape.ts'

const ID = '6f1c2c6e-4b0a-4f2e-9d53-7a9c0a1be34d'
const ACTION = '0a4e5b1c-8f57-4a2b-b1d6-2c9a7f0de8b3'
const WORKTREE = '/home/ada/.drover/worktrees/show-the-wind-in-knots-1a2b/weather'
const BRANCH = 'drover/show-the-wind-in-knots-1a2b'
const SCOPE = `sha256:${'7d'.repeat(32)}`

const running: DrivenRunMessage = {
  id: ID,
  goal: 'Show the wind in knots',
  title: 'Show the wind in knots',
  state: 'running',
  verdict: {
    word: 'running',
    line: 'running: claude works on implement',
    reason: 'claude works on implement',
    next: `drover status ${ID} --watch`,
    look_first: [],
    exists: { branch: BRANCH, worktree: WORKTREE },
  },
  created_at: EXAMPLE.timestamp,
  updated_at: EXAMPLE.timestamp,
  driven_by: 'this_server',
  repository: '/srv/projects/weather',
  worktree: WORKTREE,
  branch: BRANCH,
  base: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  round: 1,
  action: { action_id: ACTION, kind: 'implement', number: 2 },
  actions: { taken: 2, remaining: 6 },
  backend: 'claude',
  review_backend: 'codex',
  approval_mode: 'auto',
  checks: ['npm test'],
  rounds: 2,
  deliver: 'branch',
  limits: { max_tokens: 500_000 },
  spent: { tokens: 2161, cost_usd: 0.0123, time_secs: 8.1 },
  choices: ['skip', 'stop'],
  last_seq: 5,
}

const { driven_by: _, ...resting } = running

const waiting: DrivenRunMessage = {
  ...resting,
  state: 'waiting',
  verdict: {
    ...resting.verdict,
    word: 'waits for you',
    line: 'waits for you: The old readings must be deleted. Is that wanted?',
    exit_code: 4,
    reason: 'The old readings must be deleted. Is that wanted?',
    next: `drover answer ${ID}`,
  },
  waits_for: {
    reason: 'destructive_confirmation_required',
    question: 'The old readings must be deleted. Is that wanted?',
    action_id: ACTION,
    destructive_request: {
      request_id: '1d2c3b4a-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
      targets: [{ kind: 'path', value: 'data/readings.csv' }],
      impact: 'The readings before 2020 are lost.',
      scope_sha256: SCOPE,
    },
    choices: ['confirm', 'answer', 'skip', 'stop'],
  },
  choices: ['confirm', 'answer', 'skip', 'stop'],
}

const queued: DrivenRunMessage = {
  ...resting,
  id: '0c9d3c1e-7f41-4d0b-9b0e-0f6b7a4f5d21',
  goal: 'Show the rain in mm',
  title: 'Show the rain in mm',
  state: 'queued',
  verdict: {
    ...{ word: 'queued', line: 'queued: it waits for its turn', reason: 'it waits for its turn' },
    ...{ next: 'drover drive --queue', look_first: [], exists: {} },
  },
  spent: { tokens: 0, cost_usd: 0, time_secs: 0 },
  queue: { number: 1, waits_for: 'turn' },
  choices: ['first', 'skip', 'stop'],
  last_seq: 1,
}

const used = { tokens: 48_210, cost_microusd: 610_000, time_ms: 540_000 }

const nights: NightReportsMessage = {
  since: EXAMPLE.timestamp,
  repositories: [
    {
      repository: '/srv/projects/weather',
      report: {
        since: EXAMPLE.timestamp,
        runs: [
          {
            run_id: ID,
            title: 'Show the wind in knots',
            section: 'Delivered',
            verdict: {
              ...{ word: 'delivered', line: `delivered: branch ${BRANCH}`, exit_code: 0, reason: `branch ${BRANCH}` },
              ...{ next: `drover report ${ID}`, look_first: [], exists: { branch: BRANCH } },
            },
            spent: used,
            paths: ['wind.ts'],
          },
        ],
        spent: used,
        merge: { order: [BRANCH], conflicts: [] },
        overlaps: [],
      },
    },
  ],
}

const attempt: NonNullable<DrivenRunMessage['attempts']>[number] = {
  attempt: 1,
  action_id: ACTION,
  action_kind: 'implement',
  purpose: 'action',
  backend: 'claude',
  execution_id: EXAMPLE.executionId,
  session_id: EXAMPLE.sessionId,
  how: 'answered',
  started_at: EXAMPLE.timestamp,
  ended_at: EXAMPLE.timestamp,
  duration_ms: 8123,
  usage: EXAMPLE.usage,
  cost_usd: 0.0123,
  summary: 'The wind is shown in knots.',
  warnings: [],
  checks: [
    {
      command: 'npm test',
      passed: true,
      exit_code: 0,
      duration_ms: 2104,
      output: '12 passed\n',
      at: EXAMPLE.timestamp,
    },
  ],
  evidence: {
    claims: [{ about: 'file', subject: 'wind.ts', verdict: 'observed', note: 'git shows the change' }],
    flags: [{ flag: 'change_not_reported', is_serious: false, detail: 'wind.test.ts' }],
  },
}

const detail: DrivenRunMessage = {
  ...waiting,
  attempts: [attempt],
  findings: [{ location: 'wind.ts:12', summary: 'Rounded', detail: '12 m/s are 23.3 knots.' }],
  report: `# Run ${ID}\n\n**waits for you**: The old readings must be deleted. Is that wanted?\n`,
}

const diff: DrivenDiffMessage = {
  id: ID,
  base: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  branch: BRANCH,
  files: [{ path: 'wind.ts', insertions: 1, deletions: 0 }],
  patch:
    'diff --git a/wind.ts b/wind.ts\nindex e69de29..5c2d1f0 100644\n--- a/wind.ts\n+++ b/wind.ts\n@@ -0,0 +1 @@\n+// in knots\n',
  is_cut: false,
}

const events: Record<string, DrivenRunEventMessage> = {
  state: { at: EXAMPLE.timestamp, type: 'state', data: { state: 'running', driven_by: 'this_server' } },
  attempt_started: {
    seq: 2,
    at: EXAMPLE.timestamp,
    type: 'attempt_started',
    data: { attempt: 1, action_kind: 'orient', backend: 'claude', execution_id: EXAMPLE.executionId },
  },
}

const RUN_ID: Parameter = {
  name: 'id',
  in: 'path',
  shape: Type.String({
    description: 'The id of the run, or a unique prefix of it.',
    ...stated({ pattern: '^[A-Za-z0-9_-]{4,128}$' }),
  }),
  isRequired: true,
  example: ID,
}

const CHANGE_ERRORS = [...new Set([...BODY_ERRORS, ...SESSION_ERRORS])]

type Change = { word: string; id: string; summary: string; description?: string; body?: TSchema; examples?: object }

/** An endpoint that changes a run, and answers with the run. */
function change({ word, id, summary, description, body, examples = {} }: Change): Operation {
  return operation(`post /api/v1/runs/{id}/${word}`, id, {
    summary,
    ...(description !== undefined && { description }),
    parameters: [RUN_ID],
    ...(body !== undefined && { body: { shape: body, examples: examples as Record<string, unknown> } }),
    responses: { 200: jsonResponse('The run after the change.', DrivenRun, running) },
    errors: CHANGE_ERRORS,
  })
}

export const OPERATIONS: readonly Operation[] = [
  operation('post /api/v1/runs', 'startRun', {
    summary: 'Let agents make a change, from goal to branch',
    description:
      'Starts a run in a repository that `drive.repositories` names, and drives it in the background. The work is done in a ' +
      'new git worktree. Follow it with its events, or ask for the run.',
    parameters: [IDEMPOTENCY_KEY],
    body: {
      shape: StartBody,
      examples: {
        goal: { goal: 'Show the wind in knots', repository: '/srv/projects/weather', checks: ['npm test'] },
        issue: { issue_number: 7, as_goal: true, backend: 'codex', max_tokens: 500_000, deliver: 'branch' },
        queued: { issue_number: 9, as_goal: true, queue: true, group: 'night', total_tokens: 2_000_000 },
      },
    },
    responses: {
      201: { ...jsonResponse('The run is started.', DrivenRun, running), headers: ['Idempotency-Replayed'] },
    },
    errors: [...CHANGE_ERRORS, 'KeyReused'],
  }),
  operation('get /api/v1/runs', 'listRuns', {
    summary: 'List driven runs',
    description: 'A key with the role `client` sees the runs that it started.',
    parameters: toQueryParameters(RunQuery),
    responses: {
      200: jsonResponse('One page, newest first.', DrivenRunPage, {
        runs: [waiting],
        repositories: ['/srv/projects/weather'],
        checks: ['npm test'],
      }),
    },
    errors: ['BadRequest', ...COMMON_ERRORS],
  }),
  operation('get /api/v1/queue', 'getQueue', {
    summary: 'Show which runs are driven, and which are queued, in their order',
    description:
      'A key with the role `client` sees its own runs. With PostgreSQL, each worker has its own order: those of other machines are listed without a number.',
    parameters: [],
    responses: { 200: jsonResponse('The queue.', RunQueue, { parallel: 1, runs: [running, queued] }) },
    errors: COMMON_ERRORS,
  }),
  operation('get /api/v1/report', 'getReport', {
    summary: 'Show what became of all driven runs since some time',
    description:
      'The data of `drover report --since`, by repository. A key with the role `client` sees its own runs. With PostgreSQL, runs of other machines have neither paths nor an order to merge in.',
    parameters: toQueryParameters(ReportQuery),
    responses: { 200: jsonResponse('The reports.', NightReports, nights) },
    errors: COMMON_ERRORS,
  }),
  operation('get /api/v1/runs/{id}', 'getRun', {
    summary: 'Get a run with its attempts, evidence and report',
    parameters: [RUN_ID],
    responses: { 200: jsonResponse('The run.', DrivenRun, detail) },
    errors: SESSION_ERRORS,
  }),
  operation('get /api/v1/runs/{id}/diff', 'getRunDiff', {
    summary: 'Get what the branch of a run changes',
    description:
      'The delivered commit, or the files of the worktree, compared with the commit that the branch starts from. A long ' +
      'patch is cut after 1 MiB.',
    parameters: [RUN_ID],
    responses: { 200: jsonResponse('The changes.', DrivenDiff, diff) },
    errors: CHANGE_ERRORS,
  }),
  operation('get /api/v1/runs/{id}/events', 'followRun', {
    summary: 'Follow the events of a run',
    description:
      'Sends the recorded events, then live ones, until the run has ended or continues as another run. A run that waits can ' +
      'continue, so its stream stays open. A heartbeat comes after 10 seconds of silence. With `Accept: text/event-stream`, the ' +
      'events are server-sent events whose id is their number. What an agent says is in the events of its execution.',
    parameters: [RUN_ID, ...toQueryParameters(EventsQuery), LAST_EVENT_ID],
    responses: eventResponses({ shape: DrivenRunEvent, name: 'DrivenRunEvent', events, subject: 'run' }),
    errors: SESSION_ERRORS,
  }),
  change({
    word: 'answer',
    id: 'answerRun',
    summary: 'Answer the question of a run, which then continues',
    body: AnswerBody,
    examples: { answer: { text: 'Knots.' } },
  }),
  change({
    word: 'confirm',
    id: 'confirmRun',
    summary: 'Confirm a destructive operation of a run',
    description: 'Send the digest of the request that was shown to a person. To decline, answer with text.',
    body: ConfirmBody,
    examples: { confirm: { scope_sha256: SCOPE } },
  }),
  change({
    word: 'skip',
    id: 'skipAction',
    summary: 'Skip the current action of a run',
    description: 'An agent that is working on it is stopped.',
    body: SkipBody,
    examples: { skip: { action_id: ACTION } },
  }),
  change({
    word: 'stop',
    id: 'stopRun',
    summary: 'Stop a run',
    description: 'Its agent is stopped. The run can be resumed.',
  }),
  change({
    word: 'first',
    id: 'moveRunFirst',
    summary: 'Move a queued run to the front of the queue',
    description: 'For a key with the role `client`, to the front of its own runs.',
  }),
  change({
    word: 'resume',
    id: 'resumeDrivenRun',
    summary: 'Continue a run that was stopped, interrupted, or has reached a limit',
    description: 'What the body names replaces the options of the run.',
    body: ResumeBody,
    examples: { more: { actions: 8, max_tokens: 1_000_000 } },
  }),
  change({
    word: 'follow-up',
    id: 'followUpRun',
    summary: 'Ask a delivered run for more, on the same branch',
    description:
      'Each text of `also` is a numbered requirement of a further round, and gets a verdict. If drover follows the pull request of the run, it continues to follow it. Without a body, or with `take_over`, the pull request is followed again.',
    body: FollowUpBody,
    examples: { more: { also: ['Mention it in the README'] } },
  }),
  change({
    word: 'merge',
    id: 'mergeRun',
    summary: 'Merge the work of a delivered run into a branch of the repository',
    description:
      'A fast-forward, or a merge commit if the branch has moved; then the checks of the run are run on the merge commit first. Nothing changes if the branch is checked out and has changes that are not committed, if there are conflicts, or if a check fails. No hook of the repository is run. Needs the permission `may_merge`.',
    body: MergeBody,
    examples: { base: {}, other: { into: 'develop' } },
  }),
  change({
    word: 'pull-request',
    id: 'openRunPullRequest',
    summary: 'Open a pull request for a delivered run',
    description: 'A draft, as with `deliver: pr`. A pull request that is open already is used.',
  }),
  change({
    word: 'take',
    id: 'takeRun',
    summary: 'Check the branch of a delivered run out in the repository of the user',
    description:
      'As `git switch` does. Nothing changes if there are changes that are not committed. Needs the permission `may_merge`.',
  }),
  change({
    word: 'discard',
    id: 'discardRun',
    summary: 'Discard the work of a run',
    description: 'Its worktree and its branch are removed. The work is kept for 7 days.',
  }),
  change({
    word: 'undo-discard',
    id: 'undoDiscardRun',
    summary: 'Bring the branch of a discarded run back',
  }),
]
