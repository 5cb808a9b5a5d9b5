/** Where each thing that can happen leads to, whole. The rules of each operation are tested beside it. */
import { describe, expect, it } from 'vitest'
import { decision, destruction } from '../../../test/support/contract-examples.ts'
import { codeOf, type Driver, GIT_UNAVAILABLE, outcomeOf } from '../../../test/support/drive-run.ts'
import { amended, candidateOf, invalidOf, pinned } from '../../../test/support/pinned-sources.ts'
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

const confirmation = { confirmDestructive: true, scopeSha256: destruction.destructive_request.scope_sha256 }
const bound = () => stopped({ source: pinned })
const withoutBudget = () => waitingForConfirmation({ budget: 2 })

describe('a run', () => {
  it.each<[string, () => Driver, (driver: Driver) => unknown, string]>([
    ['–, start', atWork, () => undefined, 'active orient'],
    ['active, an outcome', atWork, (driver) => driver.submit(), 'active summarize'],
    [
      'active, an outcome without a budget',
      () => atWork({ budget: 1 }),
      (driver) => driver.submit(),
      'paused budget_exhausted',
    ],
    [
      'active, an outcome that waits',
      atWork,
      (driver) => driver.submit({ status: 'needs_input', pause: decision }),
      'paused decision_required orient',
    ],
    [
      'active, an outcome, git unavailable',
      atWork,
      withoutGit((driver) => driver.submit()),
      'paused environment_unavailable',
    ],
    ['active, the outcome of the summary', () => atKind('summarize'), (driver) => driver.submit(), 'ended'],
    ['active, skip', atWork, (driver) => driver.skip(), 'active summarize'],
    ['active, skip the summary', () => atKind('summarize'), (driver) => driver.skip(), 'ended'],
    [
      'active, skip without a budget',
      () => atWork({ budget: 1 }),
      (driver) => driver.skip(),
      'paused budget_exhausted',
    ],
    ['active, skip, git unavailable', atWork, withoutGit((driver) => driver.skip()), 'paused environment_unavailable'],
    ['paused for a decision, skip', waitingForDecision, (driver) => driver.skip(), 'active summarize'],
    ['paused for a decision, answer', waitingForDecision, (driver) => driver.answer({ text: 'x' }), 'active orient'],
    [
      'paused for a decision, answer without a budget',
      () => waitingForDecision({ budget: 1 }),
      (driver) => driver.answer({ text: 'x' }),
      'paused budget_exhausted',
    ],
    [
      'paused for a confirmation, feedback',
      waitingForConfirmation,
      (driver) => driver.answer({ text: 'x' }),
      'active orient',
    ],
    [
      'paused for a confirmation, feedback without a budget',
      withoutBudget,
      (driver) => driver.answer({ text: 'x' }),
      'paused budget_exhausted',
    ],
    [
      'paused for a confirmation, confirm',
      waitingForConfirmation,
      (driver) => driver.answer(confirmation),
      'active implement',
    ],
    [
      'paused for a confirmation, confirm without a budget',
      withoutBudget,
      (driver) => driver.answer(confirmation),
      'paused budget_exhausted',
    ],
    ['paused for its environment, resume', lackingEnvironment, (driver) => driver.resume(), 'active orient'],
    ['paused for a budget, resume', outOfBudget, (driver) => driver.resume(), 'active orient'],
    ['stopped, resume', stopped, (driver) => driver.resume(), 'active orient'],
    [
      'stopped, resume with a changed source',
      bound,
      (driver) => driver.resume({ refreshed: candidateOf(amended) }),
      'paused decision_required',
    ],
    [
      'stopped, resume with an invalid source',
      bound,
      (driver) => driver.resume({ refreshed: invalidOf() }),
      'paused decision_required',
    ],
    [
      'waiting for a choice, a choice',
      waitingForChoice,
      (driver) => driver.resume({ choice: 'pinned', candidateId: 'candidate-1' }),
      'active orient',
    ],
    ['active, stop', atWork, (driver) => driver.stop(), 'stopped'],
    ['paused, stop', waitingForDecision, (driver) => driver.stop(), 'stopped'],
    ['stopped, stop', stopped, (driver) => driver.stop(), 'stopped'],
  ])('%s', (_what, make, operate, expected) => {
    const driver = make()
    operate(driver)
    const { state, pause_reason, current_action } = driver.run
    expect([state, pause_reason, current_action?.kind].filter(Boolean).join(' ')).toBe(expected)
  })

  it.each<[string, (driver: Driver) => unknown]>([
    ['submit', (driver) => driver.submit({}, 'other')],
    ['answer', (driver) => driver.answer({ text: 'x' })],
    ['skip', (driver) => driver.skip()],
    ['stop', (driver) => driver.stop()],
    ['resume', (driver) => driver.resume()],
  ])('that has ended refuses %s', (_what, operate) => {
    expect(codeOf(() => operate(ended()))).not.toBe('done')
  })
})

