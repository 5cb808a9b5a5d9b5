import { describe, expect, it } from 'vitest'
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import type { Execution } from '../../executions/store/execution.shape.ts'
import { applyChange, keepRecent, type ServerState, stateVersion } from './state-changes.ts'

const NOTHING: ServerState = { executions: new Map(), approvals: new Map(), activities: new Map(), runs: new Map() }

const execution: Execution = {
  id: 'exec_1',
  state: 'running',
  kind: 'prompt',
  owner: 'o',
  created_at: '2026-01-31T09:00:00.000Z',
  last_seq: 1,
  prompt_start: 'hello',
}

const approval = {
  execution_id: 'exec_1',
  asked_at: '2026-01-31T09:00:00.000Z',
  expires_at: '2026-01-31T09:10:00.000Z',
  approval_id: 'p',
  tool_name: 'Bash',
  choices: ['allow' as const],
}

describe('applyChange', () => {
  it('keeps what the stream does not repeat', () => {
    const before = applyChange(NOTHING, { type: 'execution', execution })
    const { prompt_start: _, ...changed } = { ...execution, state: 'completed' as const }
    const after = applyChange(before, { type: 'execution', execution: changed })
    expect(after.executions.get('exec_1')).toEqual({ ...execution, state: 'completed' })
    expect(before.executions.get('exec_1')?.state).toBe('running')
  })

  it('removes executions and approvals', () => {
    let state = applyChange(NOTHING, { type: 'execution', execution })
    state = applyChange(state, { type: 'approval', approval })
    expect([state.executions.size, state.approvals.size]).toEqual([1, 1])
    state = applyChange(state, { type: 'approval_settled', execution_id: 'exec_1', approval_id: 'p' })
    state = applyChange(state, { type: 'execution_removed', id: 'exec_1' })
    expect([state.executions.size, state.approvals.size]).toEqual([0, 0])
  })

  it('notes what an execution does, and ignores heartbeats', () => {
    const state = applyChange(NOTHING, { type: 'activity', id: 'exec_1', text: 'thinks' })
    expect(state.activities.get('exec_1')).toEqual({ text: 'thinks', usage: undefined })
    expect(applyChange(state, { type: 'heartbeat' })).toBe(state)
  })
})

describe('the version of the executions', () => {
  const other: Execution = { ...execution, id: 'exec_2', session_id: 'two' }
  const state: ServerState = { ...NOTHING, executions: new Map([execution, other].map((each) => [each.id, each])) }
  const ended: Execution = { ...execution, state: 'completed' }

  it('changes when one of them ends, and not with what they do', () => {
    const active = applyChange(state, { type: 'activity', id: 'exec_1', text: 'a line' })
    expect(stateVersion(active)).toBe(stateVersion(state))
    expect(stateVersion(applyChange(state, { type: 'execution', execution: ended }))).not.toBe(stateVersion(state))
  })

  it('of a session changes only with its own', () => {
    const later = applyChange(state, { type: 'execution', execution: ended })
    expect(stateVersion(later, 'two')).toBe(stateVersion(state, 'two'))
    const both = applyChange(later, { type: 'execution', execution: { ...other, state: 'failed' } })
    expect(stateVersion(both, 'two')).toBe('exec_2 failed')
  })
})

describe('keepRecent', () => {
  const at = (minute: number) => `2026-01-31T09:${String(minute).padStart(2, '0')}:00.000Z`
  const ids = (map: ReadonlyMap<string, unknown>) => [...map.keys()].sort()

  it('keeps what is open, and the latest of what has ended', () => {
    let state = NOTHING
    for (const minute of [1, 2, 3, 4]) {
      const made = { created_at: at(minute), ...(minute > 1 && { ended_at: at(9) }) }
      state = applyChange(state, { type: 'execution', execution: { ...execution, ...made, id: `e${minute}` } })
      state = applyChange(state, { type: 'activity', id: `e${minute}`, text: 'works' })
      const run = { id: `r${minute}`, created_at: at(minute), state: minute > 1 ? 'merged' : 'waiting' } as DrivenRun
      state = applyChange(state, { type: 'run', run })
    }
    const [all, few] = [keepRecent(state, 3), keepRecent(state, 2)]
    expect([ids(all.executions), ids(all.runs)]).toEqual([
      ['e1', 'e2', 'e3', 'e4'],
      ['r1', 'r2', 'r3', 'r4'],
    ])
    expect([ids(few.executions), ids(few.runs)]).toEqual([
      ['e1', 'e3', 'e4'],
      ['r1', 'r3', 'r4'],
    ])
    expect(ids(few.activities)).toEqual(['e1', 'e3', 'e4'])
  })
})
