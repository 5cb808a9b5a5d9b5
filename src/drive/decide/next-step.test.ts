import { describe, expect, it } from 'vitest'
import {
  actionOf,
  activeRun,
  attemptAt,
  driveState,
  OPTIONS,
  outcomeText,
  treeOf,
} from '../../../test/support/drive-fixture.ts'
import type { ProtocolState } from '../../contract/protocol-state.shape.ts'
import type { Claim } from '../record/drive-event.shape.ts'
import type { Attempt, DriveState } from '../record/drive-state.ts'
import { nextStep } from './next-step.ts'

const [orient, implement, review, summarize] = (['orient', 'implement', 'review', 'summarize'] as const).map(
  actionOf,
) as [
  ReturnType<typeof actionOf>,
  ReturnType<typeof actionOf>,
  ReturnType<typeof actionOf>,
  ReturnType<typeof actionOf>,
]
const USAGE = { input_tokens: 60, output_tokens: 40, cached_tokens: 0, reasoning_tokens: 0 }
const NO_USAGE = { ...USAGE, input_tokens: 0, output_tokens: 0 }
const PASSED = { attempt: 1, command: 'npm test', passed: true, exit_code: 0, duration_ms: 1, output: '', at: '' }
const BASELINE = { command: 'npm test', could_start: true, duration_ms: 1, output: '' }
const FAILED = { ...PASSED, passed: false, exit_code: 1, output: 'one test fails' }
const LIE: Claim = { about: 'file', subject: 'a.ts', verdict: 'contradicted', note: 'git shows no change of it' }
const NO_EVIDENCE = { attempt: 1, claims: [], flags: [] }

const stepAfter = (attempts: readonly Attempt[], more: Partial<DriveState> = {}, action = implement) =>
  nextStep(driveState(attempts, more), activeRun(action))

describe('a run that is not active', () => {
  it.each([
    ['ended', 'finish'],
    ['paused', 'wait'],
    ['stopped', 'wait'],
  ])('%s: %s', (state, step) => {
    expect(nextStep(driveState(), { state } as ProtocolState)).toEqual({ do: step })
  })
})

