import { CompareRequest, KeepRequest } from '../../prompts/prompt-request.shape.ts'
import { type ComparedResult, ComparisonResult, KeepResult } from '../../prompts/prompt-result.shape.ts'
import { BODY_ERRORS, RUN_ERRORS } from '../api-description/error-responses.shape.ts'
import {
  ACCEPTED_RESPONSE,
  IDEMPOTENCY_KEY,
  jsonResponse,
  type Operation,
  operation,
  PREFER,
  withExecution,
} from '../api-description/operation.shape.ts'
import { ANSWERED, TIMED_OUT } from './prompt.shape.ts'

const request: CompareRequest = { prompt: 'Name three risks of this design.', backends: ['claude', 'codex'] }

const result: ComparisonResult = {
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

export const OPERATIONS: readonly Operation[] = [
  operation('post /api/v1/compare', 'executeCompare', {
    summary: 'Run the same prompt on several agents',
    description:
      'An agent that fails has an error as its result; the others still run. No sessions are stored. With `worktrees`, each agent edits files in a new git worktree of a repository that the operator names in `drive.repositories`. Worktrees with changes stay until they are kept or dropped.',
    parameters: [IDEMPOTENCY_KEY, PREFER],
    body: { shape: CompareRequest, examples: { example: request, worktrees: inWorktrees } },
    responses: {
      200: withExecution({
        description: 'All agents have ended.',
        content: {
          'application/json': { shape: ComparisonResult, examples: { example: result, worktrees: changed } },
        },
      }),
      202: ACCEPTED_RESPONSE,
    },
    errors: RUN_ERRORS,
  }),
  operation('post /api/v1/compare/keep', 'keepCompared', {
    summary: 'Keep the work of one agent of a comparison',
    description:
      'Commits the work of one agent of the last comparison in worktrees on its branch, and drops the others. Without a name all work is dropped. What is dropped is committed first, so that it can be brought back. Only comparisons with the same API key are found.',
    body: { shape: KeepRequest, examples: { example: { workdir: '/srv/weather', name: 'claude' } } },
    responses: { 200: jsonResponse('What became of the worktrees.', KeepResult, kept) },
    errors: [...BODY_ERRORS, 'NotFound', 'Conflict'],
  }),
]
