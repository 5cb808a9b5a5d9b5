/** Driven runs for tests of decisions: an action, attempts at it, and the state they make. */
import type { Action } from '../../src/contract/action.shape.ts'
import type { ProtocolState } from '../../src/contract/protocol-state.shape.ts'
import { exampleOutcome } from '../../src/drive/prompt/outcome-block.ts'
import type { Tree } from '../../src/drive/record/drive-event.shape.ts'
import type { Attempt, DriveState } from '../../src/drive/record/drive-state.ts'
import type { Options } from '../../src/drive/record/recorded-options.shape.ts'
import { digest } from '../../src/kit/digest.ts'
import { ACTIONS } from './contract-examples.ts'

const AT = '2026-01-31T10:00:00.000Z'

export const OPTIONS: Options = {
  backend: 'claude',
  review_backend: 'codex',
  approval_mode: 'auto',
  is_demo: false,
  checks: [],
  check_timeout_ms: 600_000,
  rounds: 2,
  attempts: 3,
  stall_ms: 600_000,
  deliver: 'branch',
}

export function treeOf(paths: Record<string, string> = {}, head = 'a'.repeat(40)): Tree {
  const snapshot = digest(Buffer.from(JSON.stringify([head, paths])))
  return { head, snapshot, is_complete: true, paths }
}

export function actionOf(kind: Action['kind']): Action {
  const found = Object.values(ACTIONS).find((each) => each.kind === kind && each.source === undefined)
  if (found !== undefined) return found
  const other = Object.values(ACTIONS).find((each) => each.kind === 'orient' && each.source === undefined)
  return { ...other, kind } as Action
}

export function outcomeText(action: Action, changes: object = {}): string {
  return JSON.stringify({ ...exampleOutcome(action), ...changes })
}

type End = Partial<NonNullable<Attempt['ended']>>

/** An attempt that answered with a valid outcome, unless `end` says otherwise. */
export function attemptAt(action: Action, more: Partial<Attempt> = {}, end: End | null = {}): Attempt {
  const { attempt = 1 } = more
  const ended = { attempt, how: 'answered', duration_ms: 10, trace: [], warnings: [], at: AT } as const
  return {
    attempt,
    action_id: action.action_id,
    action_kind: action.kind,
    action_number: 1,
    actions_left: action.remaining_budget,
    purpose: 'action',
    backend: 'claude',
    execution_id: `exec_${attempt}`,
    reserved: {},
    prompt_sha256: digest(Buffer.from('prompt')),
    tree: treeOf(),
    started_at: AT,
    approvals: [],
    checks: [],
    ...(end !== null && {
      ended: {
        ...ended,
        ...(end.problem === undefined && end.how === undefined && { outcome: outcomeText(action) }),
        ...end,
      },
    }),
    ...more,
  }
}

export function driveState(attempts: readonly Attempt[] = [], more: Partial<DriveState> = {}): DriveState {
  return {
    run_id: 'run-1',
    goal: 'Show the wind in knots',
    round: 1,
    place: { kind: 'in_place', root: '/work' },
    spent: { tokens: 0, cost_microusd: 0, time_ms: 0 },
    options: OPTIONS,
    started_at: AT,
    baseline: [],
    boundary_seen: [],
    told: [],
    attempts,
    submitted: [],
    asked: [],
    answered: [],
    pushed: [],
    acts: [],
    attempts_before: 0,
    attempts_at_pause: 0,
    attempts_accepted: 0,
    ...more,
  }
}

/** The state of a run whose current action is this one. */
export function activeRun(action: Action): ProtocolState {
  return { contract_version: 2, run_id: 'run-1', state: 'active', action, next: {} } as unknown as ProtocolState
}
