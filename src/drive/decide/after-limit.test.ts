import { describe, expect, it } from 'vitest'
import { actionOf, activeRun, attemptAt, driveState, OPTIONS } from '../../../test/support/drive-fixture.ts'
import type { Attempt, DriveState } from '../record/drive-state.ts'
import type { Options } from '../record/recorded-options.shape.ts'
import { agentInCharge, describeLimit, limitOf } from './after-limit.ts'
import { nextStep } from './next-step.ts'

const implement = actionOf('implement')
const review = actionOf('review')
const HOUR = 3_600_000
const FAILED_CHECK = {
  attempt: 1,
  command: 'npm test',
  passed: false,
  exit_code: 1,
  duration_ms: 1,
  output: '',
  at: '',
}

/** Attempts end at 10:00, one after the other in minutes. */
const at = (minute: number) => `2026-01-31T10:${String(minute).padStart(2, '0')}:00.000Z`

type Limited = { number?: number; code?: string; backend?: string; waitMs?: number; minute?: number }

function limited({ number = 1, code = 'agent_usage_limited', waitMs, minute = 0, ...more }: Limited = {}): Attempt {
  const wait = waitMs === undefined ? {} : { retry_after_ms: waitMs }
  const end = { how: 'failed', error: 'limit reached', error_code: code, at: at(minute), ...wait } as const
  return attemptAt(implement, { attempt: number, ...more }, end)
}

const stepAfter = (attempts: readonly Attempt[], options: Partial<Options>, more: Partial<DriveState> = {}) =>
  nextStep(driveState(attempts, { options: { ...OPTIONS, ...options }, ...more }), activeRun(implement))

describe('a usage limit', () => {
  it('is waited for until its reset and a margin of a tenth, at least a second and at most a minute', () => {
    const until = (waitMs: number) => stepAfter([limited({ waitMs })], { on_limit: 'wait' })
    expect(until(HOUR)).toMatchObject({ do: 'wait_for_limit', backend: 'claude', until: '2026-01-31T11:01:00.000Z' })
    expect(until(100_000)).toMatchObject({ until: '2026-01-31T10:01:50.000Z' })
    expect(until(0)).toMatchObject({ until: '2026-01-31T10:00:01.000Z' })
  })

  it('without a reset time is waited for, longer each time', () => {
    const minutes = [1, 2, 3, 4, 5, 6].map((count) => {
      const attempts = Array.from({ length: count }, (_, index) => limited({ number: index + 1 }))
      const step = stepAfter(attempts, { on_limit: 'wait' }, { attempts_at_wait: count - 1 })
      return step.do === 'wait_for_limit' ? Math.floor((Date.parse(step.until) - Date.parse(at(0))) / 60_000) : step
    })
    expect(minutes).toEqual([1, 5, 16, 31, 61, 61])
  })

  it('says that the time is a guess exactly if the agent named none', () => {
    const [told, guessed] = [limited({ waitMs: HOUR }), limited()]
    expect(stepAfter([told], { on_limit: 'wait' })).not.toHaveProperty('is_guess')
    expect(stepAfter([guessed], { on_limit: 'wait' })).toMatchObject({ do: 'wait_for_limit', is_guess: true })
    expect(describeLimit(limitOf(told, 1))).toBe('claude is limited until 2026-01-31T11:01:00.000Z: limit reached')
    expect(describeLimit(limitOf(guessed, 1))).toBe(
      'claude is limited; reset time unknown, tries again at 2026-01-31T10:01:06.000Z: limit reached',
    )
    expect(limitOf(limited({ code: 'agent_out_of_credit' }), 1)).not.toHaveProperty('is_guess')
  })

  it('is not waited for longer than allowed, counted from the first failure in a row', () => {
    const wait = (max_wait_ms: number, attempts: readonly Attempt[]) =>
      stepAfter(attempts, { on_limit: 'wait', max_wait_ms }, { attempts_at_wait: attempts.length - 1 })
    const once = [limited({ waitMs: HOUR })]
    expect(wait(HOUR + 60_000, once)).toMatchObject({ do: 'wait_for_limit' })
    expect(wait(HOUR + 59_999, once)).toMatchObject({
      ...{ do: 'pause', reason: 'agent_limited', message: expect.stringContaining('drive.max_wait_secs') },
    })
    const twice = [limited(), limited({ number: 2, minute: 30, waitMs: HOUR })]
    expect(wait(1.5 * HOUR + 59_999, twice)).toMatchObject({ do: 'pause' })
    expect(wait(1.5 * HOUR + 60_000, twice)).toMatchObject({ do: 'wait_for_limit' })
  })

  it('pauses if that is wanted, and in runs from before there was a choice', () => {
    for (const options of [{ on_limit: 'pause' } as const, {}]) {
      expect(stepAfter([limited({ waitMs: HOUR })], options)).toEqual({
        ...{ do: 'pause', reason: 'agent_limited' },
        message: 'claude is limited until 2026-01-31T11:01:00.000Z: limit reached',
      })
    }
  })

  it('is asked about once', () => {
    const step = stepAfter([limited({ waitMs: HOUR })], { on_limit: 'ask', fallback: ['codex'] })
    expect(step).toMatchObject({ do: 'decide_limit', next: 'codex', limit: { until: '2026-01-31T11:01:00.000Z' } })
    const decided = (limit_choice: 'wait' | 'next' | 'pause') =>
      stepAfter([limited({ waitMs: HOUR })], { on_limit: 'ask', fallback: ['codex'] }, { limit_choice }).do
    expect([decided('wait'), decided('next'), decided('pause')]).toEqual(['wait_for_limit', 'hand_over', 'pause'])
  })

  it('is over after the wait: the same session continues', () => {
    const step = stepAfter([limited({ waitMs: HOUR })], { on_limit: 'wait' }, { attempts_at_wait: 1 })
    expect(step).toMatchObject({ do: 'attempt', purpose: 'after_limit', followUp: { error: 'limit reached' } })
  })

  it('does not change what was wanted of the attempt', () => {
    const failing = attemptAt(implement, { checks: [FAILED_CHECK] })
    const attempts = [failing, limited({ number: 2, waitMs: 1000 }), limited({ number: 3, waitMs: 1000 })]
    const step = stepAfter(attempts, { on_limit: 'wait', checks: ['npm test'] }, { attempts_at_wait: 3 })
    expect(step).toMatchObject({ purpose: 'after_limit', followUp: { wanted: { why: 'failed_check' } } })
  })

  it('is waited for by the driver that comes after one that was killed, and tried again after a pause', () => {
    const killed = { attempts_before: 1 }
    expect(stepAfter([limited({ waitMs: HOUR })], { on_limit: 'wait' }, killed)).toMatchObject({ do: 'wait_for_limit' })
    const waiting = { backend: 'claude', code: 'agent_usage_limited', until: at(59) }
    expect(stepAfter([limited()], { on_limit: 'wait' }, { ...killed, waiting })).toEqual({
      ...{ do: 'wait_for_limit', ...waiting },
    })
    const paused = { ...killed, attempts_at_pause: 1 }
    expect(stepAfter([limited({ waitMs: HOUR })], { on_limit: 'wait' }, paused)).toMatchObject({ do: 'attempt' })
  })
})