describe('an attempt', () => {
  it('starts with the prompt of the action', () => {
    expect(stepAfter([], {}, orient)).toEqual({ do: 'attempt', action: orient, purpose: 'action' })
  })

  it('of another action does not count', () => {
    const other = attemptAt({ ...orient, action_id: 'other' } as typeof orient)
    expect(stepAfter([other], {}, orient)).toMatchObject({ do: 'attempt', purpose: 'action' })
  })

  it('without an end is unknown', () => {
    const running = attemptAt(implement, {}, null)
    expect(stepAfter([running])).toEqual({ do: 'note_unknown_end', attempt: running })
  })

  it('with an unknown end is followed by another one', () => {
    expect(stepAfter([attemptAt(implement, {}, { how: 'unknown' })])).toMatchObject({
      do: 'attempt',
      purpose: 'after_unknown_end',
    })
  })

  it('with an unknown end is not repeated for ever: after three in a row a person has to look', () => {
    const unknown = (count: number) =>
      Array.from({ length: count }, (_, at) => attemptAt(implement, { attempt: at + 1 }, { how: 'unknown' }))
    expect(stepAfter(unknown(2))).toMatchObject({ do: 'attempt' })
    expect(stepAfter(unknown(3))).toMatchObject({ do: 'pause', reason: 'killed' })
    expect(stepAfter(unknown(3), { attempts_at_pause: 3 })).toMatchObject({ do: 'attempt' })
    expect(stepAfter(unknown(5), { attempts_at_pause: 3 })).toMatchObject({ do: 'attempt', followUp: { changed: [] } })
    expect(stepAfter(unknown(6), { attempts_at_pause: 3 })).toMatchObject({ do: 'pause', reason: 'killed' })
    const [first, second, third] = unknown(3) as [Attempt, Attempt, Attempt]
    const between = attemptAt(implement, { attempt: 2 }, { how: 'failed' })
    expect(stepAfter([first, between, second, third])).toMatchObject({ do: 'attempt' })
  })

  it('that a limit has ended continues if the limit is higher now', () => {
    expect(stepAfter([attemptAt(implement, {}, { how: 'budget' })])).toMatchObject({
      ...{ do: 'attempt', purpose: 'after_unknown_end', followUp: { changed: [] } },
    })
  })

  it('of an agent that is not logged in is not repeated, unless another driver tries', () => {
    const failed = { how: 'failed', error: 'not logged in; to log in, …', error_code: 'agent_auth_failed' } as const
    const attempts = [attemptAt(implement, {}, failed)]
    expect(stepAfter(attempts)).toMatchObject({
      ...{ do: 'pause', reason: 'agent_failed' },
      message: expect.stringContaining('to log in'),
    })
    expect(stepAfter(attempts, { attempts_before: 1 })).toMatchObject({ do: 'attempt', purpose: 'after_limit' })
  })

  it('whose session is lost is repeated in a new one, for the same reason, and does not count as a failure', () => {
    const lost = { how: 'failed', error: 'claude no longer has session x', error_code: 'session_expired' } as const
    const died = attemptAt(implement, {}, { how: 'failed', error: 'it was killed', error_code: 'agent_failed' })
    const second = attemptAt(implement, { attempt: 2 }, lost)
    expect(stepAfter([second])).toMatchObject({ do: 'attempt', purpose: 'action' })
    expect(stepAfter([died, second])).toMatchObject({
      ...{ do: 'attempt', purpose: 'after_failure', followUp: { error: 'it was killed' } },
    })
    const failing = attemptAt(implement, { checks: [FAILED] })
    expect(stepAfter([failing, second], { options: { ...OPTIONS, checks: ['npm test'] } })).toMatchObject({
      do: 'attempt',
      purpose: 'failed_check',
    })
    expect(stepAfter([died, second, attemptAt(implement, { attempt: 3 }, lost)])).toMatchObject({ do: 'pause' })
  })

  it('that failed is tried again once, also after a later answer', () => {
    const failed = { how: 'failed', error: 'no reason', error_code: 'agent_failed' } as const
    expect(stepAfter([attemptAt(implement, {}, failed)])).toMatchObject({ do: 'attempt', purpose: 'after_failure' })
    const twice = [attemptAt(implement, {}, failed), attemptAt(implement, { attempt: 2 }, failed)]
    expect(stepAfter(twice)).toEqual({ do: 'pause', reason: 'agent_failed', message: 'claude failed: no reason' })
    expect(stepAfter(twice, { attempts_before: 2 })).toMatchObject({ do: 'attempt', purpose: 'after_failure' })
    const between = attemptAt(implement, { attempt: 2, checks: [FAILED] })
    expect(
      stepAfter([attemptAt(implement, {}, failed), between, attemptAt(implement, { attempt: 3 }, failed)]),
    ).toMatchObject({
      purpose: 'after_failure',
    })
  })

  it('that was cancelled pauses, until another driver continues', () => {
    const attempts = [attemptAt(implement, {}, { how: 'cancelled' })]
    expect(stepAfter(attempts)).toMatchObject({ do: 'pause', reason: 'cancelled' })
    expect(stepAfter(attempts, { attempts_before: 1 })).toMatchObject({
      ...{ do: 'attempt', purpose: 'after_unknown_end', followUp: { changed: [] } },
    })
  })

  it('that stalled is told so once; then a person is asked', () => {
    const stalled = { how: 'stalled', error: 'it repeats itself' } as const
    expect(stepAfter([attemptAt(implement, {}, stalled)])).toMatchObject({
      do: 'attempt',
      purpose: 'stalled',
      followUp: { reason: 'it repeats itself' },
    })
    const failed = attemptAt(implement, {}, { how: 'failed' })
    expect(stepAfter([failed, attemptAt(implement, { attempt: 2 }, stalled)])).toMatchObject({ do: 'attempt' })
    const twice = [attemptAt(implement, {}, stalled), attemptAt(implement, { attempt: 2 }, stalled)]
    expect(stepAfter(twice)).toMatchObject({
      do: 'submit',
      by: 'drover',
      outcome: { status: 'needs_input', pause: { reason: 'decision_required' } },
    })
  })

  it.each([
    ['review', review],
    ['summarize', summarize],
  ])('that stalled twice ends a %s with an error, because it cannot ask', (_kind, action) => {
    const stalled = { how: 'stalled', error: 'it repeats itself' } as const
    const twice = [attemptAt(action, {}, stalled), attemptAt(action, { attempt: 2 }, stalled)]
    expect(stepAfter(twice, {}, action)).toMatchObject({ do: 'submit', outcome: { status: 'error' } })
  })
})

