import { describe, expect, it } from 'vitest'
import { actionOf, attemptAt, driveState } from '../../../test/support/drive-fixture.ts'
import {
  action,
  CHECKED,
  check,
  DELIVERED as DELIVERED_BRANCH,
  PLACE,
  worked,
} from '../../../test/support/verdict-facts.ts'
import type { RunOutline } from '../../runs/read-status.ts'
import type { DriveState } from '../record/drive-state.ts'
import type { DrivenRecord } from '../record/driven-record.shape.ts'
import { choicesFor, type DrivenFacts, stateOfDriven, toDrivenRun, toDrivenRunDetail } from './driven-view.ts'

const RECORD: DrivenRecord = {
  version: 1,
  run_id: 'run-1',
  repository: '/work',
  git_common_dir: '/work/.git',
  asked_by: 'client',
  is_server_driven: false,
  created_at: '2026-01-31T10:00:00.000Z',
}
const DELIVERED = { delivered: { as: 'branch' } } as const
const QUEUED = { is_queued: true } as const
const IN_QUEUE = { queued: { position: 1 } }
const PAUSED = { paused: { reason: 'max_tokens', message: 'the limit is reached' } } as const
const PROBLEM = { code: 'drive_delivery_failed', message: 'git push failed' }
const ACTION = { current_action: { action_id: 'a-1', kind: 'implement' } } as unknown as Partial<RunOutline>

const ON_BRANCH = {
  run: { state: 'ended', actions: [action()] as unknown as RunOutline['actions'] },
  drive: { place: PLACE, delivered: DELIVERED_BRANCH, options: CHECKED, attempts: [worked({ checks: [check(true)] })] },
} as const
const withFailedCheck = ({ run, drive }: typeof ON_BRANCH): Row => ({
  ...{ run, drive: { ...drive, attempts: [worked({ checks: [check(false)] })] } },
})

type Row = {
  run: Partial<RunOutline>
  drive?: Partial<DriveState>
  more?: Partial<Pick<DrivenFacts, 'drivenBy'>> & Pick<DrivenRecord, 'problem' | 'queued'>
}

function factsOf({ run, drive, more = {} }: Row): DrivenFacts {
  const { drivenBy, ...noted } = more
  const record = { ...RECORD, ...noted }
  return {
    record,
    run: { actions: [], ...run } as unknown as RunOutline,
    drive: driveState([], drive),
    lastSeq: 1,
    drivenBy,
    earlier: [],
    hasWorktree: true,
    now: new Date('2026-01-31T12:00:00.000Z'),
  }
}

it('an older record of work that is not delivered gets a note', () => {
  const failed = withFailedCheck(ON_BRANCH)
  const { verdict, delivered } = toDrivenRun(factsOf({ ...failed, run: { ...failed.run, goal: 'Show the wind' } }))
  expect([verdict.word, delivered?.note]).toEqual(['not delivered', verdict.reason])
  const reached = { ...ON_BRANCH, run: { ...ON_BRANCH.run, goal: 'Show the wind' } }
  expect(toDrivenRun(factsOf(reached)).delivered).not.toHaveProperty('note')
})

describe('the state of a driven run, and what can be done with it', () => {
  const ROWS: [string, Row, string, string][] = [
    ['an agent works', { run: { state: 'active' }, more: { drivenBy: 'this_server' } }, 'running', 'skip stop'],
    [
      'its driver works on the next round',
      { run: { state: 'ended' }, drive: { next_run_id: 'run-2' }, more: { drivenBy: 'this_server' } },
      ...['continued', ''],
    ] as [string, Row, string, string],
    ['it is queued', { run: { state: 'active' }, drive: QUEUED, more: IN_QUEUE }, 'queued', 'first move skip stop'],
    ['it was taken from the queue', { run: { state: 'active' }, drive: QUEUED }, 'interrupted', 'resume skip stop'],
    ['it has begun', { run: { state: 'active' }, more: IN_QUEUE }, 'interrupted', 'resume skip stop'],
    [
      'a person removed it from the queue',
      { run: { state: 'stopped' }, drive: QUEUED, more: IN_QUEUE },
      'stopped',
      'resume',
    ],
    ['it is delivered now', { run: { state: 'ended' }, more: { drivenBy: 'another_process' } }, 'running', ''],
    ['its driver was killed', { run: { state: 'active' } }, 'interrupted', 'resume skip stop'],
    ['its driver was killed before the delivery', { run: { state: 'ended' } }, 'interrupted', 'resume'],
    ['it is delivered', { run: { state: 'ended' }, drive: DELIVERED }, 'ended', ''],
    ['it is delivered on its branch', ON_BRANCH, 'ended', 'follow-up merge pull-request take discard'],
    ['a check of it fails', withFailedCheck(ON_BRANCH), 'ended', 'follow-up take discard'],
    [
      'its checks fail in a clean checkout',
      { ...ON_BRANCH, drive: { place: PLACE, delivered: { ...ON_BRANCH.drive.delivered, as: 'none' } } },
      'ended',
      'follow-up discard',
    ],
    ['another run continues', { run: { state: 'ended' }, drive: { next_run_id: 'run-2' } }, 'continued', ''],
    ['a person stopped it', { run: { state: 'stopped' }, drive: PAUSED }, 'stopped', 'resume'],
    ['a limit is reached', { run: { state: 'active' }, drive: PAUSED }, 'paused', 'resume skip stop'],
    ['the delivery failed', { run: { state: 'ended' }, more: { problem: PROBLEM } }, 'failed', 'resume'],
    [
      'it asks a question',
      { run: { state: 'paused', pause_reason: 'decision_required', ...ACTION }, more: { problem: PROBLEM } },
      'waiting',
      'answer skip stop',
    ],
    [
      'it asks to destroy something',
      { run: { state: 'paused', pause_reason: 'destructive_confirmation_required', ...ACTION } },
      'waiting',
      'confirm answer skip stop',
    ],
    [
      'something is missing',
      { run: { state: 'paused', pause_reason: 'environment_unavailable', ...ACTION } },
      'waiting',
      'resume skip stop',
    ],
    ['no action is left', { run: { state: 'paused', pause_reason: 'budget_exhausted' } }, 'waiting', 'resume stop'],
    [
      'its issue has changed',
      { run: { state: 'paused', source_candidate: {} as NonNullable<RunOutline['source_candidate']> } },
      'waiting',
      'stop',
    ],
  ]

  it.each(ROWS)('when %s', (_, row, state, choices) => {
    const facts = factsOf(row)
    expect([stateOfDriven(facts), choicesFor(facts).join(' ')]).toEqual([state, choices])
  })
})

