/**
 * What claude, codex and gemini really printed when the model service refused them for their plan, their credit, their rate
 * of requests or its own load: one row for each recording in test/recordings/limits. They were made on 17 November 2026, in UTC.
 */
import { describe, expect, it } from 'vitest'
import { readRecording, recordingNames, replay } from '../../test/support/replay-recording.ts'
import { NATIVE_BACKENDS, type NativeBackend } from './adapter/agent.ts'
import { NATIVE_AGENTS } from './registry.ts'

/** Three hours before the reset that the model service named. */
const NOW = new Date('2026-11-17T21:00:00Z')
const RESET_SECS = 3 * 3600

type Row = [recording: string, code: string, retryAfterSecs: number | undefined, message: RegExp]

const ROWS: Record<NativeBackend, readonly Row[]> = {
  claude: [
    ['credit', 'agent_out_of_credit', undefined, /^Credit balance is too low$/],
    ['overload', 'agent_overloaded', 1, /^API Error: 529 Overloaded/],
    ['paid', 'agent_out_of_credit', undefined, /^API Error: 402 There is an issue with your billing/],
    ['rate', 'agent_rate_limited', 20, /^API Error: Request rejected \(429\)/],
    ['usage', 'agent_usage_limited', RESET_SECS, /^You've hit your session limit · resets 12am \(UTC\)$/],
    // With a key, claude tells nothing about a plan.
    ['usage-key', 'agent_rate_limited', undefined, /^API Error: Request rejected \(429\)/],
  ],
  codex: [
    ['credit', 'agent_out_of_credit', undefined, /^Quota exceeded\. Check your plan and billing details\.$/],
    ['overload', 'agent_overloaded', undefined, /^Selected model is at capacity/],
    ['paid', 'agent_out_of_credit', undefined, /^unexpected status 402 Payment Required: Insufficient Balance/],
    ['rate', 'agent_rate_limited', undefined, /^exceeded retry limit, last status: 429 Too Many Requests$/],
    [
      'usage',
      'agent_usage_limited',
      RESET_SECS,
      /^You’ve hit your usage limit.* or try again at Nov 18th, 2026 12:00 AM\.$/,
    ],
  ],
  gemini: [
    ['credit', 'agent_out_of_credit', undefined, /^\[API Error: Your prepayment credits are depleted\./],
    ['overload', 'agent_overloaded', undefined, /^\[API Error: The model is overloaded\./],
    ['paid', 'agent_out_of_credit', undefined, /Payment required/],
    ['rate', 'agent_rate_limited', 21, /^\[API Error: You exceeded your current quota, .* Quota exceeded for metric/s],
    // The reset is at midnight, but gemini does not say so.
    ['usage', 'agent_usage_limited', undefined, /^\[API Error: You have exhausted your daily quota on this model\.\]/],
  ],
}

describe.each(NATIVE_BACKENDS)('a refusal that %s reports', (backend) => {
  it.each(ROWS[backend])('%s is %s, and over in %s s', (name, code, retryAfterSecs, message) => {
    const { result } = replay(NATIVE_AGENTS[backend], readRecording(`limits/${backend}`, name), { now: NOW })
    expect(result.error).toMatchObject({ code, message: expect.stringMatching(message) })
    expect(result.error?.retryAfterSecs).toBe(retryAfterSecs)
  })

  it('has a row for each recording', () => {
    expect(ROWS[backend].map(([name]) => name)).toEqual(recordingNames(`limits/${backend}`))
  })
})
