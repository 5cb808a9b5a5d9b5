import { describe, expect, it } from 'vitest'
import { actionOf, attemptAt, driveState, OPTIONS, treeOf } from '../../../test/support/drive-fixture.ts'
import type { RunOutline } from '../../runs/read-status.ts'
import type { Options, ReviewFlag } from '../record/drive-event.shape.ts'
import type { Attempt, CheckRun, DriveState } from '../record/drive-state.ts'
import { toVerdict, type VerdictFacts } from './verdict.ts'

const AT = '2026-01-31T10:00:00.000Z'
const BRANCH = 'drover/wind-1'
const PLACE = { kind: 'worktree', root: '/trees/wind', branch: BRANCH, base: 'b', repository: '/srv' } as const
const DELIVERED = { as: 'branch', branch: BRANCH, commit: 'c0ffee' } as const
const UNCHANGED = { as: 'none', branch: BRANCH, note: 'nothing was changed' } as const
const IN_PLACE = { as: 'none', note: 'the changes are in /work' } as const
const CHECKED: Options = { ...OPTIONS, checks: ['make'] }

type Outcome = {
  status?: string
  result?: string
  kind?: string
  suggests?: string
  findings?: number
  review?: string
}
type Trace = { skipped?: true; voided?: true; question?: string } & Outcome

function action({ kind = 'implement', skipped, voided, question, ...outcome }: Trace = {}) {
  const { status = 'completed', result = 'applied', suggests, findings = 0, review } = outcome
  const finding = { location: 'wind.ts:1', summary: 'Rounded', detail: '' }
  return {
    action: { action_id: `${kind}-1`, kind },
    ...(skipped && { skipped }),
    ...(voided && { voided }),
    outcome: {
      status,
      summary: status === 'error' ? 'claude reported no valid outcome: there is none.' : 'Done.',
      suggested_actions: suggests === undefined ? [] : [{ kind: suggests }],
      pause: question === undefined ? null : { question },
      implementation: kind === 'implement' ? { result } : null,
      review:
        kind === 'review' ? { result: review ?? 'findings_reported', findings: Array(findings).fill(finding) } : null,
    },
  }
}

function check(passed: boolean): CheckRun {
  const end = { exit_code: passed ? 0 : 1, duration_ms: 1, output: '' }
  return { attempt: 1, command: 'make', passed, ...end, at: AT }
}

const IMPLEMENT = actionOf('implement')
const worked = (more: Partial<Attempt> = {}) =>
  attemptAt(IMPLEMENT, more, { tree: treeOf({ 'wind.txt': 'other' }), outcome: '{}' })
const idle = (more: Partial<Attempt> = {}) => attemptAt(IMPLEMENT, more, { tree: treeOf(), outcome: '{}' })
const flagged = (...flags: ReviewFlag[]) => worked({ evidence: { attempt: 1, claims: [], flags } })

const SERIOUS: ReviewFlag = { flag: 'test_deleted', detail: 'wind.test.js' }
const NOTE: ReviewFlag = { flag: 'change_not_reported', detail: 'wind.txt' }

type Row = {
  state?: RunOutline['state']
  run?: object
  actions?: readonly object[]
  attempts?: readonly Attempt[]
  drive?: Partial<DriveState>
  facts?: Partial<VerdictFacts>
}

function verdictOf({ state = 'ended', run, actions = [action()], attempts = [], drive, facts }: Row) {
  return toVerdict({
    run: { id: 'run-1', state, updated_at: AT, actions, ...run } as unknown as VerdictFacts['run'],
    drive: driveState(attempts, { place: PLACE, ...drive }),
    earlier: [],
    isDriven: false,
    hasWorktree: false,
    now: new Date('2026-01-31T12:00:00.000Z'),
    ...facts,
  })
}

