import { describe, expect, it } from 'vitest'
import { decision, destruction } from '../../../test/support/contract-examples.ts'
import { codeOf, type Driver, refusalOf } from '../../../test/support/drive-run.ts'
import { amended, candidateOf, pinned } from '../../../test/support/pinned-sources.ts'
import {
  atKind,
  atWork,
  ended,
  lackingEnvironment,
  outOfBudget,
  stopped,
  waitingForChoice,
  waitingForConfirmation,
  waitingForDecision,
} from '../../../test/support/run-states.ts'
import { LIMITS } from '../../contract/limits.ts'
import { digest } from '../../kit/digest.ts'
import { type Answer, digestAnswer } from '../state/answer-digest.ts'
import { destructiveGrant, pendingRequest } from '../state/run.ts'
import { BRIEFS } from '../texts/compose-brief.ts'

const { destructive_request: request } = destruction
const confirmation = { confirmDestructive: true, scopeSha256: request.scope_sha256 }

const answered = (): Driver => {
  const driver = waitingForDecision()
  driver.answer({ text: 'Knots.' })
  return driver
}

describe('answer, in the order of its checks', () => {
  it.each<[string, () => Driver, Partial<Answer>, string]>([
    ['half a character, before all else', atWork, { text: '\ud800' }, 'invalid_answer'],
    ['a control character', atWork, { text: 'a\u0000' }, 'invalid_answer'],
    ['one byte too many', atWork, { text: 'x'.repeat(LIMITS.answerBytes - 1) }, 'answer_too_large'],
    ['the same answer again', answered, { actionId: 'action-1', text: 'Knots.' }, 'done'],
    ['another answer', answered, { actionId: 'action-1', text: 'Metres.' }, 'answer_conflict'],
    ['an active run', atWork, { text: 'x' }, 'answer_not_expected'],
    ['a stopped run', stopped, { text: 'x' }, 'answer_not_expected'],
    ['a run that has ended', ended, { text: 'x' }, 'answer_not_expected'],
    ['a run without its environment', lackingEnvironment, { text: 'x' }, 'answer_not_allowed'],
    ['a run without a budget', outOfBudget, { text: 'x' }, 'answer_not_expected'],
    ['an action that is not current', waitingForDecision, { actionId: 'other', text: 'x' }, 'stale_action'],
    ['a run that waits for a choice of source', waitingForChoice, { text: 'x' }, 'stale_action'],
  ])('%s', (_what, make, given, code) => {
    const driver = make()
    const { length } = driver.events
    expect(codeOf(() => driver.answer(given))).toBe(code)
    expect(driver.events).toHaveLength(length)
  })

  it('accepts an answer at the size limit', () => {
    const driver = waitingForDecision()
    expect(codeOf(() => driver.answer({ text: 'x'.repeat(LIMITS.answerBytes - 2) }))).toBe('done')
  })

  it('offers to resume if the environment is unavailable', () => {
    const { next, details } = refusalOf(() => lackingEnvironment().answer({ text: 'x' }))
    expect(next.variants.map(({ id }) => id)).toEqual(['resume-ad-hoc'])
    expect(details).toEqual({ run_id: 'run-1', state: 'paused' })
  })
})

