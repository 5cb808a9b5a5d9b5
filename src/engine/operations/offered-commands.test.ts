/** Every operation in every state of a run: each command that a refusal offers is accepted by the run. */
import { describe, expect, it } from 'vitest'
import { decision } from '../../../test/support/contract-examples.ts'
import { continueRun, type Driver, type DriverOptions, driveRun, outcomeOf } from '../../../test/support/drive-run.ts'
import { IS_FULL } from '../../../test/support/full-counts.ts'
import {
  amend,
  amended,
  candidateOf,
  invalidOf,
  moved,
  pinned,
  withRevisions,
} from '../../../test/support/pinned-sources.ts'
import * as states from '../../../test/support/run-states.ts'
import type { NextVariant } from '../../contract/next.shape.ts'
import { digest } from '../../kit/digest.ts'
import { Fault } from '../../kit/fault.ts'
import { nextHint, type Refusal } from '../next-hint.ts'

const MAKERS: Readonly<Record<string, (options?: DriverOptions) => Driver>> = {
  orient: (options) => states.atKind('orient', options),
  clarify: (options) => states.atKind('clarify', options),
  implement: (options) => states.atKind('implement', options),
  review: (options) => states.atKind('review', options),
  summarize: (options) => states.atKind('summarize', options),
  decision: states.waitingForDecision,
  confirmation: states.waitingForConfirmation,
  environment: states.lackingEnvironment,
  'no git': states.gitUnavailable,
  'no budget': states.outOfBudget,
  stopped: states.stopped,
  'stopped while it waits': (options) => after(states.waitingForDecision(options), (driver) => driver.stop()),
  ended: states.ended,
}

const BOUND_MAKERS: typeof MAKERS = {
  choice: states.waitingForChoice,
  'invalid candidate': states.waitingWithInvalid,
  'stopped with a candidate': (options) => after(states.waitingForChoice(options), (driver) => driver.stop()),
  chosen: (options) => after(states.waitingForChoice(options), (driver) => choose(driver, 'pinned')),
  'chosen and stopped': (options) =>
    after(
      after(states.waitingForChoice(options), (driver) => choose(driver, 'pinned')),
      (driver) => driver.stop(),
    ),
}

const STATES: readonly (readonly [string, () => Driver])[] = [
  ...Object.entries(MAKERS).map(([name, make]) => [name, () => make()] as const),
  ...Object.entries({ ...MAKERS, ...BOUND_MAKERS }).map(
    ([name, make]) => [`${name}, with an issue`, () => make({ source: pinned })] as const,
  ),
]

function after(driver: Driver, operate: (driver: Driver) => unknown): Driver {
  operate(driver)
  return driver
}

const choose = (driver: Driver, choice: string, candidateId = candidateIn(driver)) =>
  driver.resume({ choice, candidateId })
const candidateIn = ({ run }: Driver) =>
  run.source_candidate?.candidate_id ?? run.source_choices[0]?.candidate_id ?? 'candidate-1'
const firstAction = ({ run }: Driver) => run.actions[0]?.action.action_id ?? ''

/** What a refresh finds, with an id that the run does not have yet. */
const found = (source: typeof pinned) => candidateOf(source, 'candidate-9')