describe('an answer without a valid outcome', () => {
  const bad = { problem: 'there is none', said: 'Done!' }

  it('goes back twice, then the outcome is an error with what was said', () => {
    const attempts = [
      attemptAt(orient, {}, bad),
      attemptAt(orient, { attempt: 2, purpose: 'outcome_problem' }, bad),
      attemptAt(orient, { attempt: 3, purpose: 'outcome_problem' }, bad),
    ]
    for (const count of [1, 2]) {
      expect(stepAfter(attempts.slice(0, count), {}, orient)).toMatchObject({
        do: 'attempt',
        purpose: 'outcome_problem',
        followUp: { problem: 'there is none' },
      })
    }
    expect(stepAfter(attempts, {}, orient)).toMatchObject({
      do: 'submit',
      by: 'drover',
      outcome: { status: 'error', observations: ['It said: Done!'] },
    })
  })

  it('goes back with what is wrong with it, twice after the last other attempt', () => {
    const unreadable = { problem: 'it is not JSON' }
    const attempts = [
      attemptAt(orient, {}, { how: 'failed' }),
      attemptAt(orient, { attempt: 2 }, unreadable),
      attemptAt(orient, { attempt: 3, purpose: 'outcome_problem' }, unreadable),
      attemptAt(orient, { attempt: 4, purpose: 'outcome_problem' }, unreadable),
    ]
    expect(stepAfter(attempts.slice(0, 3), {}, orient)).toMatchObject({ followUp: { problem: 'it is not JSON' } })
    expect(stepAfter(attempts, {}, orient)).toMatchObject({ do: 'submit', outcome: { observations: [] } })
  })

  it('goes back too if the run does not accept it', () => {
    const attempts = [attemptAt(orient, { rejected: 'there is no such answer' })]
    expect(stepAfter(attempts, {}, orient)).toMatchObject({ followUp: { problem: 'there is no such answer' } })
  })

  it('that belongs to another action goes back', () => {
    const attempts = [attemptAt(orient, {}, { outcome: outcomeText(orient, { action_id: 'other' }) })]
    expect(stepAfter(attempts, {}, orient)).toMatchObject({ followUp: { problem: expect.stringContaining('not ') } })
  })
})

describe('a valid outcome', () => {
  it('of an orientation is submitted', () => {
    expect(stepAfter([attemptAt(orient)], {}, orient)).toMatchObject({ do: 'submit', by: 'agent' })
  })

  it('of a review is submitted if no file changed', () => {
    const calm = attemptAt(review, {}, { tree: treeOf() })
    expect(stepAfter([calm], {}, review)).toMatchObject({ do: 'submit', by: 'agent' })
    const writing = attemptAt(review, {}, { tree: treeOf({ 'a.ts': '1' }) })
    expect(stepAfter([writing], {}, review)).toMatchObject({ do: 'pause', reason: 'review_changed_files' })
    expect(stepAfter([writing], { attempts_before: 1 }, review)).toMatchObject({ do: 'attempt', purpose: 'action' })
  })

  it('of an implementation that asks is submitted without checks', () => {
    const pause = { reason: 'decision_required', question: 'Knots?', destructive_request: null }
    const outcome = outcomeText(implement, { status: 'needs_input', pause, implementation: null })
    const options = { ...OPTIONS, checks: ['npm test'] }
    expect(stepAfter([attemptAt(implement, {}, { outcome })], { options })).toMatchObject({ do: 'submit' })
  })
})

