import { describe, expect, it } from 'vitest'
import { attemptAt, OPTIONS } from '../../../test/support/drive-fixture.ts'
import { action, IMPLEMENT, type VerdictRow, verdictOf } from '../../../test/support/verdict-facts.ts'

type Row = [string, VerdictRow, number | undefined, string, string]

describe('the verdict, if', () => {
  const ROWS: Row[] = [
    [
      'an agent works',
      { state: 'active', attempts: [attemptAt(IMPLEMENT, {}, null)], facts: { isDriven: true } },
      undefined,
      'running: claude works on implement',
      'drover status run-1 --watch',
    ],
    ...(
      [
        [1, 'retries since 2026-01-31T09:00:00.000Z: refused'],
        [2, 'retries since 2026-01-31T09:00:00.000Z, 2 times so far: refused'],
      ] as const
    ).map(([count, words]): Row => {
      const retrying = { attempt: 1, count, since: '2026-01-31T09:00:00.000Z', message: 'refused' }
      return [
        `an agent retries (${count})`,
        { state: 'active', attempts: [attemptAt(IMPLEMENT, { retrying }, null)], facts: { isDriven: true } },
        undefined,
        `running: claude works on implement, and ${words}`,
        'drover status run-1 --watch',
      ]
    }),
    [
      'a check runs',
      { state: 'active', run: { current_action: { kind: 'implement' } }, facts: { isDriven: true } },
      undefined,
      'running: drover works on implement',
      'drover status run-1 --watch',
    ],
    [
      'it is queued',
      { state: 'active', drive: { is_queued: true } },
      undefined,
      'queued: waits for its turn',
      'drover drive --queue',
    ],
    [
      'it starts after another run',
      { state: 'active', drive: { is_queued: true, after: 'run-0' } },
      undefined,
      'queued: starts on the branch of run-0, when that is delivered',
      'drover drive --queue',
    ],
    [
      'all runs together have used what they may use',
      { state: 'active', drive: { paused: { reason: 'total_tokens', message: 'it is reached' } } },
      4,
      'paused by limit: it is reached',
      'drover drive run-1 --total-tokens N',
    ],
    ['it is delivered now', { facts: { isDriven: true } }, undefined, 'running', 'drover status run-1 --watch'],
    [
      'its driver was killed',
      { state: 'active' },
      undefined,
      'not driven (killed 2 h ago): drover drive run-1',
      'drover drive run-1',
    ],
    [
      'a person has answered since its driver stopped',
      {
        state: 'active',
        actions: [action({ question: 'Knots?' })],
        attempts: [attemptAt(IMPLEMENT, { action_id: 'implement-1' })],
      },
      undefined,
      'not driven (answered 2 h ago): drover drive run-1',
      'drover drive run-1',
    ],
    [
      'its driver was killed after an answer',
      {
        state: 'active',
        actions: [action({ question: 'Knots?' })],
        attempts: [
          attemptAt(IMPLEMENT, { action_id: 'implement-1' }),
          attemptAt(IMPLEMENT, { attempt: 2, action_id: 'implement-2' }, null),
        ],
      },
      undefined,
      'not driven (killed 2 h ago): drover drive run-1',
      'drover drive run-1',
    ],
    [
      'its driver was interrupted',
      { state: 'active', attempts: [attemptAt(IMPLEMENT, {}, { how: 'cancelled', at: '2026-01-31T11:58:00.000Z' })] },
      undefined,
      'not driven (interrupted 2 min ago): drover drive run-1',
      'drover drive run-1',
    ],
    [
      'its driver was interrupted after a step',
      {
        state: 'active',
        attempts: [attemptAt(IMPLEMENT, {}, { at: '2026-01-31T11:50:00.000Z' })],
        drive: { interrupted_at: '2026-01-31T11:58:00.000Z' },
      },
      undefined,
      'not driven (interrupted 2 min ago): drover drive run-1',
      'drover drive run-1',
    ],
    [
      'its driver was interrupted before the first attempt',
      { state: 'active', drive: { interrupted_at: '2026-01-31T11:58:00.000Z' } },
      undefined,
      'not driven (interrupted 2 min ago): drover drive run-1',
      'drover drive run-1',
    ],
    [
      'its driver was killed before the delivery',
      {},
      undefined,
      'not driven (killed 2 h ago): drover drive run-1',
      'drover drive run-1',
    ],
    [
      'it was killed days ago',
      { facts: { now: new Date('2026-02-03T10:00:00.000Z') } },
      undefined,
      'not driven (killed 3 d ago): drover drive run-1',
      'drover drive run-1',
    ],
    [
      'a further run works on it',
      { drive: { next_run_id: 'run-2' } },
      undefined,
      'continued as run-2',
      'drover status run-2',
    ],
    [
      'a person stopped it while it asked',
      { state: 'stopped', actions: [action({ question: 'Knots?' })] },
      4,
      'waits for you: the run was stopped, and its question withdrawn; when it continues, the agent looks again, and asks again if it has to',
      'drover drive run-1',
    ],
    ['a person stopped it', { state: 'stopped' }, 4, 'waits for you: the run was stopped', 'drover drive run-1'],
    [
      'a person stopped it, and its driver is about to end',
      { state: 'stopped', facts: { isDriven: true } },
      ...([4, 'waits for you: the run was stopped', 'drover drive run-1'] as const),
    ],
    [
      'it asks',
      {
        state: 'paused',
        actions: [action({ question: 'Knots\u001b or\nkm/h?' })],
        run: { pause_reason: 'decision_required' },
      },
      4,
      'waits for you: Knots or km/h?',
      'drover answer run-1 "TEXT"',
    ],
    [
      'it asks to destroy something',
      {
        state: 'paused',
        actions: [action({ question: 'Delete?' })],
        run: { pause_reason: 'destructive_confirmation_required' },
      },
      4,
      'waits for you: Delete?',
      'drover answer run-1',
    ],
    [
      'something is missing',
      {
        state: 'paused',
        actions: [action({ question: 'No network.' })],
        run: { pause_reason: 'environment_unavailable' },
      },
      4,
      'waits for you: something is missing: No network.',
      'drover drive run-1',
    ],
    [
      'its issue was edited',
      { state: 'paused', run: { source_candidate: {} } },
      4,
      'waits for you: the issue has changed',
      'drover continue run-1 --use-pinned',
    ],
    [
      'all actions are used',
      { state: 'paused', run: { pause_reason: 'budget_exhausted' } },
      4,
      'paused by limit: the run has used all of its actions',
      'drover drive run-1 --actions 8',
    ],
    [
      'its tokens are used',
      { state: 'active', drive: { paused: { reason: 'max_tokens', message: 'no tokens left' } } },
      4,
      'paused by limit: no tokens left',
      'drover drive run-1 --max-tokens N',
    ],
    ...(
      [
        ['max_tokens', { max_tokens: 1000 }, { tokens: 1000 }, '--max-tokens 2000'],
        ['max_tokens', { max_tokens: 1000 }, { tokens: 1001 }, '--max-tokens 3000'],
        ['max_tokens', { max_tokens: 1000 }, { tokens: 0 }, '--max-tokens 2000'],
        ['max_cost', { max_cost_microusd: 500_000 }, { cost_microusd: 500_001 }, '--max-cost 1.5'],
        ['max_time', { max_time_ms: 3_600_000 }, { time_ms: 3_600_000 }, '--max-time 120m'],
        ['max_time', { max_time_ms: 1000 }, { time_ms: 1000 }, '--max-time 1m'],
      ] as const
    ).map(([reason, limit, used, flag]): Row => {
      const spent = { tokens: 0, cost_microusd: 0, time_ms: 0, ...used }
      const drive = { paused: { reason, message: 'no more' }, options: { ...OPTIONS, ...limit }, spent }
      const title = `a limit is reached (${flag}, ${JSON.stringify(used)})`
      return [title, { state: 'active', drive }, 4, 'paused by limit: no more', `drover drive run-1 ${flag}`]
    }),
    [
      'its money is used',
      { state: 'active', drive: { paused: { reason: 'max_cost', message: 'no money left' } } },
      4,
      'paused by limit: no money left',
      'drover drive run-1 --max-cost USD',
    ],
    [
      'a budget is spent',
      { state: 'active', drive: { paused: { reason: 'budget_spent', message: 'it resets tomorrow' } } },
      4,
      'paused by limit: it resets tomorrow',
      'drover drive run-1',
    ],
    [
      'its time is used',
      { state: 'active', drive: { paused: { reason: 'max_time', message: 'no time left' } } },
      4,
      'paused by limit: no time left',
      'drover drive run-1 --max-time TIME',
    ],
    [
      'the agent fails',
      { state: 'active', drive: { paused: { reason: 'agent_failed', message: 'claude failed: log in' } } },
      4,
      'waits for you: claude failed: log in',
      'drover drive run-1',
    ],
    [
      'a check cannot run before the work',
      {
        state: 'active',
        drive: {
          paused: { reason: 'baseline_failed', message: 'it cannot run' },
          baseline: [{ command: 'make', passed: false, could_start: false, duration_ms: 1, output: '' }],
        },
      },
      4,
      'waits for you: it cannot run',
      'drover drive run-1 --check "COMMAND"',
    ],
    [
      'a check fails before the work',
      { state: 'active', drive: { paused: { reason: 'baseline_failed', message: 'it fails' } } },
      4,
      'waits for you: it fails',
      'drover drive run-1 --baseline note',
    ],
    [
      'the setup fails',
      { state: 'active', drive: { paused: { reason: 'setup_failed', message: 'the setup failed' } } },
      4,
      'waits for you: the setup failed',
      'drover drive run-1',
    ],
    [
      'a server cannot continue it',
      { state: 'active', facts: { problem: { message: 'the key is revoked' } } },
      3,
      'not delivered: the key is revoked',
      'drover drive run-1',
    ],
  ]

  it.each(ROWS)('%s', (_name, row, exitCode, line, next) => {
    const verdict = verdictOf(row)
    expect([verdict.exit_code, verdict.line, verdict.next]).toEqual([exitCode, line, next])
    expect(verdict.line.startsWith(verdict.word)).toBe(true)
  })

  it('names commands with the name that it is given', () => {
    expect(verdictOf({ state: 'active', facts: { name: 'run' } }).next).toBe('drover drive run')
  })

  it('is one line of at most 400 characters, whatever an agent writes', () => {
    const question = `${'wind '.repeat(100)}\n\u0007`
    const run = { pause_reason: 'decision_required' }
    const { line } = verdictOf({ state: 'paused', actions: [action({ question })], run })
    expect([line.length, line.endsWith('…'), line.includes('\u0007')]).toEqual([400, true, false])
  })
})
