import { describe, expect, it } from 'vitest'
import { codeOf, type Driver } from '../../../test/support/drive-run.ts'
import {
  atWork,
  ended,
  gitUnavailable,
  outOfBudget,
  stopped,
  waitingForChoice,
  waitingForConfirmation,
} from '../../../test/support/run-states.ts'
import { pendingRequest } from '../state/run.ts'

describe('stop', () => {
  it.each<[string, () => Driver]>([
    ['an active run', atWork],
    ['a paused run', outOfBudget],
    ['a run that waits for a confirmation', waitingForConfirmation],
    ['a run that waits for a choice of source', waitingForChoice],
    ['a run whose worktree could not be observed', gitUnavailable],
  ])('stops %s and keeps the rest', (_what, make) => {
    const driver = make()
    const { run: before } = driver
    const state = driver.stop()
    expect(state.action).toBeUndefined()
    const { source_candidate, pending_actions, answers, remaining_budget, review_pending } = before
    expect(driver.run).toMatchObject({ state: 'stopped', pending_actions, answers, remaining_budget, review_pending })
    expect(driver.run.source_candidate).toEqual(source_candidate)
    expect(driver.run.pause_reason).toBeUndefined()
    expect(pendingRequest(driver.run)).toBeUndefined()
    const isWithdrawn = before.current_action !== undefined || before.actions.at(-1)?.voided === true
    expect(driver.run.actions.at(-1)?.voided === true).toBe(isWithdrawn)
  })

  it('changes nothing in a stopped run', () => {
    const driver = stopped()
    const { length } = driver.events
    const [first, second] = [driver.stop(), driver.stop()]
    expect(second).toEqual(first)
    expect(driver.events).toHaveLength(length)
  })

  it('is refused for an ended run', () => {
    expect(codeOf(() => ended().stop())).toBe('run_already_ended')
  })
})
