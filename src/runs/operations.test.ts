import { describe, expect, it } from 'vitest'
import { runStatus } from '../../scripts/protocol-examples.ts'
import type { RunStatus, StatusList } from '../contract/run-status.shape.ts'
import { Fault } from '../kit/fault.ts'
import { onlyStoppable } from './operations.ts'

const runIn = (id: string, state: RunStatus['state'], workspace_foreign = false) =>
  ({ ...runStatus, id, state, workspace_foreign }) as RunStatus

function found(runs: readonly RunStatus[], unavailable: readonly string[] = []): string {
  const list: StatusList = {
    contract_version: 2,
    runs,
    unavailable_runs: unavailable.map((id) => ({ id, code: 'run_busy', detail: 'x' })),
  }
  try {
    return onlyStoppable(list)
  } catch (error) {
    if (error instanceof Fault) return error.code
    throw error
  }
}

describe('onlyStoppable', () => {
  it.each<[string, RunStatus[], string[], string]>([
    ['an active run', [runIn('a', 'active')], [], 'a'],
    ['a paused run', [runIn('a', 'paused'), runIn('b', 'ended'), runIn('c', 'stopped')], [], 'a'],
    ['a run, with another one in another worktree', [runIn('a', 'active'), runIn('b', 'active', true)], [], 'a'],
    ['no run', [runIn('b', 'ended'), runIn('c', 'stopped')], [], 'run_id_required'],
    ['two runs', [runIn('a', 'active'), runIn('b', 'paused')], [], 'run_id_required'],
    ['a run, with another one that cannot be read', [runIn('a', 'active')], ['b'], 'run_id_required'],
  ])('%s', (_name, runs, unavailable, expected) => {
    expect(found(runs, unavailable)).toBe(expected)
  })
})
