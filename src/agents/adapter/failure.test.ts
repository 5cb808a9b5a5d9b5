import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type AgentFailure, classifyFailure, FAILURES, type FailureCode } from './failure.ts'

describe('classifyFailure', () => {
  it.each<[AgentFailure, FailureCode]>([
    [{ message: 'x', status: 401 }, 'agent_auth_failed'],
    [{ message: 'x', status: 403 }, 'agent_auth_failed'],
    [{ message: 'x', status: 429 }, 'agent_rate_limited'],
    [{ message: 'x', status: 499 }, 'agent_failed'],
    [{ message: 'x', status: 500 }, 'agent_service_failed'],
    [{ message: 'x', status: 503 }, 'agent_overloaded'],
    [{ message: 'x', status: 400 }, 'agent_request_rejected'],
    [{ message: 'API key not valid', status: 400 }, 'agent_auth_failed'],
    [{ message: 'x', status: 529 }, 'agent_overloaded'],
    [{ message: 'x', status: 599 }, 'agent_service_failed'],
    [{ message: 'x', status: 600 }, 'agent_failed'],
    [{ message: 'quota exceeded', status: 400 }, 'agent_rate_limited'],
    [{ message: 'unexpected status 503 Service Unavailable' }, 'agent_overloaded'],
    [{ message: 'API Error: 529 busy' }, 'agent_overloaded'],
    [{ message: 'API Error: Request rejected (429) · x' }, 'agent_rate_limited'],
    [{ message: '{"error":{"code": 401}}' }, 'agent_auth_failed'],
    [{ message: 'read 500 lines' }, 'agent_failed'],
    [{ message: 'connect ECONNREFUSED 127.0.0.1:1' }, 'agent_unreachable'],
    [{ message: 'Internal error: Connection reset by server' }, 'agent_unreachable'],
    [{ message: 'getaddrinfo ENOTFOUND x' }, 'agent_unreachable'],
    [{ message: 'the tool was terminated' }, 'agent_failed'],
    [{ message: 'Not logged in · Please run /login' }, 'agent_auth_failed'],
    [{ message: 'Missing environment variable: `K`.' }, 'agent_auth_failed'],
    [{ message: 'Invalid session identifier "x".' }, 'agent_session_missing'],
    [{ message: 'No previous sessions found for this project.' }, 'agent_session_missing'],
    [{ message: 'Session not found: x' }, 'agent_session_missing'],
    [{ message: 'thread not found: x' }, 'agent_session_missing'],
    [{ message: 'anything', code: 'agent_max_turns', status: 500 }, 'agent_max_turns'],
    [{ message: 'the disk is full' }, 'agent_failed'],
  ])('%j is %s', (failure, code) => {
    expect(classifyFailure(failure).code).toBe(code)
  })

  it.each([
    ['rate limit reached. Please try again in 1.898s.', 1898],
    ['Please retry in 36.5s', 36_500],
    ['try again in 20ms', 20],
    ['Try again in 2 minutes.', 120_000],
    ['retry after 1 hour', 3_600_000],
    ['retrying did not help', undefined],
    ['please wait and try again later', undefined],
  ])('reads how long to wait from %j', (message, retryAfterMs) => {
    expect(classifyFailure({ message }).retryAfterMs).toBe(retryAfterMs)
  })
})

describe('the table of failures', () => {
  it('is in docs/agents.md, word for word', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/agents.md'), 'utf8')
    const section = page.split('## How agents fail')[1]?.split('\n## ')[0] ?? ''
    const rows = [...section.matchAll(/^\| `(agent_\w+)` \| (.+) \|$/gm)].map(([, code, when]) => [code, when])
    expect(rows.slice(0, Object.keys(FAILURES).length)).toEqual(Object.entries(FAILURES))
  })
})
