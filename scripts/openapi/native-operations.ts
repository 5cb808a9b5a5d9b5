import { type TSchema, Type } from 'typebox'
import { BackendList } from '../../src/http/native/backends.shape.ts'
import { SessionDeleted } from '../../src/http/native/session-deleted.shape.ts'
import { SessionEditRequest, SessionQuery } from '../../src/http/native/session-requests.shape.ts'
import { PromptEvent } from '../../src/prompts/prompt-event.shape.ts'
import {
  ChainRequest,
  CompareRequest,
  ParallelRequest,
  PromptRequest,
  ResumeRequest,
} from '../../src/prompts/prompt-request.shape.ts'
import { ChainResult, ComparisonResult, ParallelResult, PromptResult } from '../../src/prompts/prompt-result.shape.ts'
import { Session, SessionPage } from '../../src/sessions/session.shape.ts'
import { BACKENDS, CHAIN, COMPARISON, PARALLEL, PROMPT, RESUME, SESSION, SESSIONS } from './examples.ts'
import type { Answer, Operation, Parameter } from './operation.ts'
import { ALWAYS, type RefusalName, WITH_BODY } from './refusals.ts'

const WITH_ID: readonly RefusalName[] = ['BadRequest', 'NotFound', 'Conflict', ...ALWAYS]

const answerOfPrompt: Answer = {
  description:
    'The agent ran, or a dry run says what would be started. Whether the agent succeeded, `exit_code` and `error` tell. ' +
    'With `output_format` `stream-json` one event for each line, from `init` to `done`.',
  content: {
    'application/json': { shape: PromptResult, examples: PROMPT.results },
    'application/x-ndjson': { shape: PromptEvent, examples: PROMPT.events },
  },
}

const sessionId: Parameter = {
  name: 'id',
  in: 'path',
  shape: Type.String({
    minLength: 4,
    maxLength: 32,
    description: 'The id of the session, or a unique beginning of it.',
  }),
  isRequired: true,
  example: SESSION.id,
}

const query: Parameter[] = Object.entries(SessionQuery.properties).map(([name, shape]) => ({
  name,
  in: 'query',
  shape,
  isRequired: false,
}))

function json(description: string, shape: TSchema, example: unknown): Answer {
  return { description, content: { 'application/json': { shape, examples: { example } } } }
}

export const NATIVE_OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/api/v1/prompt',
    id: 'executePrompt',
    tag: 'native',
    summary: 'Run one prompt',
    body: { shape: PromptRequest, examples: PROMPT.requests },
    answers: { 200: answerOfPrompt },
    refusals: WITH_BODY,
  },
  {
    method: 'post',
    path: '/api/v1/parallel',
    id: 'executeParallel',
    tag: 'native',
    summary: 'Run independent prompts side by side',
    description: 'What is wrong with one task is the result of that task. No sessions are kept.',
    body: { shape: ParallelRequest, examples: { example: PARALLEL.request } },
    answers: { 200: json('All tasks have ended.', ParallelResult, PARALLEL.result) },
    refusals: WITH_BODY,
  },
  {
    method: 'post',
    path: '/api/v1/chain',
    id: 'executeChain',
    tag: 'native',
    summary: 'Run prompts one after another',
    description: 'Later steps may use the answers of earlier ones. No sessions are kept.',
    body: { shape: ChainRequest, examples: { example: CHAIN.request } },
    answers: { 200: json('The chain has ended.', ChainResult, CHAIN.result) },
    refusals: WITH_BODY,
  },
  {
    method: 'post',
    path: '/api/v1/compare',
    id: 'executeCompare',
    tag: 'native',
    summary: 'Ask several agents the same',
    description: 'What is wrong with one backend is the result of that backend. No sessions are kept.',
    body: { shape: CompareRequest, examples: { example: COMPARISON.request } },
    answers: { 200: json('All have answered.', ComparisonResult, COMPARISON.result) },
    refusals: WITH_BODY,
  },
  {
    method: 'get',
    path: '/api/v1/backends',
    id: 'listBackends',
    tag: 'native',
    summary: 'List the agents',
    answers: { 200: json('All that drover knows, in canonical order.', BackendList, BACKENDS) },
    refusals: ALWAYS,
  },
  {
    method: 'get',
    path: '/api/v1/sessions',
    id: 'listSessions',
    tag: 'native',
    summary: 'List sessions',
    parameters: query,
    answers: { 200: json('One page, last used first.', SessionPage, SESSIONS) },
    refusals: ['BadRequest', ...ALWAYS],
  },
  {
    method: 'get',
    path: '/api/v1/sessions/{id}',
    id: 'getSession',
    tag: 'native',
    summary: 'Read a session',
    parameters: [sessionId],
    answers: { 200: json('The session.', Session, SESSION) },
    refusals: WITH_ID,
  },
  {
    method: 'patch',
    path: '/api/v1/sessions/{id}',
    id: 'updateSession',
    tag: 'native',
    summary: 'Give a session a title or tags',
    parameters: [sessionId],
    body: { shape: SessionEditRequest, examples: { example: { title: 'The lost line', tags: ['parser'] } } },
    answers: {
      200: json('The session as it is now.', Session, { ...SESSION, title: 'The lost line', tags: ['parser'] }),
    },
    refusals: [...new Set([...WITH_ID, ...WITH_BODY])],
  },
  {
    method: 'delete',
    path: '/api/v1/sessions/{id}',
    id: 'deleteSession',
    tag: 'native',
    summary: 'Delete a session',
    parameters: [sessionId],
    answers: { 200: json('It is gone.', SessionDeleted, { deleted: true, id: SESSION.id }) },
    refusals: WITH_ID,
  },
  {
    method: 'post',
    path: '/api/v1/sessions/{id}/resume',
    id: 'resumeSession',
    tag: 'native',
    summary: 'Run a further prompt in a session',
    description: 'The backend is that of the session. With `fork` a new session begins with the settings of this one.',
    parameters: [sessionId],
    body: { shape: ResumeRequest, examples: { example: RESUME } },
    answers: { 200: answerOfPrompt },
    refusals: [...new Set([...WITH_ID, ...WITH_BODY])],
  },
]
