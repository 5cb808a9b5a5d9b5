import { describe, expect, it } from 'vitest'
import { actionOf, attemptAt, driveState, OPTIONS } from '../../../test/support/drive-fixture.ts'
import { checkOutcome } from '../../contract/outcome.ts'
import type { PromptEvent } from '../../prompts/prompt-event.ts'
import { countTokens } from '../../prompts/tokens.ts'
import { describeUnknownCosts } from '../../runs/report-markdown.ts'
import { askOutcome, completeOutcome, errorOutcome } from './final-outcome.ts'
import { decisionsIn, goalOfRound, mayStartRound, nameRequirement, openWork } from './next-round.ts'
import { ProgressWatch, stallReason } from './progress-watch.ts'
import { countUnknownCosts, reachedCap, remainingBudget, smallerBudget, spentBy } from './spending.ts'

const KINDS = ['orient', 'clarify', 'implement', 'review', 'summarize'] as const
const USAGE = { input_tokens: 100, output_tokens: 10, cached_tokens: 50, reasoning_tokens: 5, cache_write_tokens: 7 }
const CHECK = { attempt: 1, command: 'npm test', passed: false, exit_code: 1, duration_ms: 5, output: 'broken', at: '' }

describe('an outcome that drover writes', () => {
  it.each(KINDS)('is valid for %s, whatever it quotes', (kind) => {
    const action = actionOf(kind)
    const odd = 'a\u0000b\u001b[31m \ud800 c\u0085\n'
    expect(() => checkOutcome(errorOutcome(action, odd, [odd]))).not.toThrow()
    expect(() => checkOutcome(askOutcome(action, { summary: odd, question: odd }))).not.toThrow()
  })

  it('claims nothing', () => {
    const nothing = { observations: [], known_issues: [], suggested_actions: [] }
    const { implementation, ...rest } = errorOutcome(actionOf('implement'), 'It failed.')
    expect(rest).toMatchObject(nothing)
    const none = { files_changed: [], activities: [], uncertainties: [] }
    expect(implementation).toEqual({ result: 'unable', attempts: 1, ...none })
    expect(errorOutcome(actionOf('review'), 'It failed.').review).toEqual({
      result: 'error',
      ...{ uncertainties: [], findings: [] },
    })
    expect(askOutcome(actionOf('implement'), { summary: 'S', question: 'Q' })).toMatchObject(nothing)
  })
})

describe('an outcome of an agent', () => {
  const action = actionOf('implement')
  const complete = (...attempts: ReturnType<typeof attemptAt>[]) => {
    const outcome = checkOutcome(JSON.parse(attemptAt(action).ended?.outcome ?? ''))
    return checkOutcome(completeOutcome(outcome, attempts))
  }

  it('stays as it is without an implementation', () => {
    const outcome = errorOutcome(actionOf('orient'), 'It failed.')
    const { implementation: _, ...shorter } = outcome
    for (const each of [outcome, shorter as typeof outcome]) {
      expect(completeOutcome(each, [attemptAt(action, { checks: [CHECK] })])).toBe(each)
    }
  })

  it('has no more activities than the agent reports if drover has seen no attempt', () => {
    const outcome = checkOutcome(JSON.parse(attemptAt(action).ended?.outcome ?? ''))
    expect(completeOutcome(outcome, []).implementation?.activities).toEqual(outcome.implementation?.activities)
  })

  it('stays completed if all checks passed', () => {
    const passed = { ...CHECK, passed: true, exit_code: 0 }
    expect(complete(attemptAt(action, { checks: [passed] }))).toMatchObject({ status: 'completed', known_issues: [] })
  })

  it('counts attempts that did work', () => {
    const failed = attemptAt(action, {}, { how: 'failed' })
    const asked = attemptAt(action, { attempt: 3, purpose: 'outcome_problem' })
    const attempts = [failed, attemptAt(action, { attempt: 2 }), asked, attemptAt(action, { attempt: 4 }, null)]
    expect(complete(...attempts).implementation?.attempts).toBe(1)
  })

  it.each([
    ['npm run lint', 'lint'],
    ['npx tsc', 'typecheck'],
    ['npm test', 'test'],
    ['make', 'build'],
    ['./all.sh', 'test'],
  ])('names %s a %s', (command, kind) => {
    const { implementation } = complete(attemptAt(action, { checks: [{ ...CHECK, command }] }))
    expect(implementation?.activities.at(-1)?.kind).toBe(kind)
  })
})