const ROWS: [string, Row, number | undefined, string, string][] = [
  [
    'an agent works',
    { state: 'active', attempts: [attemptAt(IMPLEMENT, {}, null)], facts: { isDriven: true } },
    undefined,
    'running: claude works on implement',
    'drover status run-1 --watch',
  ],
  [
    'a check runs',
    { state: 'active', run: { current_action: { kind: 'implement' } }, facts: { isDriven: true } },
    undefined,
    'running: drover works on implement',
    'drover status run-1 --watch',
  ],
  ['it is delivered now', { facts: { isDriven: true } }, undefined, 'running', 'drover status run-1 --watch'],
  [
    'its driver was killed',
    { state: 'active' },
    undefined,
    'not driven (killed 2 h ago): drover drive run-1',
    'drover drive run-1',
  ],
  [
    'its driver was interrupted',
    { state: 'active', attempts: [attemptAt(IMPLEMENT, {}, { how: 'cancelled', at: '2026-01-31T11:58:00.000Z' })] },
    undefined,
    'not driven (interrupted 2 min ago): drover drive run-1',
    'drover drive run-1',
  ],
  [
    'its driver was killed before the delivery',
    {},
    undefined,
    'not driven (killed 2 h ago): drover drive run-1',
    'drover drive run-1',
  ],
  [
    'it was killed days ago',
    { facts: { now: new Date('2026-02-03T10:00:00.000Z') } },
    undefined,
    'not driven (killed 3 d ago): drover drive run-1',
    'drover drive run-1',
  ],
  [
    'a further run works on it',
    { drive: { next_run_id: 'run-2' } },
    undefined,
    'continued as run-2',
    'drover status run-2',
  ],
  ['a person stopped it', { state: 'stopped' }, 4, 'waits for you: the run was stopped', 'drover drive run-1'],
  [
    'it asks',
    {
      state: 'paused',
      actions: [action({ question: 'Knots\u001b or\nkm/h?' })],
      run: { pause_reason: 'decision_required' },
    },
    4,
    'waits for you: Knots or km/h?',
    'drover answer run-1 "TEXT"',
  ],
  [
    'it asks to destroy something',
    {
      state: 'paused',
      actions: [action({ question: 'Delete?' })],
      run: { pause_reason: 'destructive_confirmation_required' },
    },
    4,
    'waits for you: Delete?',
    'drover answer run-1',
  ],
  [
    'something is missing',
    {
      state: 'paused',
      actions: [action({ question: 'No network.' })],
      run: { pause_reason: 'environment_unavailable' },
    },
    4,
    'waits for you: something is missing: No network.',
    'drover drive run-1',
  ],
  [
    'its issue was edited',
    { state: 'paused', run: { source_candidate: {} } },
    4,
    'waits for you: the issue has changed',
    'drover continue run-1 --use-pinned',
  ],
  [
    'all actions are used',
    { state: 'paused', run: { pause_reason: 'budget_exhausted' } },
    4,
    'paused by limit: the run has used all of its actions',
    'drover drive run-1 --actions 8',
  ],
  [
    'its tokens are used',
    { state: 'active', drive: { paused: { reason: 'max_tokens', message: 'no tokens left' } } },
    4,
    'paused by limit: no tokens left',
    'drover drive run-1 --max-tokens N',
  ],
  [
    'its money is used',
    { state: 'active', drive: { paused: { reason: 'max_cost', message: 'no money left' } } },
    4,
    'paused by limit: no money left',
    'drover drive run-1 --max-cost USD',
  ],
  [
    'its time is used',
    { state: 'active', drive: { paused: { reason: 'max_time', message: 'no time left' } } },
    4,
    'paused by limit: no time left',
    'drover drive run-1 --max-time TIME',
  ],
  [
    'the agent fails',
    { state: 'active', drive: { paused: { reason: 'agent_failed', message: 'claude failed: log in' } } },
    4,
    'waits for you: claude failed: log in',
    'drover drive run-1',
  ],
  [
    'the setup fails',
    { state: 'active', drive: { paused: { reason: 'setup_failed', message: 'the setup failed' } } },
    4,
    'waits for you: the setup failed',
    'drover drive run-1',
  ],
  [
    'a server cannot continue it',
    { state: 'active', facts: { problem: { message: 'the key is revoked' } } },
    3,
    'not delivered: the key is revoked',
    'drover drive run-1',
  ],
  [
    'the work is on its branch, without checks',
    { attempts: [worked()], drive: { delivered: DELIVERED } },
    0,
    `delivered: branch ${BRANCH}`,
    `git merge ${BRANCH}`,
  ],
  [
    'its checks pass',
    { attempts: [worked({ checks: [check(true)] })], drive: { delivered: DELIVERED, options: CHECKED } },
    0,
    `delivered: branch ${BRANCH}`,
    `git merge ${BRANCH}`,
  ],
  [
    'there is a note only',
    { attempts: [flagged(NOTE)], drive: { delivered: DELIVERED } },
    0,
    `delivered: branch ${BRANCH}`,
    `git merge ${BRANCH}`,
  ],
  [
    'it is a pull request',
    { attempts: [worked()], drive: { delivered: { ...DELIVERED, as: 'pr', pull_request: 'https://x/1' } } },
    0,
    `delivered: branch ${BRANCH}, draft pull request https://x/1`,
    `git merge ${BRANCH}`,
  ],
  [
    'the work is in place',
    { attempts: [worked()], drive: { delivered: IN_PLACE } },
    0,
    'delivered: the changes are in /work',
    'drover report run-1',
  ],
  [
    'a flag is serious',
    { attempts: [flagged(NOTE, SERIOUS)], drive: { delivered: DELIVERED } },
    5,
    'delivered, look first: test deleted: wind.test.js',
    'drover report run-1',
  ],
  [
    'a flag of the round before is serious',
    {
      attempts: [worked()],
      drive: { delivered: DELIVERED, round: 2 },
      facts: { earlier: [driveState([flagged(SERIOUS)])] },
    },
    5,
    'delivered, look first: test deleted: wind.test.js',
    'drover report run-1',
  ],
  [
    'a finding is left',
    {
      actions: [action(), action({ kind: 'review', findings: 1 })],
      attempts: [worked()],
      drive: { delivered: DELIVERED },
    },
    5,
    'delivered, look first: the review found: wind.ts:1: Rounded',
    'drover report run-1',
  ],
  [
    'the review failed',
    {
      actions: [action(), action({ kind: 'review', status: 'error', review: 'error' })],
      attempts: [worked()],
      drive: { delivered: DELIVERED },
    },
    5,
    'delivered, look first: the review has no result: claude reported no valid outcome: there is none.',
    'drover report run-1',
  ],
  [
    'the agent did a part',
    {
      actions: [action({ status: 'partial', result: 'partial' })],
      attempts: [worked()],
      drive: { delivered: DELIVERED },
    },
    5,
    'delivered, look first: the work is reported as partial: Done.',
    'drover report run-1',
  ],
  [
    'nothing has to change, and the check passes',
    {
      actions: [action({ result: 'not_needed' })],
      attempts: [idle({ checks: [check(true)] })],
      drive: { delivered: UNCHANGED, options: CHECKED },
    },
    0,
    'nothing to change: the agent says so, and the checks pass',
    'drover report run-1',
  ],
  [
    'nothing has to change, without a check',
    { actions: [action({ result: 'not_needed' })], attempts: [idle()], drive: { delivered: UNCHANGED } },
    0,
    'nothing to change: the agent says so; there is no check',
    'drover report run-1',
  ],
  [
    'there is nothing to do, and the check passed before',
    {
      actions: [action({ kind: 'orient', suggests: 'summarize' })],
      drive: {
        delivered: UNCHANGED,
        options: CHECKED,
        baseline: [{ command: 'make', passed: true, could_start: true, duration_ms: 1, output: '' }],
      },
    },
    0,
    'nothing to change: the agent says so, and the checks pass',
    'drover report run-1',
  ],
  [
    'there is nothing to do, and the check failed before',
    {
      actions: [action({ kind: 'orient', suggests: 'summarize' })],
      drive: {
        delivered: UNCHANGED,
        options: CHECKED,
        baseline: [{ command: 'make', passed: false, could_start: true, duration_ms: 1, output: '' }],
      },
    },
    3,
    'not delivered: the check make fails on the commit as it is',
    'drover report run-1',
  ],
  [
    'there is nothing to do, and no check ran',
    { actions: [action({ kind: 'orient', suggests: 'summarize' })], drive: { delivered: UNCHANGED, options: CHECKED } },
    3,
    'not delivered: the check make was not run',
    'drover report run-1',
  ],
  [
    'nothing has to change, and the check fails',
    {
      actions: [action({ result: 'not_needed' })],
      attempts: [idle({ checks: [check(false)] })],
      drive: { delivered: UNCHANGED, options: CHECKED },
    },
    3,
    'not delivered: the check make ended with exit code 1',
    'drover report run-1',
  ],
  [
    'no agent said a word about the goal',
    { actions: [action({ kind: 'orient' })], drive: { delivered: UNCHANGED } },
    3,
    'not delivered: no agent worked on the goal, and none said that nothing has to change',
    'drover report run-1',
  ],
  [
    'the agent never gives an outcome',
    {
      actions: [action({ kind: 'orient', status: 'error' }), action({ kind: 'summarize', status: 'error' })],
      drive: { delivered: UNCHANGED, options: CHECKED },
    },
    3,
    'not delivered: claude reported no valid outcome: there is none; the check make was not run',
    'drover report run-1',
  ],
  [
    'the work has no valid outcome',
    {
      actions: [action({ status: 'error', result: 'unable' })],
      attempts: [worked({ checks: [check(true)] })],
      drive: { delivered: DELIVERED, options: CHECKED },
    },
    3,
    'not delivered: claude reported no valid outcome: there is none',
    'drover report run-1',
  ],
  [
    'a check fails',
    { attempts: [worked({ checks: [check(false)] })], drive: { delivered: DELIVERED, options: CHECKED } },
    3,
    'not delivered: the check make ended with exit code 1',
    'drover report run-1',
  ],
  [
    'a check was not run',
    { attempts: [worked()], drive: { delivered: DELIVERED, options: CHECKED } },
    3,
    'not delivered: the check make was not run',
    'drover report run-1',
  ],
  [
    'the work was skipped',
    { actions: [action({ skipped: true })], drive: { delivered: UNCHANGED } },
    3,
    'not delivered: the work was skipped',
    'drover report run-1',
  ],
  [
    'everything was skipped',
    { actions: [action({ kind: 'orient', skipped: true })], drive: { delivered: UNCHANGED } },
    3,
    'not delivered: every action was skipped',
    'drover report run-1',
  ],
  [
    'changes are reported, and there are none',
    { attempts: [idle()], drive: { delivered: UNCHANGED } },
    3,
    'not delivered: nothing was changed, although the agent reports changes',
    'drover report run-1',
  ],
  [
    'work that was withdrawn does not count',
    {
      actions: [action({ status: 'error', voided: true }), action()],
      attempts: [worked()],
      drive: { delivered: DELIVERED },
    },
    0,
    `delivered: branch ${BRANCH}`,
    `git merge ${BRANCH}`,
  ],
]

