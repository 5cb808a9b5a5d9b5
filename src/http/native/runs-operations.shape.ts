import { type TSchema, Type } from 'typebox'
import { NightReports } from '../../drive/night/night-report.shape.ts'
import { DrivenDiff, DrivenRun, DrivenRunPage, RunQueue } from '../../drive/service/driven-run.shape.ts'
import { DrivenRunEvent } from '../../drive/service/driven-run-event.shape.ts'
import { stated } from '../../kit/shape.ts'
import {
  AnswerBody,
  ConfirmBody,
  DiffQuery,
  FollowUpBody,
  MergeBody,
  MoveBody,
  ReportQuery,
  ResumeBody,
  RunQuery,
  SkipBody,
  StartBody,
} from '../../service/run-requests.shape.ts'
import { BODY_ERRORS, COMMON_ERRORS, SESSION_ERRORS } from '../api-description/error-responses.shape.ts'
import {
  eventResponses,
  IDEMPOTENCY_KEY,
  jsonResponse,
  LAST_EVENT_ID,
  type Operation,
  operation,
  pathParameter,
  toQueryParameters,
} from '../api-description/operation.shape.ts'
import { EventsQuery } from './executions.shape.ts'
import { ACTION, detail, diff, events, ID, nights, queued, running, SCOPE, waiting } from './run-examples.shape.ts'

const RUN_ID = pathParameter(
  'id',
  Type.String({
    description: 'The id of the run, or a unique prefix of it.',
    ...stated({ pattern: '^[A-Za-z0-9_-]{4,128}$' }),
  }),
  ID,
)

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
  operation('get /api/v1/report', 'getReport', {
    summary: 'Show what became of all driven runs since some time',
    description:
      'The data of `drover report --since`, by repository. A key with the role `client` sees its own runs. With PostgreSQL, runs of other machines have neither paths nor an order to merge in.',
    parameters: toQueryParameters(ReportQuery),
    responses: { 200: jsonResponse('The reports.', NightReports, nights) },
    errors: COMMON_ERRORS,
  }),
  operation('get /api/v1/runs/{id}', 'getRun', {
    summary: 'Get a run with its attempts, their evidence, and the report',
    parameters: [RUN_ID],
    responses: { 200: jsonResponse('The run.', DrivenRun, detail) },
    errors: SESSION_ERRORS,
  }),
  operation('get /api/v1/runs/{id}/diff', 'getRunDiff', {
    summary: 'Get what the branch of a run changes',
    description:
      'The delivered commit, or the files of the worktree, compared with the commit that the branch starts from. A long ' +
      'patch is cut after 1 MiB. For a large change, ask for the list of files first, and then for each file.',
    parameters: [RUN_ID, ...toQueryParameters(DiffQuery)],
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
  operation('get /api/v1/queue', 'getQueue', {
    summary: 'Show which runs are driven, and which are queued, in their order',
    description:
      'A key with the role `client` sees its own runs. With PostgreSQL, each worker has its own order: those of other machines are listed without a number.',
    parameters: [],
    responses: { 200: jsonResponse('The queue.', RunQueue, { parallel: 1, runs: [running, queued] }) },
    errors: COMMON_ERRORS,
  }),
  change({
    word: 'first',
    id: 'moveRunFirst',
    summary: 'Move a queued run to the front of the queue',
    description: 'For a key with the role `client`, to the front of its own runs.',
  }),
  change({
    word: 'move',
    id: 'moveRun',
    summary: 'Move a queued run',
    description:
      'Before another queued run, or behind all. The runs up to it then start in the order of the queue; those behind it take turns between keys and repositories as before. A key with the role `client` moves its runs among its own, and passes no others. The order survives a restart.',
    body: MoveBody,
    examples: { before: { before: ID }, last: {} },
  }),
]
