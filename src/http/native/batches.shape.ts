import { Type } from 'typebox'
import { optionalInteger, type Static, strict } from '../../kit/shape.ts'
import { ChainRequest, CompareRequest, KeepRequest, ParallelRequest } from '../../prompts/prompt-request.shape.ts'
import {
  ChainResult,
  type ComparedResult,
  ComparisonResult,
  KeepResult,
  ParallelResult,
} from '../../prompts/prompt-result.shape.ts'
import { ComparedDiff, ComparisonPage, ComparisonView } from '../../service/comparison.shape.ts'
import { BODY_ERRORS, COMMON_ERRORS, RUN_ERRORS, SESSION_ERRORS } from '../api-description/error-responses.shape.ts'
import {
  ACCEPTED_RESPONSE,
  EXAMPLE,
  IDEMPOTENCY_KEY,
  jsonResponse,
  type Operation,
  operation,
  PREFER,
  toQueryParameters,
  withExecution,
} from '../api-description/operation.shape.ts'
import { EXECUTION_ID } from './executions.shape.ts'
import { ANSWERED, TIMED_OUT } from './prompt.shape.ts'

export const ComparedQuery = strict({
  name: Type.String({ minLength: 1, maxLength: 64, description: 'The agent, as the comparison names it.' }),
})
export type ComparedQuery = Static<typeof ComparedQuery>

/** The result of each one is read. */
const MAX_LISTED = 100
const MAX_SKIPPED = 10_000

export const ComparisonsQuery = strict({
  limit: optionalInteger('Number of comparisons in the page.', { minimum: 1, maximum: MAX_LISTED, default: 20 }),
  offset: optionalInteger('Number of newer comparisons to skip.', { minimum: 0, maximum: MAX_SKIPPED, default: 0 }),
})
export type ComparisonsQuery = Static<typeof ComparisonsQuery>

const parallelRequest: ParallelRequest = {
  tasks: [
    { backend: 'claude', prompt: 'Review src/parser.ts.' },
    { backend: 'gemini', prompt: 'Review src/lexer.ts.' },
  ],
  max_parallel: 2,
  fail_fast: false,
}

const parallelResult: ParallelResult = {
  total_tasks: 2,
  completed: 1,
  failed: 1,
  canceled: 0,
  total_duration_ms: 300_009,
  results: [
    { ...ANSWERED, session_id: '' },
    { ...TIMED_OUT, session_id: '', backend: 'gemini' },
  ],
}

const chainRequest: ChainRequest = {
  steps: [
    { name: 'review', backend: 'claude', prompt: 'Review src/parser.ts.' },
    { name: 'plan', backend: 'codex', prompt: 'Plan the fixes for this review:\n\n{{previous}}' },
  ],
  stop_on_failure: true,
}

const chainResult: ChainResult = {
  total_steps: 2,
  completed_steps: 1,
  failed_step: 2,
  total_duration_ms: 308_131,
  results: [
    { step: 1, name: 'review', ...ANSWERED, session_id: '' },
    { step: 2, name: 'plan', ...TIMED_OUT, session_id: '' },
  ],
}

const compareRequest: CompareRequest = { prompt: 'Name three risks of this design.', backends: ['claude', 'codex'] }

const comparison: ComparisonResult = {
  prompt: 'Name three risks of this design.',
  backends: ['claude', 'codex'],
  results: [
    { ...ANSWERED, session_id: '' },
    { ...TIMED_OUT, session_id: '' },
  ],
  total_duration_ms: 300_007,
}

const inWorktrees: CompareRequest = {
  prompt: 'Show the wind in knots.',
  backends: ['claude', 'codex'],
  workdir: '/srv/weather',
  worktrees: true,
  checks: ['npm test'],
}

const worktree: ComparedResult['worktree'] = {
  name: 'claude',
  path: '/home/ada/.drover/worktrees/show-the-wind-in-knots-claude-9f2c1f6b/weather',
  branch: 'drover/show-the-wind-in-knots-claude-9f2c1f6b',
  repository: '/srv/weather',
  base: '5c1f0a9be34d7c2f81a6d0e45c1f0a9be34d7c2f',
  files: 1,
  insertions: 12,
  deletions: 3,
  changes: [{ path: 'src/wind.ts', insertions: 12, deletions: 3 }],
  checks: [
    { command: 'npm test', passed: true, exit_code: 0, duration_ms: 4012, output: 'ok\n', output_truncated: false },
  ],
}

const changed: ComparisonResult = {
  prompt: 'Show the wind in knots.',
  backends: ['claude', 'codex'],
  results: [
    { ...ANSWERED, session_id: '', worktree },
    { ...TIMED_OUT, session_id: '', worktree: { ...worktree, name: 'codex' } },
  ],
  total_duration_ms: 300_007,
  warnings: ['1 changed file is not committed, so the agents do not see the change'],
}

const kept: KeepResult = {
  kept: {
    name: 'claude',
    branch: 'drover/show-the-wind-in-knots-claude-9f2c1f6b',
    commit: '8b3a5e6f708192039f2c1f6be04d4c7d8b3a5e6f',
  },
  dropped: [{ name: 'codex', commit: '0819203f2c1f6be04d4c7d8b3a5e6f70819203f2' }],
  left: [],
}

