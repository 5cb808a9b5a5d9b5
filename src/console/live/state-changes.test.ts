import { describe, expect, it } from 'vitest'
import type { Execution } from '../../executions/store/execution.shape.ts'
import { applyChange, type ServerState, stateVersion } from './state-changes.ts'

const NOTHING: ServerState = { executions: new Map(), approvals: new Map(), activities: new Map() }

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