describe('a check without an exit code', () => {
  it('is a known issue, not an activity', () => {
    const action = actionOf('implement')
    const { exit_code: _, ...check } = { ...CHECK, problem: 'it timed out after 1 s' }
    const attempt = attemptAt(action, { checks: [check] })
    const outcome = checkOutcome(JSON.parse(attempt.ended?.outcome ?? ''))
    const completed = checkOutcome(completeOutcome(outcome, [attempt]))
    expect(completed.implementation?.activities).toHaveLength(1)
    expect(completed.known_issues).toEqual([expect.stringContaining('it timed out after 1 s')])
    expect(completed.status).toBe('partial')
  })
})

describe('tokens', () => {
  it.each([
    ['claude', 167],
    ['codex', 110],
    ['gemini', 115],
    ['opencode', 110],
  ] as const)('of %s count each once: %s', (backend, tokens) => {
    expect(countTokens(USAGE, backend)).toBe(tokens)
  })
})

describe('the budget', () => {
  it('adds up attempts, checks and earlier rounds', () => {
    const attempt = attemptAt(
      actionOf('implement'),
      { checks: [CHECK] },
      { usage: USAGE, cost_microusd: 250_000, duration_ms: 20 },
    )
    const spent = { tokens: 1, cost_microusd: 1_000_000, time_ms: 1 }
    expect(spentBy(driveState([attempt, attempt], { spent }))).toEqual({
      tokens: 335,
      cost_microusd: 1_500_000,
      time_ms: 51,
    })
  })

  it('of an attempt without a known usage counts its time', () => {
    const attempt = attemptAt(actionOf('implement'), {}, { how: 'unknown', duration_ms: 20 })
    expect(spentBy(driveState([attempt]))).toEqual({ tokens: 0, cost_microusd: 0, time_ms: 20 })
  })

  it('misses the cost of attempts that no one knows, which are counted in all rounds', () => {
    const ends = [
      { cost_microusd: 0 },
      { cost_kind: 'plan' },
      { how: 'failed', error_code: 'budget_spent' },
      {},
      { how: 'unknown' },
      null,
    ] as const
    const round = () => driveState(ends.map((end) => attemptAt(actionOf('implement'), {}, end)))
    const counts = [true, false].map((isDriven) => countUnknownCosts([round(), round()], { isDriven }))
    expect(counts).toEqual([5, 6])
    expect([0, 1, 2].map(describeUnknownCosts)).toEqual(['', '1 attempt of unknown cost', '2 attempts of unknown cost'])
  })

  it('has no limits by default', () => {
    expect(reachedCap({ tokens: 1e12, cost_microusd: 1e12, time_ms: 1e12 }, OPTIONS)).toBeUndefined()
    expect(remainingBudget({ tokens: 5, cost_microusd: 5, time_ms: 5 }, OPTIONS)).toEqual({})
  })

  it('tells what is left, never less than nothing', () => {
    const caps = { max_tokens: 10, max_cost_microusd: 1_000_000, max_time_ms: 100 }
    expect(remainingBudget({ tokens: 4, cost_microusd: 2_000_000, time_ms: 60 }, caps)).toEqual({
      tokens: 6,
      cost_microusd: 0,
      time_ms: 40,
    })
  })
})

it('of two budgets, the smaller one counts for each limit', () => {
  expect(smallerBudget({ tokens: 5, time_ms: 7 }, { tokens: 3, cost_microusd: 0 })).toEqual({
    tokens: 3,
    cost_microusd: 0,
    time_ms: 7,
  })
  expect(smallerBudget({}, {})).toEqual({})
})