it('the title of a driven run is the first line of its goal', () => {
  const goal = 'round 2 of Show the wind\n\nAddress what is still open.'
  expect(toDrivenRun(factsOf({ run: { state: 'ended', goal } })).title).toBe('round 2 of Show the wind')
})

it('a driven run is shown with the agent that took over, and with the branch that it is merged into', () => {
  const run = { state: 'ended', goal: 'Show the wind in knots', review_enabled: true } as const
  const facts = factsOf({ run: run as Partial<RunOutline>, drive: { place: PLACE, handed_to: { work: 'gemini' } } })
  const { review_backend: first } = facts.drive.options
  expect(toDrivenRun(facts)).toMatchObject({ backend: 'gemini', review_backend: first, base_branch: 'main' })
  const reviewed = { ...facts, drive: { ...facts.drive, handed_to: { review: 'codex' } } }
  expect(toDrivenRun(reviewed)).toMatchObject({ backend: 'claude', review_backend: 'codex' })
})

describe('a check of an attempt', () => {
  const check = { command: 'npm test', passed: false, duration_ms: 1, output: '' }
  const tests = { runner: 'node', listed: 'all', failed: [], skipped: [], passed: ['a', 'b'] } as const
  const before = { ...check, could_start: true, tests: { ...tests, failed: [], skipped: [], passed: ['a', 'b'] } }
  const checksOf = (after: object) => {
    const attempts = [attemptAt(actionOf('implement'), { checks: [{ ...check, attempt: 1, at: '', ...after }] })]
    const run = { state: 'ended', goal: 'Show the wind in knots', created_at: '', updated_at: '' } as const
    const facts = factsOf({ run })
    const drive = driveState(attempts, { baseline: [before] })
    const { attempts: [first] = [] } = toDrivenRunDetail({ ...facts, drive }, { report: '', source: undefined })
    return first?.checks
  }

  it('has the counts of its tests and what became of them, without all names', () => {
    const broken = { change: 'broken', count: 1, names: ['b'], is_setback: true, text: 'broke: b' }
    expect(checksOf({ tests: { ...tests, failed: ['b'], passed: ['a'] } })).toEqual([
      { ...check, at: '', tests: { passed: 1, failed: 1, skipped: 0, changes: [broken] } },
    ])
  })

  it('is shown for the clean checkout too', () => {
    const facts = factsOf({ run: { state: 'ended', goal: '', created_at: '', updated_at: '' } })
    const delivery_check = { commit: 'c', result: 'failed', reason: 'r', checks: [], duration_ms: 1 } as const
    const checks = [{ ...check, tests: { ...tests, failed: ['b'], passed: ['a'], skipped: [] } }]
    const drive = driveState([], { baseline: [before], delivery_check: { ...delivery_check, checks } })
    expect(toDrivenRunDetail({ ...facts, drive }, { report: '', source: undefined }).delivery_check).toEqual({
      ...delivery_check,
      checks: [
        { ...check, tests: { passed: 1, failed: 1, skipped: 0, changes: [expect.objectContaining({ names: ['b'] })] } },
      ],
    })
    expect(toDrivenRunDetail(facts, { report: '', source: undefined })).not.toHaveProperty('delivery_check')
  })

  it('has none in older records', () => {
    expect(checksOf({})).toEqual([{ ...check, at: '' }])
  })
})

describe('the requirements of a further round', () => {
  it('are numbered by their order, each with its verdict once the round has ended', () => {
    const requirements = [
      { id: 'person-1', from: 'person' as const, text: 'Round it.' },
      { id: 'thread-2', from: 'thread' as const, text: 'Why?', path: 'a.ts', line: 3, url: 'https://example.com/2' },
    ]
    const detail = (drive: Partial<DriveState>) =>
      toDrivenRunDetail(factsOf({ run: { state: 'ended', goal: 'x' }, drive }), { report: '', source: undefined })
        .requirements
    expect(detail({ requirements })).toEqual([
      { text: 'Round it.', from: 'person' },
      { text: 'Why?', from: 'thread', path: 'a.ts', line: 3, url: 'https://example.com/2' },
    ])
    const judged = [{ id: 'thread-2', verdict: 'not_done' as const, text: 'no one knows' }]
    expect(detail({ requirements, judged })?.[1]).toMatchObject({ verdict: 'not_done', note: 'no one knows' })
    expect(detail({})).toBeUndefined()
  })
})