describe('an outage', () => {
  it.each(['agent_overloaded', 'agent_service_failed', 'agent_unreachable'])(
    '%s is tried again, then waited for',
    (code) => {
      const options = { on_limit: 'wait' } as const
      expect(stepAfter([limited({ code })], options)).toMatchObject({ do: 'attempt', purpose: 'after_failure' })
      const twice = [limited({ code }), limited({ code, number: 2 })]
      expect(stepAfter(twice, options)).toMatchObject({ do: 'wait_for_limit', until: '2026-01-31T10:05:30.000Z' })
    },
  )
})

describe('what time does not cure', () => {
  it.each(['agent_out_of_credit', 'agent_auth_failed'])('%s never waits', (code) => {
    for (const on_limit of ['ask', 'wait', 'next', 'pause'] as const) {
      expect(stepAfter([limited({ code, waitMs: 1000 })], { on_limit })).toEqual({
        ...{ do: 'pause', reason: 'agent_failed', message: 'claude failed: limit reached' },
      })
    }
    expect(stepAfter([limited({ code })], { on_limit: 'next', fallback: ['codex'] })).toMatchObject({ to: 'codex' })
    expect(stepAfter([limited({ code })], { on_limit: 'wait' }, { attempts_before: 1 })).toMatchObject({
      do: 'attempt',
    })
  })
})

