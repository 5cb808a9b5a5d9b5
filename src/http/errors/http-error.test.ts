import { describe, expect, it } from 'vitest'
import { gitMissing } from '../../workspace/faults.ts'
import {
  backendExecutionFailed,
  upstreamOutOfCredit,
  upstreamOverloaded,
  upstreamRateLimited,
  upstreamUsageLimited,
} from './faults.ts'
import { toHttpError } from './http-error.ts'

const FAILED = { backend: 'claude', reason: 'no', agentCode: 'agent_failed' }

describe('the headers of a refusal by the model service', () => {
  it.each([
    ['a rate limit', upstreamRateLimited({ ...FAILED, retryAfterSecs: 7 }), 429, '7', 'true'],
    ['a rate limit for an unknown time', upstreamRateLimited(FAILED), 429, '5', 'true'],
    ['a used-up plan', upstreamUsageLimited({ ...FAILED, retryAfterSecs: 7200 }), 429, '7200', 'false'],
    ['a used-up plan with an unknown reset', upstreamUsageLimited(FAILED), 429, undefined, 'false'],
    ['an account without credit', upstreamOutOfCredit(FAILED), 402, undefined, 'false'],
    ['an overloaded service', upstreamOverloaded(FAILED), 503, '5', 'true'],
    ['a failed agent', backendExecutionFailed(FAILED), 500, undefined, 'false'],
    ['a program that is missing', gitMissing({}), 503, undefined, 'false'],
    ['a bug', new Error('no'), 500, undefined, 'false'],
  ])('for %s', (_, fault, status, retryAfter, shouldRetry) => {
    const { headers, ...error } = toHttpError(fault)
    expect([error.status, headers['retry-after'], headers['x-should-retry']]).toEqual([status, retryAfter, shouldRetry])
  })
})
