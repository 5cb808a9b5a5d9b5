import { describe, expect, it } from 'vitest'
import { exitCodeOfFailure, exitCodeOfSignal, failureOfExitCode } from './exit-codes.ts'

describe('failureOfExitCode', () => {
  it.each([
    ['gemini', 41, { code: 'agent_auth_failed' }],
    ['gemini', 53, { code: 'agent_max_turns' }],
    ['gemini', 145, { status: 401 }],
    ['gemini', 173, { status: 429 }],
    ['gemini', 244, { status: 500 }],
    ['gemini', 17, { status: 529 }],
    ['gemini', 143, {}],
    ['gemini', 1, {}],
    ['gemini', null, {}],
    ['claude', 41, {}],
    ['claude', 145, {}],
    ['codex', 2, {}],
  ] as const)('of %s with %s is %j', (backend, code, expected) => {
    expect(failureOfExitCode(backend, code)).toEqual(expected)
  })
})

describe('exitCodeOfFailure', () => {
  it.each([
    ['gemini', { code: 'agent_auth_failed', upstreamStatus: 401 }, 145],
    ['gemini', { code: 'agent_auth_failed' }, 41],
    ['gemini', { code: 'agent_max_turns' }, 53],
    ['gemini', { code: 'agent_overloaded', upstreamStatus: 529 }, 17],
    ['gemini', { code: 'agent_service_failed', upstreamStatus: 512 }, 1],
    ['gemini', { code: 'agent_failed' }, 1],
    ['claude', { code: 'agent_auth_failed', upstreamStatus: 401 }, 1],
    ['codex', { code: 'agent_max_turns' }, 1],
  ] as const)('of %s with %j is %s', (backend, error, code) => {
    expect(exitCodeOfFailure(backend, { ...error, message: 'x' })).toBe(code)
  })
})

describe('exitCodeOfSignal', () => {
  it('adds 128, as shells do', () => {
    expect(exitCodeOfSignal('SIGKILL')).toBe(137)
  })
})