describe('a repeated request', () => {
  const outcome = (driver: Driver) => outcomeOf(driver.run)
  const submitTwice = (driver: Driver, change: object = {}) => {
    const [first, id] = [outcome(driver), driver.actionId()]
    driver.submitOutcome(first, id)
    return () => driver.submitOutcome({ ...first, ...change }, id)
  }
  const twice = (operate: () => unknown, other = operate) => {
    operate()
    return other
  }
  const question = () => {
    const driver = atWork()
    const asked = outcomeOf(driver.run, { status: 'needs_input', pause: decision })
    driver.submitOutcome(asked, 'action-1')
    driver.answer({ text: 'x' })
    return { driver, asked }
  }
  const choose = (driver: Driver, choice: string, budget?: number) => () =>
    driver.resume({ choice, candidateId: 'candidate-1', ...(budget !== undefined && { budget }) })

  it.each<[string, string, () => () => unknown]>([
    ['submit', 'done', () => submitTwice(atWork())],
    ['submit something else', 'outcome_conflict', () => submitTwice(atWork(), { summary: 'x' })],
    [
      'submit a question that was answered',
      'done',
      () => {
        const { driver, asked } = question()
        return () => driver.submitOutcome(asked, 'action-1')
      },
    ],
    [
      'submit something else for it',
      'stale_action',
      () => {
        const { driver, asked } = question()
        return () => driver.submitOutcome({ ...asked, summary: 'x' }, 'action-1')
      },
    ],
    [
      'answer',
      'done',
      () => {
        const { driver } = question()
        return () => driver.answer({ actionId: 'action-1', text: 'x' })
      },
    ],
    [
      'answer something else',
      'answer_conflict',
      () => {
        const { driver } = question()
        return () => driver.answer({ actionId: 'action-1', text: 'y' })
      },
    ],
    [
      'confirm without a budget',
      'done',
      () => {
        const driver = withoutBudget()
        return twice(() => driver.answer({ actionId: 'action-2', ...confirmation }))
      },
    ],
    [
      'confirm without a budget, then resume',
      'done',
      () => {
        const driver = withoutBudget()
        driver.answer(confirmation)
        driver.resume()
        return () => driver.answer({ actionId: 'action-2', ...confirmation })
      },
    ],
    [
      'confirm something else',
      'answer_conflict',
      () => {
        const driver = withoutBudget()
        driver.answer(confirmation)
        return () => driver.answer({ actionId: 'action-2', ...confirmation, text: 'x' })
      },
    ],
    [
      'skip',
      'stale_action',
      () => {
        const driver = atWork()
        return twice(() => driver.skip('action-1'))
      },
    ],
    [
      'stop',
      'done',
      () => {
        const driver = atWork()
        return twice(() => driver.stop())
      },
    ],
    [
      'resume ad hoc',
      'run_not_resumable',
      () => {
        const driver = stopped()
        return twice(() => driver.resume())
      },
    ],
    [
      'resume on the pinned source',
      'run_not_resumable',
      () => {
        const driver = bound()
        return twice(() => driver.resume({ usePinnedSource: true }))
      },
    ],
    [
      'refresh',
      'run_not_resumable',
      () => {
        const driver = bound()
        return twice(() => driver.resume({ refreshed: candidateOf(pinned) }))
      },
    ],
    [
      'choose',
      'done',
      () => {
        const driver = waitingForChoice()
        return twice(choose(driver, 'adopt'), choose(driver, 'adopt', 3))
      },
    ],
    [
      'choose otherwise',
      'source_choice_conflict',
      () => {
        const driver = waitingForChoice()
        return twice(choose(driver, 'adopt'), choose(driver, 'pinned'))
      },
    ],
  ])('to %s is %s', (_what, code, make) => {
    expect(codeOf(make())).toBe(code)
  })
})

describe('the mark of an action', () => {
  it.each<[string, 'voided' | 'skipped' | 'none', () => Driver, (driver: Driver) => unknown]>([
    ['a decision', 'voided', waitingForDecision, (driver) => driver.answer({ text: 'x' })],
    ['a refusal to destroy', 'voided', waitingForConfirmation, (driver) => driver.answer({ text: 'x' })],
    ['a confirmation without a budget', 'voided', withoutBudget, (driver) => driver.answer(confirmation)],
    ['a confirmation', 'none', waitingForConfirmation, (driver) => driver.answer(confirmation)],
    ['stop', 'voided', atWork, (driver) => driver.stop()],
    ['resume', 'voided', lackingEnvironment, (driver) => driver.resume()],
    [
      'a candidate',
      'voided',
      () => lackingEnvironment({ source: pinned }),
      (driver) => driver.resume({ refreshed: invalidOf() }),
    ],
    ['skip', 'skipped', atWork, (driver) => driver.skip()],
    ['an outcome', 'none', atWork, (driver) => driver.submit()],
  ])('after %s is %s', (_what, mark, make, operate) => {
    const driver = make()
    const at = driver.run.actions.length - 1
    operate(driver)
    const { voided = false, skipped = false } = driver.run.actions[at] ?? {}
    expect({ voided, skipped }).toEqual({ voided: mark === 'voided', skipped: mark === 'skipped' })
  })
})

function withoutGit(operate: (driver: Driver) => unknown) {
  return (driver: Driver) => {
    driver.setGit(GIT_UNAVAILABLE)
    operate(driver)
  }
}
