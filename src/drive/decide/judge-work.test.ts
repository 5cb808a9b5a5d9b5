import { describe, expect, it } from 'vitest'
import { driveState } from '../../../test/support/drive-fixture.ts'
import {
  action,
  BRANCH,
  CHECKED,
  check,
  DELIVERED,
  flagged,
  IN_PLACE,
  idle,
  NOTE,
  PLACE,
  SERIOUS,
  UNCHANGED,
  type VerdictRow,
  verdictOf,
  worked,
} from '../../../test/support/verdict-facts.ts'
import type { DriveState } from '../record/drive-state.ts'

const { base_branch: _, ...WITHOUT_BASE } = PLACE

const UNTESTED = 'no check was given, so nothing was tested'

type Row = [string, VerdictRow, number | undefined, string, string]

const CLEAN = { commit: 'c0ffee', result: 'passed', checks: [], duration_ms: 1 } as const
const RED = { ...CLEAN, result: 'failed', checks: [check(false)] } as const
const ofClean = (clean: object, passed = true): VerdictRow => {
  const drive = { delivered: DELIVERED, options: CHECKED, delivery_check: clean as DriveState['delivery_check'] }
  return { attempts: [worked({ checks: [check(passed)] })], drive } as VerdictRow
}

describe('the verdict on a commit whose checks, in a clean checkout,', () => {
  it.each<[string, VerdictRow, string]>([
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

const ADA = { via: 'terminal', name: 'ada' } as const

describe('the verdict on a run that has ended, if', () => {
  const ROWS: Row[] = [
    [
      'the work is on its branch, without checks',
      { attempts: [worked()], drive: { delivered: DELIVERED } },
      0,
      `delivered: branch ${BRANCH}; ${UNTESTED}`,
      'drover merge run-1',
    ],
    [
      'its checks pass',
      { attempts: [worked({ checks: [check(true)] })], drive: { delivered: DELIVERED, options: CHECKED } },
      0,
      `delivered: branch ${BRANCH}`,
      'drover merge run-1',
    ],
    [
      'there is a note only',
      { attempts: [flagged(NOTE)], drive: { delivered: DELIVERED } },
      0,
      `delivered: branch ${BRANCH}; ${UNTESTED}`,
      'drover merge run-1',
    ],
    [
      'it is a pull request',
      { attempts: [worked()], drive: { delivered: { ...DELIVERED, as: 'pr', pull_request: 'https://x/1' } } },
      0,
      `delivered: branch ${BRANCH}, draft pull request https://x/1; ${UNTESTED}`,
      'drover report run-1',
    ],
    [
      'no branch was checked out when it began',
      { attempts: [worked()], drive: { delivered: DELIVERED, place: WITHOUT_BASE } },
      0,
      `delivered: branch ${BRANCH}; ${UNTESTED}`,
      'drover merge run-1 --into BRANCH',
    ],
    [
      'its pull request was merged',
      {
        attempts: [flagged(SERIOUS)],
        drive: { delivered: { ...DELIVERED, as: 'pr', pull_request: 'https://x/1' }, followed: { end: 'merged' } },
      },
      0,
      'merged: pull request https://x/1 was merged',
      'drover report run-1',
    ],
    [
      'a person merged it',
      {
        attempts: [worked()],
        drive: { delivered: DELIVERED, merged: { by: ADA, into: 'main', commit: 'c0ffee', how: 'fast_forward' } },
      },
      0,
      'merged into main as c0ffee',
      'drover report run-1',
    ],
    [
      'a person discarded it',
      {
        attempts: [worked()],
        drive: {
          delivered: DELIVERED,
          discarded: { by: ADA, branch: BRANCH, commit: 'c0ffee', ref: 'r', until: '2026-02-07' },
        },
      },
      undefined as never,
      'discarded: the work is kept until 2026-02-07',
      'drover discard run-1 --undo',
    ],
    [
      'the work is in place',
      { attempts: [worked()], drive: { delivered: IN_PLACE } },
      0,
      `delivered: the changes are in /work; ${UNTESTED}`,
      'drover report run-1',
    ],
    [
      'a flag is serious',
      { attempts: [flagged(NOTE, SERIOUS)], drive: { delivered: DELIVERED } },
      5,
      `delivered, look first: test deleted: wind.test.js; ${UNTESTED}`,
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
      `delivered, look first: test deleted: wind.test.js; ${UNTESTED}`,
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
      `delivered, look first: the review found: wind.ts:1: Rounded; ${UNTESTED}`,
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
      `delivered, look first: the review has no result: claude reported no valid outcome: there is none.; ${UNTESTED}`,
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
      `delivered, look first: the work is reported as partial: Done.; ${UNTESTED}`,
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
      {
        actions: [action({ kind: 'orient', suggests: 'summarize' })],
        drive: { delivered: UNCHANGED, options: CHECKED },
      },
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
      'a check fails, and the agent changes nothing',
      {
        actions: [action({ status: 'partial', result: 'partial', files: [] })],
        attempts: [idle()],
        drive: { delivered: UNCHANGED },
      },
      3,
      'not delivered: nothing was changed',
      'drover report run-1',
    ],
    [
      'it was stopped while an agent worked, and no agent reports on the work',
      {
        actions: [action({ voided: true }), action({ kind: 'orient', suggests: 'implement' })],
        attempts: [worked()],
        drive: { delivered: DELIVERED },
      },
      5,
      `delivered, look first: the work was stopped, and no agent has reported on it since; ${UNTESTED}`,
      'drover report run-1',
    ],
    [
      'the agent that worked asked a question, and no agent reports on the work after the answer',
      {
        actions: [action({ voided: true, question: 'Knots?' }), action({ kind: 'orient', suggests: 'implement' })],
        attempts: [worked()],
        drive: { delivered: DELIVERED },
      },
      5,
      `delivered, look first: the work waited for a person, and no agent has reported on it since; ${UNTESTED}`,
      'drover report run-1',
    ],
    [
      'it was stopped while an agent worked, and no check has seen the work',
      {
        actions: [action({ voided: true }), action({ kind: 'orient', suggests: 'summarize' })],
        attempts: [worked()],
        drive: { delivered: DELIVERED, options: CHECKED },
      },
      3,
      'not delivered: the check make was not run',
      'drover report run-1',
    ],
    [
      'it was stopped before an agent had changed anything',
      {
        actions: [action({ voided: true }), action({ kind: 'orient' })],
        attempts: [idle()],
        drive: { delivered: UNCHANGED },
      },
      3,
      'not delivered: no agent worked on the goal, and none said that nothing has to change',
      'drover report run-1',
    ],
    [
      'a person pushed, and drover has taken over since',
      {
        attempts: [worked()],
        drive: {
          ...{ delivered: { ...DELIVERED, as: 'none', note: 'another person pushed' }, round: 2, taken_over: 'd' },
          followed: { end: 'merged', merge_commit: 'f00' },
        },
        facts: {
          earlier: [driveState([], { delivered: { ...DELIVERED, as: 'pr', pull_request: 'https://x/1' } })],
        },
      },
      0,
      'merged: pull request https://x/1 was merged as f00',
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
      `delivered: branch ${BRANCH}; ${UNTESTED}`,
      'drover merge run-1',
    ],
  ]

  it.each(ROWS)('%s', (_name, row, exitCode, line, next) => {
    const verdict = verdictOf(row)
    expect([verdict.exit_code, verdict.line, verdict.next]).toEqual([exitCode, line, next])
    expect(verdict.line.startsWith(verdict.word)).toBe(true)
  })

  it('lists what to look at, and says what there is of the work', () => {
    const { look_first, exists } = verdictOf({
      attempts: [flagged(SERIOUS)],
      drive: { delivered: DELIVERED, next_run_id: undefined as never },
      facts: { hasWorktree: true },
    })
    expect(look_first).toEqual(['test deleted: wind.test.js', UNTESTED])
    expect(exists).toEqual({ branch: BRANCH, commit: 'c0ffee', worktree: '/trees/wind' })
    expect(verdictOf({ drive: { next_run_id: 'run-2' } }).exists).toEqual({ follow_up: 'run-2' })
  })

  it.each<[string, Partial<DriveState>, string]>([
    [
      'here',
      { merged: { by: ADA, into: 'main', commit: 'c0ffee', how: 'merge_commit' } },
      'merged into main as c0ffee',
    ],
    ['on the forge', { followed: { end: 'merged' } }, 'merged: pull request https://x/1 was merged'],
  ])('still lists what to look at after a merge %s', (_place, drive, line) => {
    const delivered = { ...DELIVERED, as: 'pr', pull_request: 'https://x/1' } as const
    const verdict = verdictOf({ attempts: [flagged(SERIOUS)], drive: { delivered, ...drive } })
    expect(verdict).toMatchObject({ word: 'merged', line, look_first: ['test deleted: wind.test.js', UNTESTED] })
  })
})