const view: ComparisonView = {
  id: EXAMPLE.executionId,
  state: 'completed',
  prompt: 'Show the wind in knots',
  created_at: EXAMPLE.timestamp,
  ended_at: EXAMPLE.timestamp,
  contenders: [
    { name: 'claude', backend: 'claude', state: 'completed', duration_ms: 8100, cost_usd: 0.0123, work: 'open' },
    { name: 'codex', backend: 'codex', state: 'completed', duration_ms: 9400, work: 'none' },
  ],
}

const page: ComparisonPage = {
  comparisons: [
    {
      id: EXAMPLE.executionId,
      state: 'completed',
      prompt_start: 'Show the wind in knots',
      created_at: EXAMPLE.timestamp,
      ended_at: EXAMPLE.timestamp,
      repository: '/srv/weather',
      winner: 'claude',
      contenders: [
        { name: 'claude', backend: 'claude', state: 'completed', checks: { passed: 1, failed: 0 }, work: 'kept' },
        { name: 'codex', backend: 'codex', state: 'completed', checks: { passed: 0, failed: 1 }, work: 'dropped' },
      ],
    },
  ],
  limit: 20,
  offset: 0,
  has_more: false,
}

const comparedDiff: ComparedDiff = {
  id: EXAMPLE.executionId,
  name: 'claude',
  base: '5c1f0a9be34d7c2f81a6d0e45c1f0a9be34d7c2f',
  files: [{ path: 'wind.ts', insertions: 1, deletions: 0 }],
  patch: 'diff --git a/wind.ts b/wind.ts\n--- a/wind.ts\n+++ b/wind.ts\n@@ -0,0 +1 @@\n+// in knots\n',
  is_cut: false,
}

export const OPERATIONS: readonly Operation[] = [
  operation('post /api/v1/parallel', 'executeParallel', {
    summary: 'Run independent prompts in parallel',
    description: 'A task that fails has an error as its result; the other tasks still run. No sessions are stored.',
    parameters: [IDEMPOTENCY_KEY, PREFER],
    body: { shape: ParallelRequest, examples: { example: parallelRequest } },
    responses: {
      200: withExecution(jsonResponse('All tasks have ended.', ParallelResult, parallelResult)),
      202: ACCEPTED_RESPONSE,
    },
    errors: RUN_ERRORS,
  }),
  operation('post /api/v1/chain', 'executeChain', {
    summary: 'Run prompts one after another',
    description: 'A step can use the answers of earlier steps. No sessions are stored.',
    parameters: [IDEMPOTENCY_KEY, PREFER],
    body: { shape: ChainRequest, examples: { example: chainRequest } },
    responses: {
      200: withExecution(jsonResponse('The chain has ended.', ChainResult, chainResult)),
      202: ACCEPTED_RESPONSE,
    },
    errors: RUN_ERRORS,
  }),
  operation('post /api/v1/compare', 'executeCompare', {
    summary: 'Run the same prompt on several agents',
    description:
      'An agent that fails has an error as its result; the others still run. Sessions are stored with `sessions`. With `worktrees`, each agent edits files in a new git worktree of a repository that the operator names in `drive.repositories`. Worktrees with changes stay until they are kept or dropped.',
    parameters: [IDEMPOTENCY_KEY, PREFER],
    body: { shape: CompareRequest, examples: { example: compareRequest, worktrees: inWorktrees } },
    responses: {
      200: withExecution({
        description: 'All agents have ended.',
        content: {
          'application/json': { shape: ComparisonResult, examples: { example: comparison, worktrees: changed } },
        },
      }),
      202: ACCEPTED_RESPONSE,
    },
    errors: RUN_ERRORS,
  }),
  operation('get /api/v1/compare', 'listComparisons', {
    summary: 'List comparisons',
    description:
      'Each agent with its state, the number of its checks and what became of its work, and the winner. A key with the role `client` sees its own.',
    parameters: toQueryParameters(ComparisonsQuery),
    responses: { 200: jsonResponse('One page, newest first.', ComparisonPage, page) },
    errors: ['BadRequest', ...COMMON_ERRORS],
  }),
  operation('get /api/v1/compare/{id}', 'getComparison', {
    summary: 'Get a comparison with what became of the work of each agent',
    description:
      'Its agents with their checks and changes, and the winner: the agent whose work was kept. `GET /api/v1/compare` lists comparisons. A key with the role `client` sees its own.',
    parameters: [EXECUTION_ID],
    responses: { 200: jsonResponse('The comparison.', ComparisonView, view) },
    errors: SESSION_ERRORS,
  }),
  operation('get /api/v1/compare/{id}/diff', 'getComparedDiff', {
    summary: 'Get what one agent of a comparison has changed',
    description:
      'The files in its worktree, or the commit that was kept, compared with the commit that all began with.',
    parameters: [EXECUTION_ID, ...toQueryParameters(ComparedQuery).map((each) => ({ ...each, isRequired: true }))],
    responses: { 200: jsonResponse('The changes.', ComparedDiff, comparedDiff) },
    errors: ['BadRequest', ...SESSION_ERRORS],
  }),
  operation('post /api/v1/compare/keep', 'keepCompared', {
    summary: 'Keep the work of one agent of a comparison',
    description:
      'Commits the work of one agent of a comparison in worktrees, by default the last one, on its branch, and drops the others. Without a name all work is dropped. What is dropped is committed first, so that it can be brought back. Only comparisons with the same API key are found.',
    body: { shape: KeepRequest, examples: { example: { workdir: '/srv/weather', name: 'claude' } } },
    responses: { 200: jsonResponse('What became of the worktrees.', KeepResult, kept) },
    errors: [...BODY_ERRORS, 'NotFound', 'Conflict'],
  }),
]