describe('an implementation', () => {
  const options = { ...OPTIONS, checks: ['npm test', 'npm run lint'] }
  const PASSED_LINT = { ...PASSED, command: 'npm run lint' }

  it('is not told about a failed check that a person has replaced since', () => {
    const failed = { ...PASSED, command: 'npm run old', passed: false, exit_code: 1 }
    const attempt = attemptAt(implement, { checks: [failed, PASSED, PASSED_LINT] })
    expect(stepAfter([attempt], { options })).toMatchObject({ do: 'compare' })
    const compared = { ...attempt, evidence: NO_EVIDENCE }
    expect(stepAfter([compared], { options })).toMatchObject({ do: 'submit', outcome: { known_issues: [] } })
    const checks = [...options.checks, failed.command]
    expect(stepAfter([attempt], { options: { ...options, checks } })).toMatchObject({
      do: 'attempt',
      purpose: 'failed_check',
    })
  })

  it('is checked with every check, then compared, then submitted', () => {
    expect(stepAfter([attemptAt(implement)], { options })).toMatchObject({ do: 'check', command: 'npm test' })
    const once = attemptAt(implement, { checks: [PASSED] })
    expect(stepAfter([once], { options })).toMatchObject({ do: 'check', command: 'npm run lint' })
    const twice = attemptAt(implement, { checks: [PASSED, PASSED_LINT] })
    expect(stepAfter([twice], { options })).toMatchObject({ do: 'compare' })
    expect(stepAfter([{ ...twice, evidence: NO_EVIDENCE }], { options })).toMatchObject({
      do: 'submit',
      outcome: {
        implementation: { attempts: 1, activities: [{}, { command: 'npm test' }, { command: 'npm run lint' }] },
      },
    })
  })

  it('goes back with the output of failed checks, up to the limit; then it is partial', () => {
    const checks = [FAILED, PASSED_LINT]
    const attempts = [1, 2, 3, 4].map((attempt) =>
      attemptAt(implement, { attempt, checks, purpose: attempt === 1 ? 'action' : 'failed_check' }),
    )
    for (const count of [1, 2, 3]) {
      expect(stepAfter(attempts.slice(0, count), { options })).toMatchObject({
        do: 'attempt',
        purpose: 'failed_check',
        followUp: { checks: [{ output: 'one test fails' }] },
      })
    }
    expect(stepAfter(attempts, { options })).toMatchObject({ do: 'compare' })
    const compared = attempts.map((each) => ({ ...each, evidence: NO_EVIDENCE }))
    expect(stepAfter(compared, { options })).toMatchObject({
      do: 'submit',
      outcome: {
        status: 'partial',
        implementation: { result: 'partial', attempts: 4 },
        known_issues: [expect.stringContaining('npm test')],
      },
    })
  })

  it('of a later round goes back only once if the same checks fail with the same output', () => {
    const [first, second] = [1, 2].map((attempt) =>
      attemptAt(implement, {
        attempt,
        checks: [FAILED, PASSED_LINT],
        purpose: attempt === 1 ? 'action' : 'failed_check',
      }),
    ) as [Attempt, Attempt]
    const other = { ...second, checks: [{ ...FAILED, output: 'another test fails' }, PASSED_LINT] }
    const again = { do: 'attempt', purpose: 'failed_check' }
    expect(stepAfter([first], { options, round: 2 })).toMatchObject(again)
    expect(stepAfter([first, other], { options, round: 2 })).toMatchObject(again)
    expect(stepAfter([first, second], { options, round: 2 })).toMatchObject({ do: 'compare' })
    expect(stepAfter([first, second], { options, round: 2, first_round: 2 })).toMatchObject(again)
  })

  it('that could not be done is not checked', () => {
    const { implementation } = JSON.parse(outcomeText(implement))
    const unable = { status: 'error', implementation: { ...implementation, result: 'unable' } }
    const attempt = attemptAt(implement, {}, { outcome: outcomeText(implement, unable) })
    expect(stepAfter([attempt], { options })).toMatchObject({ do: 'compare' })
  })

  it('that could not be done, or has no valid outcome, is checked if it changed files, and never goes back for it', () => {
    const tree = treeOf({ 'a.ts': '1' })
    const { implementation } = JSON.parse(outcomeText(implement))
    const outcome = outcomeText(implement, { status: 'error', implementation: { ...implementation, result: 'unable' } })
    const silent = { problem: 'there is none', tree }
    const cases = [
      { by: 'agent', attempts: [attemptAt(implement, {}, { outcome, tree })] },
      {
        by: 'drover',
        attempts: [1, 2, 3].map((attempt) =>
          attemptAt(implement, { attempt, purpose: attempt === 1 ? 'action' : 'outcome_problem' }, silent),
        ),
      },
    ]
    for (const { by, attempts } of cases) {
      const before = attempts.slice(0, -1)
      const [last] = attempts.slice(-1) as [Attempt]
      expect(stepAfter(attempts, { options })).toMatchObject({ do: 'check', command: 'npm test' })
      const checked = { ...last, checks: [FAILED, PASSED_LINT] }
      expect(stepAfter([...before, checked], { options })).toMatchObject({ do: 'compare' })
      expect(stepAfter([...before, { ...checked, evidence: NO_EVIDENCE }], { options })).toMatchObject({
        do: 'submit',
        by,
        outcome: { status: 'error', known_issues: [expect.stringContaining('npm test')] },
      })
    }
  })

  it('that is contradicted goes back once; then a person sees both sides', () => {
    const evidence = { ...NO_EVIDENCE, claims: [LIE] }
    const first = attemptAt(implement, { evidence })
    expect(stepAfter([first])).toMatchObject({ do: 'attempt', purpose: 'contradiction', followUp: { claims: [LIE] } })
    const second = attemptAt(implement, { attempt: 2, purpose: 'contradiction', evidence })
    expect(stepAfter([first, second])).toMatchObject({
      do: 'submit',
      by: 'drover',
      outcome: {
        status: 'needs_input',
        pause: { question: expect.stringMatching(/a\.ts is reported as changed: git shows no change/) },
      },
    })
    const failing = { ...second, checks: [FAILED, PASSED_LINT] }
    const ends = [
      [[], '- `npm test` ended with exit code 1\n'],
      [[{ ...BASELINE, passed: false }], '- `npm test` ended with exit code 1; it was already failing before the work'],
      [[{ ...BASELINE, passed: true }], '- `npm test` ended with exit code 1; it passed before the work'],
    ] as const
    for (const [baseline, end] of ends) {
      const step = stepAfter([first, failing], { options: { ...options, attempts: 0 }, baseline })
      const question = step.do === 'submit' ? (step.outcome.pause?.question ?? '') : ''
      expect(question).toContain(`These checks fail:\n\n${end}`)
      expect(question).toMatch(
        /`drover drive \S+ --check "COMMAND"`\. `drover stop \S+` .* `drover discard \S+` removes it\.$/,
      )
    }
  })

  it('with claims that nothing shows is submitted', () => {
    const evidence = { ...NO_EVIDENCE, claims: [{ ...LIE, verdict: 'claimed' as const }] }
    expect(stepAfter([attemptAt(implement, { evidence })])).toMatchObject({ do: 'submit', by: 'agent' })
  })
})