const CLEAN = { commit: 'c0ffee', result: 'passed', checks: [], duration_ms: 1 } as const
const RED = { ...CLEAN, result: 'failed', checks: [check(false)] } as const
const ofClean = (clean: object, passed = true): Row => {
  const drive = { delivered: DELIVERED, options: CHECKED, delivery_check: clean as DriveState['delivery_check'] }
  return { attempts: [worked({ checks: [check(passed)] })], drive } as Row
}

describe('the verdict on a commit whose checks, in a clean checkout,', () => {
  it.each<[string, Row, string]>([
    ['pass', ofClean(CLEAN), `delivered: branch ${BRANCH}`],
    ['pass, but fail in the worktree', ofClean(CLEAN, false), 'not delivered: the check make ended with exit code 1'],
    [
      'fail',
      ofClean(RED),
      'not delivered: the check make ended with exit code 1 in a clean checkout of the commit; it passes in the worktree',
    ],
    [
      'cannot be prepared',
      ofClean({ ...RED, checks: [], setup_failed: { command: 'npm ci', exit_code: 2, duration_ms: 1, output: '' } }),
      'not delivered: the check make could not run, because the setup failed in a clean checkout of the commit; it passes in the worktree',
    ],
    [
      'say why',
      {
        attempts: [worked({ checks: [check(true)] })],
        drive: { delivered: { ...DELIVERED, as: 'none', note: 'it lacks files' }, options: CHECKED },
      },
      'not delivered: it lacks files',
    ],
    ['are the same', ofClean({ ...CLEAN, result: 'skipped' }), `delivered: branch ${BRANCH}`],
    [
      'are the same, and failed',
      ofClean({ ...CLEAN, result: 'skipped' }, false),
      'not delivered: the check make ended with exit code 1',
    ],
    ['were about another commit', ofClean({ ...RED, commit: 'other' }), `delivered: branch ${BRANCH}`],
  ])('%s', (_name, row, line) => {
    expect(verdictOf(row).line).toBe(line)
  })
})