describe('the answer to a question', () => {
  it.each<[string, Partial<Answer>, string]>([
    ['a confirmation', { text: 'x', confirmDestructive: true }, 'destructive_confirmation_not_expected'],
    ['a scope', { text: 'x', scopeSha256: digest('') }, 'destructive_confirmation_not_expected'],
    ['nothing', { text: ' \n' }, 'answer_required'],
    ['a decision', { text: 'Knots.' }, 'done'],
  ])('is %s', (_what, given, code) => {
    expect(codeOf(() => waitingForDecision().answer(given))).toBe(code)
  })

  it('is stored, withdraws the question and leads to an orientation', () => {
    const { run } = answered()
    expect(run.actions[0]).toMatchObject({ voided: true, outcome: { status: 'needs_input' } })
    expect(run.answers).toEqual([
      {
        action_id: 'action-1',
        text: 'Knots.',
        confirm_destructive: false,
        payload_sha256: digestAnswer({ actionId: 'action-1', text: 'Knots.', confirmDestructive: false }),
        active: true,
        at: '2026-01-31T10:00:03.000Z',
      },
    ])
    expect(run).toMatchObject({ state: 'active', current_action: { kind: 'orient', brief: BRIEFS.decided } })
    expect(run.current_action?.context).toContain('- action action-1 decision:\n  Knots.\n')
  })

  it('is stored with the requirements revision it was given for', () => {
    const driver = waitingForDecision({ source: pinned })
    driver.answer({ text: 'Knots.' })
    const { source_revision, requirements_revision } = pinned
    expect(driver.run.answers).toMatchObject([{ source_revision, requirements_revision }])
  })

  it('supersedes the answer that the question named', () => {
    const driver = answered()
    driver.submit({ status: 'needs_input', pause: { ...decision, supersedes_answer_action_id: 'action-1' } })
    driver.answer({ text: 'Metres.' })
    expect(driver.run.answers).toMatchObject([
      { text: 'Knots.', active: false, superseded_by: 'action-3' },
      { text: 'Metres.', active: true },
    ])
    expect(driver.run.current_action?.context).not.toContain('Knots.')
  })

  it('pauses the run if the budget is spent', () => {
    const driver = waitingForDecision({ budget: 1 })
    expect(driver.answer({ text: 'Knots.' })).toMatchObject({ state: 'paused', pause_reason: 'budget_exhausted' })
    expect(driver.run.answers).toMatchObject([{ active: true }])
  })
})

describe('a decision to supersede', () => {
  const ask = (driver: Driver, id: string) => () =>
    driver.submit({ status: 'needs_input', pause: { ...decision, supersedes_answer_action_id: id } })

  it.each<[string, () => Driver, string, string]>([
    ['holds', answered, 'action-1', 'done'],
    ['is not there', answered, 'action-2', 'invalid_decision_supersession'],
    [
      'was replaced before',
      () => {
        const driver = answered()
        ask(driver, 'action-1')()
        driver.answer({ text: 'Metres.' })
        return driver
      },
      'action-1',
      'invalid_decision_supersession',
    ],
    [
      'is a confirmation',
      () => {
        const driver = waitingForConfirmation()
        driver.answer(confirmation)
        driver.submit()
        driver.stop()
        driver.resume()
        return driver
      },
      'action-2',
      'invalid_decision_supersession',
    ],
    [
      'was made for other requirements',
      () => {
        const driver = waitingForDecision({ source: pinned })
        driver.answer({ text: 'Knots.' })
        driver.stop()
        driver.resume({ refreshed: candidateOf(amended) })
        driver.resume({ choice: 'adopt', candidateId: 'candidate-1' })
        return driver
      },
      'action-1',
      'invalid_decision_supersession',
    ],
  ])('%s', (_what, make, id, code) => {
    expect(codeOf(ask(make(), id))).toBe(code)
  })
})