describe('a limit', () => {
  const used = attemptAt(
    implement,
    { evidence: NO_EVIDENCE },
    { usage: USAGE, cost_microusd: 500_000, duration_ms: 1000 },
  )
  const bad = attemptAt(
    implement,
    {},
    { problem: 'there is none', usage: USAGE, cost_microusd: 500_000, duration_ms: 1000 },
  )

  it.each([
    ['max_tokens', { max_tokens: 100 }, { max_tokens: 101 }],
    ['max_cost', { max_cost_microusd: 500_000 }, { max_cost_microusd: 500_001 }],
    ['max_time', { max_time_ms: 1000 }, { max_time_ms: 1001 }],
  ])('%s pauses when it is reached, and not before', (reason, reached, notReached) => {
    const message = expect.stringContaining(`continue with a higher --${reason.replace('_', '-')}`)
    expect(stepAfter([bad], { options: { ...OPTIONS, ...reached } })).toEqual({ do: 'pause', reason, message })
    expect(stepAfter([bad], { options: { ...OPTIONS, ...notReached } })).toMatchObject({ do: 'attempt' })
  })

  it('of costs pauses after an attempt of unknown cost, until it is another limit', () => {
    const options = { ...OPTIONS, max_cost_microusd: 500_000 }
    const unknown = attemptAt(implement, {}, { problem: 'there is none', usage: USAGE, model: 'mine' })
    const step = stepAfter([unknown], { options })
    expect(step).toMatchObject({ do: 'pause', reason: 'cost_unknown' })
    expect(step).toMatchObject({
      message: expect.stringMatching(/^what claude \(mine\) has cost in attempt 1 is not known/),
    })
    expect(step).toMatchObject({ message: expect.stringContaining('a higher --max-cost continues') })
    expect(stepAfter([unknown], { options, attempts_accepted: 1 })).toMatchObject({ do: 'attempt' })
    const limited = attemptAt(implement, {}, { problem: 'there is none', usage: NO_USAGE })
    expect(stepAfter([limited], { options })).toMatchObject({ do: 'attempt' })
  })

  it('of costs pauses if the model of an agent has no price, until it is driven again', () => {
    const error = 'the model mine has no price'
    const stopped = attemptAt(implement, {}, { how: 'budget', error, error_code: 'cost_unknown', usage: NO_USAGE })
    const options = { ...OPTIONS, max_cost_microusd: 500_000 }
    expect(stepAfter([stopped], { options })).toEqual({ do: 'pause', reason: 'cost_unknown', message: error })
    expect(stepAfter([stopped], { options, attempts_before: 1 })).toMatchObject({ do: 'attempt' })
  })

  it('lets work that is paid for be submitted', () => {
    expect(stepAfter([used], { options: { ...OPTIONS, max_tokens: 100 } })).toMatchObject({ do: 'submit' })
  })

  it('counts what earlier rounds have used', () => {
    const spent = { tokens: 100, cost_microusd: 0, time_ms: 0 }
    expect(stepAfter([], { spent, options: { ...OPTIONS, max_tokens: 100 } })).toMatchObject({ reason: 'max_tokens' })
  })

  it.each([
    ['total_tokens', { max_tokens: 100 }, { max_tokens: 101 }],
    ['total_cost', { max_cost_microusd: 500_000 }, { max_cost_microusd: 500_001 }],
  ])('%s of all runs together pauses when it is reached, and not before', (reason, reached, notReached) => {
    const spent = { tokens: 100, cost_microusd: 500_000, time_ms: 0 }
    const step = (caps: object) => nextStep(driveState([bad]), activeRun(implement), { spent, caps })
    const message = expect.stringContaining(`continue with a higher --${reason.replace('_', '-')}`)
    expect(step(reached)).toEqual({ do: 'pause', reason, message })
    expect(step(notReached)).toMatchObject({ do: 'attempt' })
  })
})