const OPERATIONS: Readonly<Record<string, (driver: Driver) => unknown>> = {
  'submit for another action': (driver) => driver.submit({}, 'other'),
  'submit for the first action': (driver) => driver.submit({ summary: 'Other.' }, firstAction(driver)),
  'submit against a rule': (driver) =>
    driver.submitOutcome({ ...outcomeOf(driver.run), status: 'x' }, driver.actionId()),
  'submit another kind': (driver) =>
    driver.submitOutcome({ ...outcomeOf(driver.run), action_kind: 'other' }, driver.actionId()),
  'submit with an unknown decision': (driver) =>
    driver.submitOutcome(
      {
        ...outcomeOf(
          { ...driver.run, current_action: undefined },
          { status: 'needs_input', pause: { ...decision, supersedes_answer_action_id: 'x' } },
        ),
        action_id: driver.actionId(),
        action_kind: driver.run.current_action?.kind ?? 'orient',
      },
      driver.actionId(),
    ),
  'skip another action': (driver) => driver.skip('other'),
  skip: (driver) => driver.skip(),
  stop: (driver) => driver.stop(),
  answer: (driver) => driver.answer({ text: 'Yes.' }),
  'answer nothing': (driver) => driver.answer({ text: ' ' }),
  'answer another action': (driver) => driver.answer({ text: 'Yes.', actionId: 'other' }),
  'confirm another scope': (driver) => driver.answer({ confirmDestructive: true, scopeSha256: digest('other') }),
  'confirm no digest': (driver) => driver.answer({ confirmDestructive: true, scopeSha256: 'all' }),
  'confirm without a scope': (driver) => driver.answer({ confirmDestructive: true }),
  resume: (driver) => driver.resume(),
  'resume with the pinned source': (driver) => driver.resume({ usePinnedSource: true }),
  'refresh with the same issue': (driver) => driver.resume({ refreshed: found(pinned) }),
  'refresh with an amended issue': (driver) => driver.resume({ refreshed: found(amended) }),
  'refresh with another issue': (driver) =>
    driver.resume({ refreshed: found(withRevisions({ ...pinned, issue_id: 'I_other' })) }),
  'refresh with an edited issue': (driver) => driver.resume({ refreshed: found(amend(pinned, 'Edited.\n', 1901)) }),
  'refresh with a fork': (driver) =>
    driver.resume({ refreshed: found(withRevisions({ ...amended, parent_requirements_revision: digest('x') })) }),
  'refresh with an invalid issue': (driver) => driver.resume({ refreshed: invalidOf('candidate-9') }),
  'refresh with a moved issue': (driver) => driver.resume({ refreshed: found(moved(pinned, 'elsewhere')) }),
  'refresh and keep the pinned source': (driver) => driver.resume({ refreshed: found(pinned), usePinnedSource: true }),
  adopt: (driver) => choose(driver, 'adopt'),
  'keep the pinned source': (driver) => choose(driver, 'pinned'),
  'adopt another candidate': (driver) => choose(driver, 'adopt', 'other'),
  'choose without a candidate': (driver) => driver.resume({ choice: 'adopt' }),
  'name a candidate without a choice': (driver) => driver.resume({ candidateId: candidateIn(driver) }),
}

/** Does what the words of a command say, with good values for its inputs. */
function follow(driver: Driver, { base_argv: [, command, operation, ...words] }: NextVariant): unknown {
  const valueAfter = (flag: string) => words[words.indexOf(flag) + 1] ?? ''
  const has = (flag: string) => words.includes(flag)
  if (command === 'run') return driveRun({ source: pinned })
  if (command !== 'protocol') throw new Error(`${command} is no command on a run`)
  if (operation === 'submit') return driver.submitOutcome(outcomeOf(driver.run), valueAfter('--action'))
  if (operation === 'skip') return driver.skip(valueAfter('--action'))
  if (operation === 'answer') {
    const confirmation = has('--confirm-destructive')
      ? { confirmDestructive: true, scopeSha256: valueAfter('--scope-sha256') }
      : {}
    return driver.answer({ actionId: valueAfter('--action'), text: 'Yes.', ...confirmation })
  }
  if (has('--source-choice')) return choose(driver, valueAfter('--source-choice'), valueAfter('--candidate'))
  if (has('--use-pinned-source')) return driver.resume({ usePinnedSource: true })
  return driver.resume(driver.run.pinned_source === undefined ? {} : { refreshed: found(pinned) })
}

function refusalOf(operate: () => unknown): (Refusal & { code: string }) | undefined {
  try {
    operate()
    return undefined
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { ...(error.details as Refusal), code: error.code }
  }
}

/** The same run again, for another operation. */
const again = ({ events, run }: Driver) => continueRun(events, run)

/** Each offered command that the run refuses in turn. */
function deadEnds(driver: Driver, next: Refusal['next']): string[] {
  return next.variants.flatMap((variant) => {
    const refusal = refusalOf(() => follow(again(driver), variant))
    return refusal === undefined ? [] : [`${variant.id}: ${refusal.code}`]
  })
}

/** Of the operations in each state, one in this number is tried. */
const SHARE = IS_FULL ? 1 : 3

let refusals = 0

describe('the commands that are offered', () => {
  it.each(STATES.map(([name, make], index) => ({ name, make, index })))(
    'can be followed if the run is in the state: $name',
    ({ make, index }) => {
      const driver = make()
      expect(deadEnds(driver, nextHint(driver.run))).toEqual([])
      // In the gate, each state with some of the operations, and each operation in some of the states.
      const tried = Object.entries(OPERATIONS).filter((_, place) => (place + index) % SHARE === 0)
      const found = tried.flatMap(([name, operate]) => {
        const refusal = refusalOf(() => operate(again(driver)))
        if (refusal === undefined) return []
        refusals += 1
        return deadEnds(driver, refusal.next).map((end) => `${name}, ${refusal.code}: ${end}`)
      })
      expect(found).toEqual([])
    },
  )

  it('come from hundreds of refusals', () => {
    expect(refusals).toBeGreaterThan(500 / SHARE)
  })
})
