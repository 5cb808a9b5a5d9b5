import { Type } from 'typebox'
import { Answers, Usage } from '../../agents/adapter/agent.shape.ts'
import { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { Execution, ExecutionEvent, ExecutionPage } from '../../executions/store/execution.shape.ts'
import { EXECUTION_KINDS, EXECUTION_STATES } from '../../executions/store/execution-states.ts'
import {
  literals,
  type Message,
  meaning,
  namedObject,
  namedRequest,
  optionalChoice,
  optionalInteger,
  optionalText,
  type Static,
  stated,
  strict,
} from '../../kit/shape.ts'
import { PendingApproval } from '../../prompts/approvals.shape.ts'
import { MessageSent } from '../../prompts/message-sent.shape.ts'
import { BODY_ERRORS, COMMON_ERRORS, SESSION_ERRORS } from '../api-description/error-responses.shape.ts'
import {
  cachedResponses,
  EXAMPLE,
  eventResponses,
  eventStream,
  jsonResponse,
  LAST_EVENT_ID,
  type Operation,
  operation,
  pathParameter,
  toQueryParameters,
} from '../api-description/operation.shape.ts'

const MAX_PAGE_SIZE = 1000

export const ExecutionQuery = strict({
  state: optionalChoice('Only executions in this state.', EXECUTION_STATES),
  backend: optionalText('Only executions of this agent.', { minLength: 1 }),
  workdir: optionalText('Only executions in exactly this directory.', { minLength: 1 }),
  key: optionalText('Only executions of the API key with this name.', { minLength: 1 }),
  search: optionalText('Part of the beginning of the prompt.', { minLength: 1, maxLength: 200 }),
  session: optionalText('Only prompts of this session; its complete id.', { minLength: 1 }),
  parent: optionalText('Only the parts of this batch; its complete id.', { minLength: 1 }),
  kind: optionalChoice('Only executions of this kind, such as `compare`.', EXECUTION_KINDS),
  since: optionalText('Created at this time or later.', { format: 'date-time' }),
  before: optionalText('Only executions that are older than this one: the `next` of the page before.', {
    pattern: '^exec_[0-9a-f]{24}$',
  }),
  limit: optionalInteger('Number of executions in the page.', { minimum: 1, maximum: MAX_PAGE_SIZE, default: 100 }),
})
export type ExecutionQuery = Static<typeof ExecutionQuery>

export const EventsQuery = strict({
  after: optionalInteger('Only events with a greater number. `Last-Event-ID` works too.', { minimum: 0, default: 0 }),
})
export type EventsQuery = Static<typeof EventsQuery>

const state = literals(EXECUTION_STATES, { description: 'The state when the response was sent.' })

const ExecutionCancelled = namedObject('ExecutionCancelled', {
  id: Type.String({ description: 'The complete id.' }),
  state,
})
export type ExecutionCancelled = Message<typeof ExecutionCancelled>

const decision = literals(['allow', 'allow_session', 'deny'], {
  description: '`allow_session`: the agent may do the same again in this session, without asking.',
})

export const DecisionBody = namedRequest('ApprovalDecision', {
  decision,
  message: optionalText('Tells the agent why something is denied.', { maxLength: 4000 }),
  answers: Type.Optional(meaning('The answers to `questions` of the approval, with `allow`.', Answers)),
})
export type DecisionBody = Static<typeof DecisionBody>

const ApprovalDecided = namedObject('ApprovalDecided', {
  approval_id: Type.String({ description: 'The id of the approval.' }),
  decision,
})
export type ApprovalDecided = Message<typeof ApprovalDecided>

export const MessageBody = namedRequest('ExecutionMessage', {
  text: Type.String({ minLength: 1, description: 'What the agent is told. It may be as long as a prompt.' }),
})
export type MessageBody = Static<typeof MessageBody>

const StateChange = namedObject('StateChange', {
  type: literals(['execution', 'execution_removed', 'approval', 'approval_settled', 'activity', 'run', 'heartbeat'], {
    description:
      '`execution_removed`: an execution has ended, and nothing of it is stored. `approval`: an agent waits for a decision. `approval_settled`: it no longer waits. `activity`: what a running execution does, at most twice a second. `run`: a driven run has changed.',
  }),
  execution: Type.Optional(Execution),
  id: optionalText('The removed or active execution.'),
  text: optionalText('The last line of its answer or thoughts, or its last tool call; 200 characters.'),
  usage: Type.Optional(meaning('The tokens that it has used so far, if the agent reports them.', Usage)),
  approval: Type.Optional(PendingApproval),
  run: Type.Optional(DrivenRun),
  execution_id: optionalText('The execution whose agent no longer waits.'),
  approval_id: optionalText('The approval that is settled.'),
  at: optionalText('The time of the heartbeat.', { format: 'date-time' }),
})

const ID = EXAMPLE.executionId

const running: Execution = {
  id: ID,
  state: 'running',
  kind: 'prompt',
  session_id: EXAMPLE.sessionId,
  backend: 'claude',
  workdir: '/srv/projects/parser',
  owner: '1a2b3c4d5e6f7081',
  created_at: EXAMPLE.timestamp,
  started_at: EXAMPLE.timestamp,
  last_seq: 3,
}

const events: Record<string, ExecutionEvent> = {
  queued: { seq: 1, at: EXAMPLE.timestamp, type: 'state', content: { state: 'queued' } },
  running: { seq: 2, at: EXAMPLE.timestamp, type: 'state', content: { state: 'running' } },
  message: { seq: 3, at: EXAMPLE.timestamp, type: 'message', content: { text: 'The parser skips', role: 'assistant' } },
}

const APPROVAL = '7d3f5c62-1b0e-4a3d-9a57-0d5ddc0c5f2e'

const approval: PendingApproval = {
  execution_id: ID,
  asked_at: EXAMPLE.timestamp,
  expires_at: '2026-09-21T13:43:20.000Z',
  approval_id: APPROVAL,
  tool_name: 'Bash',
  command: 'npm test',
  choices: ['allow', 'allow_session', 'deny'],
}

const ApprovalList = namedObject('ApprovalList', {
  approvals: Type.Array(PendingApproval, { description: 'Oldest first.' }),
})

const APPROVAL_ID = pathParameter('approval', Type.String({ description: 'The `approval_id` of the event.' }), APPROVAL)

const ATTACHMENT_DIGEST = pathParameter(
  'digest',
  Type.String({ description: 'The `digest` in the record of the execution.' }),
  `sha256:${'2c26b46b68ffc68ff99b453c1d304134'.repeat(2)}`,
)

export const EXECUTION_ID = pathParameter(
  'id',
  Type.String({
    description: 'The id of the execution, or a unique prefix of it.',
    ...stated({ pattern: '^(exec_)?[0-9a-f]{4,24}$' }),
  }),
  ID,
)

export const OPERATIONS: readonly Operation[] = [
  operation('get /api/v1/executions', 'listExecutions', {
    summary: 'List executions',
    description: 'A key with the role `client` sees the executions that it started.',
    parameters: toQueryParameters(ExecutionQuery),
    responses: { 200: jsonResponse('One page, newest first.', ExecutionPage, { executions: [running] }) },
    errors: ['BadRequest', ...COMMON_ERRORS],
  }),
  operation('get /api/v1/executions/{id}', 'getExecution', {
    summary: 'Get an execution with its prompt and result',
    parameters: [EXECUTION_ID],
    responses: { 200: jsonResponse('The execution.', Execution, running) },
    errors: SESSION_ERRORS,
  }),
  operation('get /api/v1/executions/{id}/events', 'followExecution', {
    summary: 'Follow the events of an execution',
    description:
      'Sends the stored events, then live ones, until the execution ends. A heartbeat comes after 10 seconds of silence. ' +
      'With `Accept: text/event-stream`, the events are server-sent events whose id is their number.',
    parameters: [EXECUTION_ID, ...toQueryParameters(EventsQuery), LAST_EVENT_ID],
    responses: eventResponses({ shape: ExecutionEvent, name: 'ExecutionEvent', events, subject: 'execution' }),
    errors: SESSION_ERRORS,
  }),
  operation('get /api/v1/executions/{id}/attachments/{digest}', 'getAttachment', {
    summary: 'Get an image or a document that came with a prompt',
    description:
      'A key that sees the session of the prompt gets it, too. The content has the type that the execution names.',
    parameters: [EXECUTION_ID, ATTACHMENT_DIGEST],
    responses: cachedResponses('The file.', '*/*', Type.Unsafe<Buffer>({ type: 'string', format: 'binary' })),
    errors: SESSION_ERRORS,
  }),
  operation('post /api/v1/executions/{id}/cancel', 'cancelExecution', {
    summary: 'Cancel an execution, with all parts of a batch',
    description: 'The state becomes `cancelled` when all processes of the agent are gone.',
    parameters: [EXECUTION_ID],
    responses: {
      202: jsonResponse('The execution is being canceled.', ExecutionCancelled, { id: ID, state: 'running' }),
    },
    errors: SESSION_ERRORS,
  }),
  operation('post /api/v1/executions/{id}/message', 'sendMessage', {
    summary: 'Tell an agent something while it works',
    description:
      'The response says when the agent gets the message: `now`, or with the next prompt of its session, if it takes none in the middle of a turn. ' +
      'The events of the execution have it as `user_message`.',
    parameters: [EXECUTION_ID],
    body: { shape: MessageBody, examples: { text: { text: 'Leave the tests in src/legacy alone.' } } },
    responses: {
      200: jsonResponse('The agent gets the message.', MessageSent, {
        execution_id: ID,
        message_id: APPROVAL,
        delivered: 'now',
      }),
    },
    errors: [...new Set([...BODY_ERRORS, ...SESSION_ERRORS])],
  }),
  operation('post /api/v1/executions/{id}/approvals/{approval}', 'decideApproval', {
    summary: 'Decide about something that an agent asks for',
    description:
      'An agent with the approval mode `always` asks with an `approval_request` event and waits. What no one decides within `warm.approval_timeout_secs` is denied.',
    parameters: [EXECUTION_ID, APPROVAL_ID],
    body: {
      shape: DecisionBody,
      examples: {
        allow: { decision: 'allow' },
        deny: { decision: 'deny', message: 'not now' },
        answer: { decision: 'allow', answers: [['SQLite']] },
      },
    },
    responses: {
      200: jsonResponse('The agent continues.', ApprovalDecided, { approval_id: APPROVAL, decision: 'allow' }),
    },
    errors: [...new Set([...BODY_ERRORS, ...SESSION_ERRORS])],
  }),
  operation('get /api/v1/approvals', 'listApprovals', {
    summary: 'List what agents wait for',
    description:
      'A key with the role `client` sees only those for its executions. `GET /api/v1/events` reports the changes.',
    responses: { 200: jsonResponse('What no one has decided yet.', ApprovalList, { approvals: [approval] }) },
    errors: COMMON_ERRORS,
  }),
  operation('get /api/v1/events', 'watchExecutions', {
    summary: 'Follow the states of all executions',
    description:
      'Begins with the executions that are running and with what they wait for. Runs are sent when they change. Server-sent events with `Accept: text/event-stream`.',
    responses: {
      200: {
        description: 'The changes.',
        content: {
          'application/x-ndjson': eventStream(
            { shape: StateChange, description: 'One change per line, each a JSON object (`StateChange`).' },
            {
              events: { running: { type: 'execution', execution: running }, approval: { type: 'approval', approval } },
              frame: (change) => `${JSON.stringify(change)}\n`,
            },
          ),
        },
      },
    },
    errors: COMMON_ERRORS,
  }),
]