describe('the answer to a destructive request', () => {
  it.each<[string, Partial<Answer>, string]>([
    [
      'a scope without a confirmation',
      { text: 'x', scopeSha256: request.scope_sha256 },
      'destructive_confirmation_flag_required',
    ],
    ['nothing', { text: ' ' }, 'answer_required'],
    ['words, whatever they say', { text: 'yes' }, 'done'],
    ['a confirmation of nothing', { confirmDestructive: true }, 'destructive_scope_required'],
    ['a confirmation of no scope', { confirmDestructive: true, scopeSha256: 'all' }, 'destructive_scope_required'],
    [
      'a confirmation of another scope',
      { confirmDestructive: true, scopeSha256: digest('') },
      'destructive_scope_mismatch',
    ],
    ['a confirmation', confirmation, 'done'],
  ])('is %s', (_what, given, code) => {
    const driver = waitingForConfirmation()
    const { run } = driver
    expect(codeOf(() => driver.answer(given))).toBe(code)
    if (code !== 'done') expect(driver.run).toBe(run)
  })

  it('with a text only authorizes nothing and asks for another way', () => {
    const driver = waitingForConfirmation()
    driver.answer({ text: 'yes' })
    expect(driver.run).toMatchObject({ current_action: { kind: 'orient', brief: BRIEFS.declined } })
    expect(driver.run.actions[1]).toMatchObject({ voided: true })
    expect(driver.run.answers).toMatchObject([{ text: 'yes', active: true, confirm_destructive: false }])
    expect([destructiveGrant(driver.run), pendingRequest(driver.run)]).toEqual([undefined, undefined])
  })

  it('with a confirmation authorizes exactly the request, in one action', () => {
    const driver = waitingForConfirmation()
    driver.answer({ ...confirmation, text: 'Go ahead.' })
    const grant = {
      ...request,
      originating_action_id: 'action-2',
      scope_version: 1,
      confirmed_at: '2026-01-31T10:00:04.000Z',
    }
    expect(driver.run).toMatchObject({
      state: 'active',
      current_action: { kind: 'implement', brief: BRIEFS.confirmed, destructive_authorization: grant },
    })
    expect(driver.run.actions[1]?.voided).toBeUndefined()
    expect(driver.run.answers).toMatchObject([
      { text: 'Go ahead.', active: false, confirm_destructive: true, scope_sha256: request.scope_sha256 },
    ])
    expect([destructiveGrant(driver.run), pendingRequest(driver.run)]).toEqual([grant, request])
    expect(driver.run.current_action?.context).not.toContain('Go ahead.')
  })

  it('may use the last unit of the budget', () => {
    const driver = waitingForConfirmation({ budget: 3 })
    expect(driver.answer(confirmation)).toMatchObject({ state: 'active', action: { remaining_budget: 0 } })
  })

  it('without budget is stored and pauses the run: it must be requested again', () => {
    const driver = waitingForConfirmation({ budget: 2 })
    expect(driver.answer(confirmation)).toMatchObject({ state: 'paused', pause_reason: 'budget_exhausted' })
    expect(driver.run.actions[1]).toMatchObject({ voided: true })
    expect(driver.run.answers).toMatchObject([{ confirm_destructive: true }])
    expect([destructiveGrant(driver.run), pendingRequest(driver.run)]).toEqual([undefined, undefined])
  })
})

describe('a destructive authorization', () => {
  it.each<[string, (driver: Driver) => unknown]>([
    ['an outcome', (driver) => driver.submit()],
    [
      'an outcome that waits',
      (driver) => driver.submit({ action_kind: 'implement', status: 'needs_input', pause: decision }),
    ],
    ['skipping the action', (driver) => driver.skip()],
    ['stopping the run', (driver) => driver.stop()],
    ['resuming it', (driver) => [driver.stop(), driver.resume()]],
  ])('ends with %s', (_what, operate) => {
    const driver = waitingForConfirmation()
    driver.answer(confirmation)
    operate(driver)
    expect([destructiveGrant(driver.run), pendingRequest(driver.run)]).toEqual([undefined, undefined])
  })

  it('is unaffected by refused operations', () => {
    const driver = waitingForConfirmation()
    driver.answer(confirmation)
    codeOf(() => driver.submit({ action_kind: 'orient' }))
    codeOf(() => driver.resume())
    expect(destructiveGrant(driver.run)).toBeDefined()
  })

  it('is absent if nothing was requested', () => {
    expect(pendingRequest(atKind('implement').run)).toBeUndefined()
    expect(pendingRequest(waitingForDecision().run)).toBeUndefined()
  })
})

describe('digestAnswer', () => {
  const scope = `sha256:${'0123456789abcdef'.repeat(4)}`

  it.each([
    [
      { actionId: 'action-1', text: 'stable', confirmDestructive: false },
      'sha256:2181d6b93bf8c4d505f8a370f55f43b805ee83954d3f611da0c9432ebbd319f0',
    ],
    [
      { actionId: 'action-1', text: '', confirmDestructive: true, scopeSha256: scope },
      'sha256:d44f242c7d6d834198fde0f65299e9400a27ecab5a414caac642440789ec95cc',
    ],
  ])('covers the whole answer: %j', (given, expected) => {
    expect(digestAnswer(given)).toBe(expected)
  })
})