describe('an agent that makes no progress', () => {
  const event = (type: string, content: object) => ({ type, content, backend: 'claude' }) as unknown as PromptEvent
  const call = (watch: ProgressWatch, output: string, now: number, command = 'npm test') => {
    watch.note(event('tool_use', { tool_id: 't', tool_name: 'Bash', input: { command } }), now)
    return watch.note(event('tool_result', { tool_id: 't', tool_name: 'Bash', output }), now)
  }

  it('is noticed after the time without text, results and changes', () => {
    const watch = new ProgressWatch({ stallMs: 100, now: 0 })
    expect(watch.leftMs(99)).toBe(1)
    expect(watch.leftMs(100)).toBe(0)
    watch.note(event('message', { text: 'a' }), 50)
    expect(watch.leftMs(100)).toBe(50)
    watch.note(event('progress', { stage: 'retry' }), 120)
    expect(watch.leftMs(120)).toBe(30)
    watch.noteChange(130)
    expect(watch.leftMs(130)).toBe(100)
  })

  it('is noticed at the fourth equal call with an equal result', () => {
    const watch = new ProgressWatch({ stallMs: 100, now: 0 })
    expect([1, 2, 3].map((now) => call(watch, 'broken', now))).toEqual([undefined, undefined, undefined])
    expect(call(watch, 'broken', 4)).toContain('4 times in a row')
  })

  it('is not one whose calls differ in their input, or whose results belong to no call', () => {
    const watch = new ProgressWatch({ stallMs: 100, now: 0 })
    const results = ['a', 'b', 'c', 'd'].map((command, now) => call(watch, 'broken', now, command))
    expect(results).toEqual(Array(4).fill(undefined))
    const orphan = event('tool_result', { tool_id: 't', tool_name: 'Bash', output: 'broken' })
    expect(Array.from({ length: 5 }, () => watch.note(orphan, 9))).toEqual(Array(5).fill(undefined))
  })

  it('is known by calls that run at the same time, with and without ids', () => {
    const watch = new ProgressWatch({ stallMs: 100, now: 0 })
    const note = (type: string, tool_id: string | undefined, more: object) =>
      watch.note(event(type, { ...(tool_id && { tool_id }), tool_name: 'Bash', ...more }), 1)
    const round = (ids: readonly (string | undefined)[]) => {
      for (const id of ids) note('tool_use', id, { input: { command: `c${id}` } })
      return ids.map((id) => note('tool_result', id, { output: 'same' }))
    }
    expect([1, 2, 3, 4, 5].flatMap(() => round(['1', '2']))).toEqual(Array(10).fill(undefined))
    expect([1, 2, 3].flatMap(() => round([undefined]))).toEqual(Array(3).fill(undefined))
    expect(round([undefined])[0]).toContain('4 times in a row')
  })

  it('is told for how long', () => {
    expect(stallReason(90_000)).toContain('for 90 s there was no text')
  })

  it('is not one that polls with changing results, or works in between', () => {
    const watch = new ProgressWatch({ stallMs: 100, now: 0 })
    expect([1, 2, 3, 4, 5].map((now) => call(watch, `waiting ${now}`, now))).toEqual(Array(5).fill(undefined))
    expect([1, 2, 3].map((now) => call(watch, 'broken', now)).concat(call(watch, 'ok', 4, 'ls'))).toEqual(
      Array(4).fill(undefined),
    )
    expect([1, 2, 3].map((now) => call(watch, 'broken', now))).toEqual(Array(3).fill(undefined))
  })
})

