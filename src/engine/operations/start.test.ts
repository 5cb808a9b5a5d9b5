import { describe, expect, it } from 'vitest'
import { workspaceIdentity } from '../../../scripts/protocol-examples.ts'
import { CLEAN, codeOf, driveRun, refusalOf } from '../../../test/support/drive-run.ts'
import { pinned } from '../../../test/support/pinned-sources.ts'
import { LIMITS } from '../../contract/limits.ts'
import { BRIEFS } from '../texts/compose-brief.ts'
import { type StartRequest, start } from './start.ts'

const request: StartRequest = {
  goal: 'Show the wind in knots',
  budget: 8,
  reviewEnabled: true,
  workspace_identity: workspaceIdentity,
}
const facts = { runId: 'run-1', actionId: 'action-1', now: '2026-01-31T10:00:00Z', git: CLEAN }

const trying = (change: Partial<StartRequest>) => () => start({ ...request, ...change }, facts)
const nextOf = (change: Partial<StartRequest>) => refusalOf(trying(change)).next

/** A text that is as many bytes as a JSON string, quotes and all. */
const encoding = (bytes: number) => 'x'.repeat(bytes - 2)

describe('start', () => {
  it.each([
    ['a blank goal, before all else', { goal: ' \n', budget: 0 }, 'goal_required'],
    ['half a character', { goal: '\ud800', budget: 0 }, 'invalid_goal'],
    ['a control character', { goal: 'a\u0007', budget: 0 }, 'invalid_goal'],
    ['a goal one byte too large', { goal: encoding(LIMITS.goalBytes + 1), budget: 0 }, 'action_too_large'],
    ['no budget', { budget: 0 }, 'invalid_budget'],
    ['a budget that is too large', { budget: 1001 }, 'invalid_budget'],
    ['a budget that is not whole', { budget: 1.5 }, 'invalid_budget'],
    ['a goal too large for an action', { goal: encoding(LIMITS.goalBytes) }, 'action_too_large'],
    [
      'a worktree that no reader can name',
      { source: pinned, workspace_identity: { ...workspaceIdentity, worktree_root: '/a\u0007' } },
      'invalid_action',
    ],
    ['the smallest budget', { budget: 1 }, 'done'],
    ['the largest budget', { budget: 1000 }, 'done'],
    ['tabs and line ends in a goal', { goal: 'a\tb\r\nc' }, 'done'],
  ])('returns the right code for %s', (_what, change, code) => {
    expect(codeOf(trying(change))).toBe(code)
  })

  it('accepts every goal that fits into an action, and no larger one', () => {
    const fits = (bytes: number) => codeOf(trying({ goal: encoding(bytes) })) === 'done'
    let [low, high] = [1024, LIMITS.goalBytes]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (fits(middle)) low = middle
      else high = middle
    }
    const { event } = start({ ...request, goal: encoding(low) }, facts)
    expect(Buffer.byteLength(JSON.stringify(event.data.current_action)) + 1).toBe(LIMITS.actionBytes)
  })

  it('offers to start again with the same options, without the goal', () => {
    expect(nextOf({ budget: 1001, reviewEnabled: false })).toMatchObject({
      operation: 'start',
      variants: [{ id: 'retry-run', base_argv: expect.arrayContaining(['--budget', '8', '--no-review']) }],
    })
    expect(nextOf({ goal: encoding(LIMITS.goalBytes), budget: 5, source: pinned })).toMatchObject({
      variants: [{ id: 'start-with-source', base_argv: expect.arrayContaining(['--budget', '5']) }],
    })
    expect(nextOf({ goal: encoding(LIMITS.goalBytes + 1), budget: 5 })).toMatchObject({
      variants: [{ id: 'retry-run', base_argv: expect.arrayContaining(['--budget', '5']) }],
    })
    expect(nextOf({ goal: '' }).operation).toBe('none')
  })

  it('issues an orientation as the first action', () => {
    const { run } = driveRun({ reviewEnabled: false })
    expect(run).toMatchObject({
      id: 'run-1',
      state: 'active',
      review_enabled: false,
      review_pending: false,
      initial_budget: 8,
      remaining_budget: 7,
      initial_git: CLEAN,
      current_git: CLEAN,
      current_action: { action_id: 'action-1', kind: 'orient', brief: BRIEFS.start, remaining_budget: 7 },
      uncertainties: [],
    })
  })

  it('notes an incomplete content observation', () => {
    const { run } = driveRun({ git: { ...CLEAN, content_observation_complete: false } })
    expect(run.uncertainties).toEqual([expect.stringMatching(/^git_content_observation_incomplete:/)])
  })

  it('binds the actions of a run to its issue', () => {
    const { run } = driveRun({ source: pinned })
    expect(run.current_action?.source?.requirements_revision).toBe(pinned.requirements_revision)
    expect(run.current_action?.requirements?.required_for_action).toEqual(pinned.sections.map(({ key }) => key))
  })

  it('records the seed and the first action in its event, and nothing else', () => {
    const { event } = start(request, facts)
    expect(event).toEqual({
      type: 'run_started',
      data: {
        event_version: 2,
        contract_version: 2,
        run_id: 'run-1',
        updated_at: facts.now,
        initialize: {
          goal: request.goal,
          workspace_identity: workspaceIdentity,
          review_enabled: true,
          initial_budget: 8,
          initial_git: CLEAN,
          created_at: facts.now,
        },
        remaining_budget: 7,
        current_action: expect.objectContaining({ action_id: 'action-1' }),
      },
    })
  })
})
