/** Examples of driven runs for the OpenAPI document. */
import type { NightReports } from '../../drive/night/night-report.shape.ts'
import type { DrivenDiff, DrivenRun } from '../../drive/service/driven-run.shape.ts'
import type { DrivenRunEvent } from '../../drive/service/driven-run-event.shape.ts'
import { EXAMPLE } from '../api-description/operation.shape.ts'

export const ID = '6f1c2c6e-4b0a-4f2e-9d53-7a9c0a1be34d'
export const ACTION = '0a4e5b1c-8f57-4a2b-b1d6-2c9a7f0de8b3'
const WORKTREE = '/home/ada/.drover/worktrees/show-the-wind-in-knots-1a2b/weather'
const BRANCH = 'drover/show-the-wind-in-knots-1a2b'
export const SCOPE = `sha256:${'7d'.repeat(32)}`

export const running: DrivenRun = {
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

export const waiting: DrivenRun = {
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

export const queued: DrivenRun = {
  ...resting,
  id: '0c9d3c1e-7f41-4d0b-9b0e-0f6b7a4f5d21',
  goal: 'Show the rain in mm',
  title: 'Show the rain in mm',
  state: 'queued',
  verdict: {
    ...{ word: 'queued', line: 'queued: waits for its turn', reason: 'waits for its turn' },
    ...{ next: 'drover drive --queue', look_first: [], exists: {} },
  },
  spent: { tokens: 0, cost_usd: 0, time_secs: 0 },
  queue: { number: 1, waits_for: 'turn' },
  choices: ['first', 'move', 'skip', 'stop'],
  last_seq: 1,
}

const used = { tokens: 48_210, cost_microusd: 610_000, time_ms: 540_000 }

export const nights: NightReports = {
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

const attempt: NonNullable<DrivenRun['attempts']>[number] = {
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

export const detail: DrivenRun = {
  ...waiting,
  attempts: [attempt],
  findings: [{ location: 'wind.ts:12', summary: 'Rounded', detail: '12 m/s are 23.3 knots.' }],
  report: `# Show the wind in knots\n\n**waits for you**: The old readings must be deleted. Is that wanted?\n`,
}

export const diff: DrivenDiff = {
  id: ID,
  base: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  branch: BRANCH,
  files: [{ path: 'wind.ts', insertions: 1, deletions: 0 }],
  patch:
    'diff --git a/wind.ts b/wind.ts\nindex e69de29..5c2d1f0 100644\n--- a/wind.ts\n+++ b/wind.ts\n@@ -0,0 +1 @@\n+// in knots\n',
  is_cut: false,
}

export const events: Record<string, DrivenRunEvent> = {
  state: { at: EXAMPLE.timestamp, type: 'state', data: { state: 'running', driven_by: 'this_server' } },
  attempt_started: {
    seq: 2,
    at: EXAMPLE.timestamp,
    type: 'attempt_started',
    data: {
      ...{
        attempt: 1,
        action_id: ACTION,
        action_kind: 'orient',
        action_number: 1,
        actions_left: 11,
        purpose: 'action',
      },
      ...{ backend: 'claude', execution_id: EXAMPLE.executionId, reserved: {}, prompt_sha256: SCOPE },
    },
  },
}