describe('what a run leaves open', () => {
  const finding = { location: 'wind.ts:1', summary: 'Rounded twice', detail: 'It loses a knot.' }
  const review = { action: { action_id: 'r', kind: 'review' }, outcome: { review: { findings: [finding] } } }

  it('are the findings of the last review and the checks that fail at last', () => {
    const attempts = [
      attemptAt(actionOf('implement'), { checks: [CHECK] }),
      attemptAt(actionOf('implement'), { attempt: 2, checks: [{ ...CHECK, command: 'npm run lint' }] }),
    ]
    const options = { ...OPTIONS, checks: ['npm run lint'] }
    const open = openWork({ actions: [review] } as never, driveState(attempts, { options }))
    expect(open).toEqual([
      { name: 'check npm run lint ended with exit code 1', text: expect.stringContaining('npm run lint') },
      { name: 'finding wind.ts:1: Rounded twice', text: 'wind.ts:1: Rounded twice\nIt loses a knot.' },
    ])
    const texts = open.map(({ text }) => text)
    expect(goalOfRound({ round: 2, goal: 'Show knots', decisions: [], open: texts })).toMatch(
      /Show knots\n\nOpen:[\s\S]*1\. The check[\s\S]*2\. wind\.ts:1/,
    )
  })

  it('are not those of a review that does not count, or of another action', () => {
    const others = [
      { ...review, voided: true },
      { ...review, action: { action_id: 'i', kind: 'implement' } },
    ]
    expect(openWork({ actions: others } as never, driveState())).toEqual([])
    expect(openWork({ actions: [review, ...others] } as never, driveState())).toHaveLength(1)
    expect(openWork({ actions: [{ ...review, outcome: { review: null } }] } as never, driveState())).toEqual([])
  })

  it('are not checks that passed, and only the end of a long output', () => {
    const checks = [
      { ...CHECK, command: 'make', passed: true, exit_code: 0 },
      { ...CHECK, output: `start${'x'.repeat(1997)}end` },
    ]
    const options = { ...OPTIONS, checks: ['make', CHECK.command] }
    const state = driveState([attemptAt(actionOf('implement'), { checks })], { options })
    const open = openWork({ actions: [] } as never, state)
    expect(open).toMatchObject([{ text: expect.stringMatching(/`npm test`[\s\S]*:\nx{1997}end$/) }])
  })

  it('is no check that a person has replaced', () => {
    const attempts = [attemptAt(actionOf('implement'), { checks: [CHECK] })]
    const open = (checks: string[]) =>
      openWork({ actions: [] } as never, driveState(attempts, { options: { ...OPTIONS, checks } }))
    expect([open([CHECK.command]).length, open(['npm run lint']).length]).toEqual([1, 0])
  })

  it.each([
    [200, 200],
    [201, 200],
  ])('has names of one line: of %i characters, %i are left', (given, left) => {
    const long = { ...finding, location: 'a\nb', summary: 'x'.repeat(given - 'finding a b: '.length) }
    const outcome = { review: { findings: [long] } }
    const [open] = openWork({ actions: [{ ...review, outcome }] } as never, driveState())
    expect(open?.name).toMatch(/^finding a b: x+$/)
    expect(open?.name).toHaveLength(left)
  })

  it.each([
    [{ from: 'check', by: 'build' }, 'failed check build'],
    [{ from: 'base' }, 'conflicts with the base'],
    [{ from: 'person' }, 'Round it, please.'],
    [{ from: 'comment' }, 'comment: Round it, please.'],
    [{ from: 'thread', by: 'ada', path: 'a.ts' }, 'comment by ada on a.ts: Round it, please.'],
    [{ from: 'thread', by: 'ada', path: 'a.ts', line: 3 }, 'comment by ada on a.ts:3: Round it, please.'],
  ] as const)('of a pull request, %j, is called %s', (requirement, name) => {
    expect(nameRequirement({ id: '1', text: 'Round it,\nplease.', ...requirement })).toBe(name)
  })

  it('is told in at most 30,000 characters', () => {
    expect(goalOfRound({ round: 2, goal: 'g'.repeat(40_000), decisions: [], open: [] })).toHaveLength(30_000)
  })

  it('comes after what a person decided, which still applies', () => {
    const asked = { action: { action_id: 'o', kind: 'orient' }, outcome: { pause: { question: 'Knots or km/h?' } } }
    const answer = { action_id: 'o', text: 'Knots.', active: true, confirm_destructive: false }
    const confirmed = { ...answer, text: 'Yes.', confirm_destructive: true }
    const answers = [answer, { ...answer, active: false }, confirmed]
    const other = { action: { action_id: 'x', kind: 'orient' }, outcome: { pause: { question: 'Another?' } } }
    const decisions = decisionsIn({ actions: [other, asked], answers } as never)
    expect(decisionsIn({ actions: [other], answers } as never)).toEqual(['Knots.'])
    expect(decisionsIn({ actions: [asked] } as never)).toEqual([])
    expect(decisions).toEqual(['Knots or km/h?\n   Answer: Knots.'])
    expect(goalOfRound({ round: 2, goal: 'Show the wind', decisions, open: ['A finding'] })).toMatch(
      /Show the wind[\s\S]*Decided by a person[\s\S]*1\. Knots or km\/h\?\n {3}Answer: Knots\.[\s\S]*Open:/,
    )
  })

  it('is work that a person stopped, or that waited for one, and on which no agent has reported', () => {
    const stopped = { action: { action_id: 'i', kind: 'implement' }, voided: true }
    const done = { ...stopped, action: { action_id: 'j', kind: 'implement' }, voided: false }
    const open = (actions: object[], round: number) => openWork({ actions } as never, driveState([], { round }))
    const asked = { ...stopped, outcome: { pause: { question: 'Knots or km/h?' } } }
    expect([open([stopped], 2), open([stopped, asked], 2)]).toMatchObject([
      [{ name: 'work that was stopped', text: expect.stringMatching(/^A person stopped .* Finish the work/) }],
      [
        {
          name: 'work that waited for a person',
          text: expect.stringMatching(/waited for a person .* Finish the work/),
        },
      ],
    ])
    expect([open([stopped], 1), open([stopped, done], 2), open([], 2)]).toEqual([[], [], []])
  })

  it('is nothing if a later review has no findings', () => {
    const calm = { ...review, outcome: { review: { findings: [] } } }
    expect(openWork({ actions: [review, calm] } as never, driveState())).toEqual([])
  })

  it.each([
    [1, 0, false],
    [1, 1, true],
    [2, 1, false],
    [2, 2, true],
  ])('starts another run after round %s of at most %s further ones: %s', (round, rounds, may) => {
    expect(mayStartRound({ round, options: { ...OPTIONS, rounds } })).toBe(may)
  })
})
