import { describe, expect, it } from 'vitest'
import { workspaceIdentity } from '../../scripts/protocol-examples.ts'
import { destructiveRequest } from '../../test/support/contract-examples.ts'
import { CLEAN, type Driver, statusOf } from '../../test/support/drive-run.ts'
import { amended, pinned } from '../../test/support/pinned-sources.ts'
import { atWork, ended, stopped, waitingForChoice, waitingForConfirmation } from '../../test/support/run-states.ts'
import type { Action } from '../contract/action.shape.ts'
import { nextHint } from './next-hint.ts'
import { toProtocolState } from './to-protocol-state.ts'
import { toRunStatus } from './to-run-status.ts'

describe('toRunStatus', () => {
  it('shows a run and omits absent fields', () => {
    const driver = atWork()
    const { run } = driver
    expect(statusOf(driver)).toEqual({
      contract_version: 2,
      id: 'run-1',
      goal: 'Show the wind in knots',
      workspace: workspaceIdentity.worktree_root,
      workspace_identity: workspaceIdentity,
      state: 'active',
      review_enabled: true,
      review_pending: false,
      initial_budget: 8,
      remaining_budget: 7,
      initial_git: CLEAN,
      current_git: CLEAN,
      final_git_observed: false,
      current_action: run.current_action,
      actions: [{ action: run.current_action }],
      created_at: '2026-01-31T10:00:01.000Z',
      updated_at: '2026-01-31T10:00:01.000Z',
      next: nextHint(run),
    })
  })

  it('shows the pending request and the grant', () => {
    const driver = waitingForConfirmation()
    expect(statusOf(driver)).toMatchObject({ pending_destructive_request: destructiveRequest })
    expect(statusOf(driver).destructive_grant).toBeUndefined()
    driver.answer({ confirmDestructive: true, scopeSha256: destructiveRequest.scope_sha256 })
    expect(statusOf(driver)).toMatchObject({
      pending_destructive_request: destructiveRequest,
      destructive_grant: { ...destructiveRequest, originating_action_id: 'action-2' },
    })
  })

  it('shows the last source choice', () => {
    const driver = waitingForChoice()
    expect(statusOf(driver).source_candidate).toMatchObject({ candidate_id: 'candidate-1', snapshot: amended })
    driver.resume({ choice: 'pinned', candidateId: 'candidate-1' })
    expect(statusOf(driver).last_source_choice).toMatchObject({ choice: 'pinned' })
  })

  it('counts the observations that only the journal has', () => {
    const driver = atWork()
    driver.submit({ observations: Array.from({ length: 130 }, () => 'x') })
    const { observations } = statusOf(driver)
    expect(observations).toHaveLength(129)
    expect(observations?.[0]).toBe('...[2 earlier observations in journal]')
  })
})

describe('the actions of a status', () => {
  it('are complete and in the order of issue', () => {
    const driver = atWork()
    const { current_action: first } = driver.run
    driver.submit({ suggested_actions: [{ kind: 'clarify', brief: 'Ask.' }] })
    const { run } = driver
    expect(statusOf(driver).actions).toEqual([{ ...run.actions[0], action: first }, { action: run.current_action }])
    expect(run.actions.map(({ action }) => Object.keys(action))).toEqual([
      ['action_id', 'kind'],
      ['action_id', 'kind'],
    ])
  })

  it('are refused if they belong to another run', () => {
    const { run } = atWork()
    expect(() => toRunStatus(run, [])).toThrow('not the action action-1')
    const other = { ...run.current_action, action_id: 'action-2' } as Action
    expect(() => toRunStatus(run, [other])).toThrow('not the action action-1')
  })
})

describe('toProtocolState', () => {
  it.each<[string, () => Driver, readonly string[]]>([
    ['an active run', atWork, ['action']],
    ['a run that waits', waitingForConfirmation, ['pause_reason', 'action']],
    ['a stopped run', stopped, []],
    ['a run that has ended', ended, ['summary']],
    ['an issue-bound run', () => stopped({ source: pinned }), ['pinned_source']],
    ['a run that waits for a choice', waitingForChoice, ['pause_reason', 'pinned_source', 'source_candidate']],
  ])('of %s has exactly the fields it needs', (_what, make, fields) => {
    const expected = ['contract_version', 'run_id', 'state', 'next', ...fields]
    expect(Object.keys(toProtocolState(make().run)).sort()).toEqual(expected.sort())
  })

  it('has the result of a resume', () => {
    const result = { operation: 'ad_hoc_resumed', budget_applied: true } as const
    expect(toProtocolState(atWork().run, result)).toMatchObject({
      resume_operation: 'ad_hoc_resumed',
      budget_applied: true,
    })
  })

  it('refuses a run that breaks the contract', () => {
    expect(() => toProtocolState({ ...atWork().run, current_action: undefined })).toThrow('protocolState is not valid')
  })
})