describe('the verdict, if', () => {
  it.each(ROWS)('%s', (_name, row, exitCode, line, next) => {
    const verdict = verdictOf(row)
    expect([verdict.exit_code, verdict.line, verdict.next]).toEqual([exitCode, line, next])
    expect(verdict.line.startsWith(verdict.word)).toBe(true)
  })

  it('names commands with the name that it is given', () => {
    expect(verdictOf({ state: 'active', facts: { name: 'run' } }).next).toBe('drover drive run')
  })

  it('lists what to look at, and says what there is of the work', () => {
    const { look_first, exists } = verdictOf({
      attempts: [flagged(SERIOUS)],
      drive: { delivered: DELIVERED, next_run_id: undefined as never },
      facts: { hasWorktree: true },
    })
    expect(look_first).toEqual(['test deleted: wind.test.js'])
    expect(exists).toEqual({ branch: BRANCH, commit: 'c0ffee', worktree: '/trees/wind' })
    expect(verdictOf({ drive: { next_run_id: 'run-2' } }).exists).toEqual({ follow_up: 'run-2' })
  })

  it('is one line of at most 400 characters, whatever an agent writes', () => {
    const question = `${'wind '.repeat(100)}\n\u0007`
    const run = { pause_reason: 'decision_required' }
    const { line } = verdictOf({ state: 'paused', actions: [action({ question })], run })
    expect([line.length, line.endsWith('…'), line.includes('\u0007')]).toEqual([400, true, false])
  })
})