describe('a hand-over', () => {
  const options = { on_limit: 'next', fallback: ['codex', 'gemini'] } as const

  it('goes to the next agent, which learns why', () => {
    const first = limited({ waitMs: HOUR })
    expect(stepAfter([first], options)).toEqual({
      do: 'hand_over',
      attempt: first,
      to: 'codex',
      code: first.ended?.error_code,
    })
    const step = stepAfter([{ ...first, handed_to: 'codex' }], options, { handed_to: { work: 'codex' } })
    expect(step).toMatchObject({
      ...{ do: 'attempt', purpose: 'hand_over', followUp: { from: 'claude', error: 'limit reached' } },
    })
  })

  it('skips agents that are limited themselves, and returns to one whose limit is over', () => {
    const claude = { ...limited({ waitMs: 60_000 }), handed_to: 'codex' }
    const codex = (minute: number) => limited({ number: 2, backend: 'codex', minute, waitMs: HOUR })
    expect(stepAfter([claude, codex(1)], options)).toMatchObject({ do: 'hand_over', to: 'gemini' })
    expect(stepAfter([claude, codex(2)], options)).toMatchObject({ do: 'hand_over', to: 'claude' })
  })

  it('waits for the limit that is over first if all agents are limited', () => {
    const claude = { ...limited({ waitMs: 2 * HOUR }), handed_to: 'codex' }
    const codex = { ...limited({ number: 2, backend: 'codex', minute: 1, waitMs: HOUR }), handed_to: 'gemini' }
    const gemini = limited({ number: 3, backend: 'gemini', minute: 2, waitMs: 3 * HOUR })
    expect(stepAfter([claude, codex, gemini], options)).toMatchObject({ do: 'hand_over', to: 'codex' })
    const handed = [claude, codex, { ...gemini, handed_to: 'codex' }]
    expect(stepAfter(handed, options)).toMatchObject({ do: 'wait_for_limit', backend: 'codex' })
    const soon = limited({ number: 3, backend: 'gemini', minute: 2, waitMs: 1000 })
    expect(stepAfter([claude, codex, soon], options)).toMatchObject({ do: 'wait_for_limit', backend: 'gemini' })
  })

  it('also follows a fallback that fails twice for another reason, but not the first agent', () => {
    const claude = { ...limited({ waitMs: HOUR }), handed_to: 'codex' }
    const broken = (number: number) => limited({ number, backend: 'codex', code: 'agent_failed', minute: number })
    expect(stepAfter([claude, broken(2)], options)).toMatchObject({ do: 'attempt', purpose: 'after_failure' })
    expect(stepAfter([claude, broken(2), broken(3)], options)).toMatchObject({ do: 'hand_over', to: 'gemini' })
    const own = [1, 2].map((number) => limited({ number, code: 'agent_failed' }))
    expect(stepAfter(own, options)).toMatchObject({ do: 'pause', reason: 'agent_failed' })
  })

  it('pauses if no agent is left that time would help', () => {
    const claude = { ...limited({ code: 'agent_out_of_credit' }), handed_to: 'codex' }
    const codex = limited({ number: 2, backend: 'codex', code: 'agent_auth_failed', minute: 1 })
    expect(stepAfter([claude, codex], { ...options, fallback: ['codex'] })).toMatchObject({
      ...{ do: 'pause', reason: 'agent_failed' },
    })
  })

  it('of a review does not change who works', () => {
    const state = driveState([], { options: { ...OPTIONS, model: 'm' }, handed_to: { review: 'gemini' } })
    expect(agentInCharge(review.kind, state)).toEqual({ backend: 'gemini' })
    expect(agentInCharge(implement.kind, state)).toEqual({ backend: 'claude', model: 'm' })
  })
})

describe('a budget that is spent', () => {
  const spent = (waitMs?: number) => limited({ code: 'budget_spent', ...(waitMs !== undefined && { waitMs }) })

  it('is waited for until it resets, never handed to another agent', () => {
    const wait = { do: 'wait_for_limit', backend: 'claude', until: '2026-01-31T11:00:00.000Z' }
    expect(stepAfter([spent(HOUR)], { on_limit: 'wait' })).toMatchObject(wait)
    expect(stepAfter([spent(HOUR)], { on_limit: 'next', fallback: ['codex'] })).toMatchObject(wait)
  })

  it('is asked again by the next driver, for which its limit may be another one', () => {
    expect(stepAfter([spent(HOUR)], { on_limit: 'wait' }, { attempts_before: 1 })).toMatchObject({ do: 'attempt' })
    expect(stepAfter([limited({ waitMs: HOUR })], { on_limit: 'wait' }, { attempts_before: 1 })).toMatchObject({
      do: 'wait_for_limit',
    })
  })

  it.each([
    ['it is not to wait', spent(HOUR), { on_limit: 'pause' }],
    ['the budget never resets', spent(), { on_limit: 'wait' }],
    ['it would wait for too long', spent(HOUR), { on_limit: 'wait', max_wait_ms: 60_000 }],
  ] as const)('pauses the run with its reason if %s', (_, attempt, options) => {
    const message = expect.not.stringContaining('another agent')
    expect(stepAfter([attempt], options)).toMatchObject({ do: 'pause', reason: 'budget_spent', message })
  })
})
