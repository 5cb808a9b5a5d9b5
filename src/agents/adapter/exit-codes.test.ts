import { describe, expect, it } from 'vitest'
import { exitCodeOfSignal, failureOfExitCode } from './exit-codes.ts'

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

describe('exitCodeOfSignal', () => {
  it('adds 128, as shells do', () => {
    expect(exitCodeOfSignal('SIGKILL')).toBe(137)
  })
})
