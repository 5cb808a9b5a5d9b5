/** Facts about driven runs for tests of verdicts: what agents did, what checks said, and what is recorded. */

import { toVerdict, type VerdictFacts } from '../../src/drive/decide/verdict.ts'
import type { ReviewFlag } from '../../src/drive/record/drive-event.shape.ts'
import type { Attempt, CheckRun, DriveState } from '../../src/drive/record/drive-state.ts'
import type { Options } from '../../src/drive/record/recorded-options.shape.ts'
import type { RunOutline } from '../../src/runs/read-status.ts'
import { actionOf, attemptAt, driveState, OPTIONS, treeOf } from './drive-fixture.ts'

const AT = '2026-01-31T10:00:00.000Z'
export const BRANCH = 'drover/wind-1'
export const PLACE = {
  kind: 'worktree',
  root: '/trees/wind',
  branch: BRANCH,
  base: 'b',
  base_branch: 'main',
  repository: '/srv',
} as const
export const DELIVERED = { as: 'branch', branch: BRANCH, commit: 'c0ffee' } as const
export const UNCHANGED = { as: 'none', branch: BRANCH, note: 'nothing was changed' } as const
export const IN_PLACE = { as: 'none', note: 'the changes are in /work' } as const
export const CHECKED: Options = { ...OPTIONS, checks: ['make'] }

type Outcome = {
  status?: string
  result?: string
  kind?: string
  suggests?: string
  findings?: number
  review?: string
}
type Trace = { skipped?: true; voided?: true; question?: string; files?: readonly string[] } & Outcome

export function action({ kind = 'implement', skipped, voided, question, ...outcome }: Trace = {}) {
  const { status = 'completed', result = 'applied', suggests, findings = 0, review } = outcome
  const files_changed = outcome.files ?? ['wind.txt']
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
      implementation: kind === 'implement' ? { result, files_changed } : null,
      review:
        kind === 'review' ? { result: review ?? 'findings_reported', findings: Array(findings).fill(finding) } : null,
    },
  }
}

export function check(passed: boolean): CheckRun {
  const end = { exit_code: passed ? 0 : 1, duration_ms: 1, output: '' }
  return { attempt: 1, command: 'make', passed, ...end, at: AT }
}

export const IMPLEMENT = actionOf('implement')
export const worked = (more: Partial<Attempt> = {}) =>
  attemptAt(IMPLEMENT, more, { tree: treeOf({ 'wind.txt': 'other' }), outcome: '{}' })
export const idle = (more: Partial<Attempt> = {}) => attemptAt(IMPLEMENT, more, { tree: treeOf(), outcome: '{}' })
export const flagged = (...flags: ReviewFlag[]) => worked({ evidence: { attempt: 1, claims: [], flags } })

export const SERIOUS: ReviewFlag = { flag: 'test_deleted', detail: 'wind.test.js' }
export const NOTE: ReviewFlag = { flag: 'change_not_reported', detail: 'wind.txt' }

export type VerdictRow = {
  state?: RunOutline['state']
  run?: object
  actions?: readonly object[]
  attempts?: readonly Attempt[]
  drive?: Partial<DriveState>
  facts?: Partial<VerdictFacts>
}

export function verdictOf({ state = 'ended', run, actions = [action()], attempts = [], drive, facts }: VerdictRow) {
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