it('a run starts on the branch of the run before it, once, and before it is prepared', () => {
  const options = { ...OPTIONS, setup: ['npm ci'] }
  const place = { kind: 'worktree', root: '/w', branch: 'b', base: 'c0', repository: '/r' } as const
  expect(stepAfter([], { after: 'run-0', options, place })).toEqual({ do: 'start_on', after: 'run-0' })
  const started_on = { run_id: 'run-0', commit: 'c1' }
  expect(stepAfter([], { after: 'run-0', started_on, options, place })).toEqual({ do: 'prepare' })
})

it('a run that another machine took is prepared there again, once, and its checks do not run before the work', () => {
  const options = { ...OPTIONS, setup: ['npm ci'], baseline: 'require' as const }
  const place = { kind: 'worktree', root: '/w', branch: 'b', base: 'c0', repository: '/r' } as const
  const ended = attemptAt(implement, {}, { problem: 'there is none' })
  const moved = { from: 'one', to: 'two', at: '2026-01-31T09:30:00Z', attempts: 1 }
  expect(stepAfter([ended], { options, place })).toMatchObject({ do: 'attempt' })
  expect(stepAfter([ended], { options, place, moved })).toEqual({ do: 'prepare' })
  const prepared = { from: 'setup' as const, copied: [], notes: [], duration_ms: 1 }
  expect(stepAfter([ended], { options, place, moved, prepared })).toMatchObject({ do: 'attempt' })
  const setup_failed = { command: 'npm ci', output: '', duration_ms: 1 }
  expect(stepAfter([ended], { options, place, moved, setup_failed })).toMatchObject({ reason: 'setup_failed' })
})
