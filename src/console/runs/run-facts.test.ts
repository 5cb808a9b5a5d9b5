import { describe, expect, it } from 'vitest'
import type { DrivenRun, RunChoice } from '../../drive/service/driven-run.shape.ts'
import {
  actionsText,
  actsInHead,
  cardButton,
  describePauseLimit,
  describeQuestion,
  describeReason,
  lacksMerge,
  machineText,
  mergeText,
  whichRun,
} from './run-facts.ts'

const SPENT = { tokens: 1773, cost_usd: 0.5, time_secs: 61 }
const verdict = { word: 'paused by limit', line: '', reason: '', next: '', look_first: [], exists: {} } as const
type Reason = NonNullable<DrivenRun['pause']>['reason']

const paused = (reason: Reason) => ({
  state: 'paused' as const,
  verdict,
  spent: SPENT,
  pause: { reason, message: 'continue with a higher --max-tokens' },
})

describe('a run that is paused', () => {
  it.each<[Reason, string, string]>([
    [
      'max_tokens',
      'has reached its limit of tokens',
      '1,773 tokens are used so far. Enter a higher limit to continue.',
    ],
    ['max_cost', 'has reached its limit of costs', '$0.50 is used so far. Enter a higher limit to continue.'],
    ['max_time', 'has reached its limit of time', '1 min 1 s is used so far. Enter a higher limit to continue.'],
    ['agent_failed', 'is paused: agent failed', 'continue with a higher --max-tokens'],
  ])('by %s %s', (reason, why, question) => {
    expect([describeReason(paused(reason)), describeQuestion(paused(reason))]).toEqual([why, question])
  })

  it('on a machine without a worker continues when one is started there', () => {
    const gone = { ...paused('max_tokens'), machine: 'build-2', is_machine_gone: true as const }
    expect(describeQuestion(gone)).toBe('No worker is running on build-2. Start drover work there to continue.')
  })

  it('is resumed with more than what is used, or with more actions', () => {
    expect(describePauseLimit(paused('max_tokens'))).toMatchObject({ field: 'max_tokens', least: 1773 })
    expect(describePauseLimit(paused('max_cost'))).toMatchObject({ field: 'max_cost_usd', least: 0.5 })
    expect(describePauseLimit(paused('max_time'))).toMatchObject({ field: 'max_time_secs', least: 61 })
    expect(describePauseLimit(paused('cost_unknown'))).toEqual({ field: 'max_cost_usd', says: 'dollars at most' })
    expect(describePauseLimit({ spent: SPENT })).toEqual({ field: 'actions', says: 'more actions' })
  })
})

it('a run that a person stopped says so, and does not wait for a person', () => {
  const stopped = {
    state: 'stopped' as const,
    verdict: { ...verdict, word: 'waits for you' as const },
    spent: SPENT,
  }
  expect([describeReason(stopped), describeQuestion(stopped)]).toEqual([
    'was stopped',
    'Its work is kept. It can be resumed.',
  ])
})

it('a run that waits says for what, and one whose process ended that it can be resumed', () => {
  const wait = { reason: 'decision_required' as const, question: 'Knots or km/h?', choices: [] }
  const waiting = { state: 'waiting' as const, verdict, spent: SPENT, waits_for: wait }
  expect([describeReason(waiting), describeQuestion(waiting)]).toEqual(['asks a question', 'Knots or km/h?'])
  const interrupted = {
    state: 'interrupted' as const,
    verdict: { ...verdict, word: 'not driven' as const },
    spent: SPENT,
  }
  expect([describeReason(interrupted), describeQuestion(interrupted)]).toEqual([
    'not driven',
    'Its process ended. It can be resumed.',
  ])
})

it.each([
  [{}, undefined],
  [{ machine: 'build-2' }, 'on build-2'],
  [{ machine: 'build\n2' }, 'on build 2'],
  [{ machine: 'build-2', is_machine_gone: true as const }, 'on build-2, where no worker runs'],
])('the machine of %j is shown as %s', (run, text) => expect(machineText(run)).toBe(text))

describe('a run that has ended', () => {
  const ended = { state: 'ended' as const, actions: { taken: 5, remaining: 3 } }

  it('has no actions left to do', () => {
    expect(actionsText(ended)).toBe('5 actions')
    expect(actionsText({ ...ended, state: 'waiting' })).toBe('5 of 8 actions')
  })
})

it('a run is told apart by its short id, its repository and its branch', () => {
  const run = { id: '6f1c2c6e-3b1b-4f39', repository: '/srv/weather/' }
  expect(whichRun(run)).toBe('6f1c2c6e in weather')
  expect(whichRun({ ...run, branch: 'drover/knots-1' })).toBe('6f1c2c6e in weather, drover/knots-1')
})

it.each<[state: string, choices: RunChoice[], card: string | undefined, main: string | undefined, others: RunChoice[]]>(
  [
    ['queued', ['first', 'move', 'skip', 'stop'], undefined, 'first', ['skip', 'stop']],
    ['running', ['skip', 'stop'], undefined, 'stop', ['skip']],
    ['waiting', ['answer', 'skip', 'stop'], 'Answer', undefined, []],
    ['waiting', ['confirm', 'answer', 'stop'], 'Permit…', undefined, []],
    ['waiting', ['stop'], 'Decide', undefined, []],
    ['paused', ['resume', 'skip', 'stop', 'discard'], 'Resume', undefined, ['discard']],
    ['stopped', ['resume', 'discard'], 'Resume', undefined, ['discard']],
    ['ended', ['follow-up', 'merge', 'take', 'discard'], undefined, 'merge', ['follow-up', 'take', 'discard']],
    ['ended', ['follow-up', 'take', 'discard'], undefined, 'follow-up', ['take', 'discard']],
    ['ended', ['discard'], undefined, 'discard', []],
    ['discarded', ['undo-discard'], undefined, 'undo-discard', []],
    ['merged', [], undefined, undefined, []],
  ],
)('the head of a %s run that offers %j asks for one thing', (state, choices, card, main, others) => {
  const run = { state, choices } as unknown as DrivenRun
  expect(cardButton(run)).toBe(card)
  expect(actsInHead(run)).toEqual({ ...(main !== undefined && { main }), others })
})

it('a run that only another key could merge says so', () => {
  const delivered = { branch: 'drover/wind', commit: 'abc' }
  const run = {
    state: 'ended',
    choices: ['follow-up'],
    delivered,
    verdict: { word: 'delivered' },
  } as unknown as DrivenRun
  expect(lacksMerge(run, false)).toBe(true)
  expect([lacksMerge(run, true), lacksMerge({ ...run, choices: ['merge'] }, false)]).toEqual([false, false])
  expect(lacksMerge({ ...run, verdict: { ...run.verdict, word: 'not delivered' } }, false)).toBe(false)
})

it('a run with a pull request is not merged here by the first button', () => {
  const delivered = { pull_request: 'https://github.com/ada/weather/pull/1' }
  const run = { state: 'ended', choices: ['follow-up', 'merge'], delivered } as unknown as DrivenRun
  expect(actsInHead(run)).toEqual({ main: 'follow-up', others: ['merge'] })
  expect(mergeText({ ...run, base_branch: 'main' })).toEqual(['Merge here', ' into main'])
  expect([mergeText({ base_branch: 'main' }), mergeText({})]).toEqual([
    ['Merge', ' into main'],
    ['Merge', ''],
  ])
})
