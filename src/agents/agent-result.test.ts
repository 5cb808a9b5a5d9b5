import { describe, expect, it } from 'vitest'
import type { ProcessExit } from '../kit/process/process.ts'
import { sandboxDiskLimit } from '../sandbox/faults.ts'
import type { AgentError, OutputResult } from './adapter/agent.ts'
import type { BoundaryPlan } from './adapter/boundary-needs.ts'
import { NO_USAGE } from './adapter/token-usage.ts'
import { type StopReason, toAgentResult } from './agent-result.ts'
import { NATIVE_AGENTS } from './registry.ts'

const FAILED = { code: 'agent_failed', message: 'it broke' }
const LEFT = { code: 'agent_ended_early', message: 'it left' }

const REFUSED = { code: 'agent_auth_failed', message: 'no', upstreamStatus: 401 }

type Case = {
  exit?: Partial<ProcessExit>
  error?: OutputResult['error']
  hasEnded?: boolean
  stopReason?: StopReason
  lastRetry?: AgentError
  cutOff?: string[]
  env?: Record<string, string>
  text?: string
  allowed?: string[]
}

function resultOf(facts: Case) {
  const { exitCode, ended, error: reported } = whole(facts)
  return [exitCode, ended, reported?.code]
}

function whole({
  exit = {},
  error,
  hasEnded = false,
  stopReason,
  lastRetry,
  cutOff,
  env = { KEY: 'x' },
  allowed,
  text = 'so far',
}: Case) {
  return toAgentResult({
    request: {
      agent: { login: 'run it', hasLogin: ({ KEY }) => KEY !== undefined },
      env,
      ...(allowed && { boundary: { settings: { env: allowed } } as unknown as BoundaryPlan }),
      backend: 'codex',
      timeoutMs: 2500,
      firstEventTimeoutMs: 1000,
      silenceMs: 500,
    },
    exit: { pid: 1, code: 0, signal: null, durationMs: 7, ended: 'itself', forced: false, stderrTail: '', ...exit },
    output: { text, usage: NO_USAGE, ...(error && { error }), ...(lastRetry && { lastRetry }) },
    stopReason,
    hasEnded,
    warnings: [],
    cutOff,
  })
}

describe('a failure in a sandbox that the agent has reached no host from', () => {
  const away = { code: 'agent_unreachable', message: 'fetch failed' }
  const forbidden = { code: 'agent_auth_failed', message: 'API Error: 403.', upstreamStatus: 403 }

  it.each<[Case, string | undefined]>([
    [{ error: forbidden, cutOff: ['models.example:443'] }, 'agent_host_refused'],
    [{ error: away, cutOff: ['models.example:443'] }, 'agent_host_refused'],
    [{ error: away, cutOff: [] }, 'agent_host_refused'],
    [{ error: LEFT, stopReason: 'cut_off', lastRetry: away, cutOff: [] }, 'agent_host_refused'],
    [
      { error: LEFT, exit: { ended: 'cancelled' }, stopReason: 'silent', lastRetry: away, cutOff: [] },
      'agent_host_refused',
    ],
    [{ error: forbidden }, 'agent_auth_failed'],
    [{ error: { ...forbidden, upstreamStatus: 401 }, cutOff: ['stats.example:443'] }, 'agent_auth_failed'],
    [
      { error: { code: 'agent_auth_failed', message: 'Not logged in' }, cutOff: ['stats.example:443'] },
      'agent_auth_failed',
    ],
    [{ error: FAILED, cutOff: ['stats.example:443'] }, 'agent_failed'],
    [{ hasEnded: true, cutOff: [] }, undefined],
  ])('%j is %s', (facts, code) => {
    expect(whole(facts).error?.code).toBe(code)
  })

  it('names the hosts and the setting, and no login', () => {
    expect(whole({ error: forbidden, cutOff: ['models.example:443'] }).error?.message).toBe(
      'its sandbox refuses models.example:443; list the host of its model service in sandbox.hosts, or localhost:PORT if it is on this machine (API Error: 403)',
    )
  })
})

it('says how to log in if no service is reached and there is no login', () => {
  const error = { code: 'agent_unreachable', message: 'fetch failed' }
  expect(whole({ error }).error?.message).toBe('fetch failed')
  expect(whole({ error, env: {} }).error?.message).toBe('fetch failed')
  expect(whole({ error, env: {}, text: '' }).error?.message).toBe(
    'fetch failed; no login for it was found either: run it',
  )
})

describe('a variable that the agent misses', () => {
  const error: AgentError = { code: 'agent_auth_failed', message: 'Missing environment variable: `FAKE_KEY`.' }
  const messageOf = (facts: Case) => whole({ error, ...facts }).error?.message
  const env = { FAKE_KEY: 'x' }

  it('is for the setting of the sandbox, if the sandbox dropped it', () => {
    expect(messageOf({ env, allowed: ['OTHER'] })).toBe(
      'Missing environment variable: `FAKE_KEY`; to log in, let the sandbox pass on FAKE_KEY, which is set: add it to sandbox.env, as with `drover config set sandbox.env OTHER FAKE_KEY`; checks and setups get it too',
    )
  })

  it('is otherwise for the user to set', () => {
    const message = 'Missing environment variable: `FAKE_KEY`; to log in, run it'
    expect([messageOf({ allowed: [] }), messageOf({ env })]).toEqual([message, message])
  })
})

it('gemini is not told to set a key that is set', () => {
  const { loginAfter } = NATIVE_AGENTS.gemini
  const set = { GEMINI_API_KEY: 'x' }
  expect(loginAfter?.('Invalid auth method selected.', set)).toContain('security.auth.selectedType')
  expect(loginAfter?.('API key not valid', set)).not.toContain('set GEMINI_API_KEY')
  expect(loginAfter?.('Invalid auth method selected.', {})).toBeUndefined()
})

describe('toAgentResult', () => {
  it.each<[string, Case, ReturnType<typeof resultOf>]>([
    ['success', { hasEnded: true }, [0, 'itself', undefined]],
    [
      'success by the terminal event, despite the exit code',
      { hasEnded: true, exit: { code: 9 } },
      [0, 'itself', undefined],
    ],
    ['a failure with its exit code', { error: FAILED, exit: { code: 3 } }, [3, 'itself', 'agent_failed']],
    ['a failure in spite of exit 0', { error: FAILED, hasEnded: true }, [1, 'itself', 'agent_failed']],
    [
      'an end by a signal',
      { error: LEFT, exit: { code: null, signal: 'SIGKILL' } },
      [137, 'itself', 'agent_ended_early'],
    ],
    ['the deadline', { error: LEFT, exit: { ended: 'timeout' } }, [124, 'timeout', 'agent_timeout']],
    ['a cancel', { error: LEFT, exit: { ended: 'cancelled' } }, [130, 'cancelled', 'agent_cancelled']],
    [
      'a cancel that the agent itself reports as its end',
      { error: FAILED, hasEnded: true, exit: { ended: 'cancelled', code: 1 } },
      [130, 'cancelled', 'agent_cancelled'],
    ],
    ['a deadline after success', { hasEnded: true, exit: { ended: 'timeout' } }, [0, 'itself', undefined]],
    [
      'staying after success',
      { hasEnded: true, stopReason: 'lingered', exit: { ended: 'cancelled', code: null, signal: 'SIGTERM' } },
      [0, 'itself', undefined],
    ],
    [
      'staying after a failure',
      {
        error: FAILED,
        hasEnded: true,
        stopReason: 'lingered',
        exit: { ended: 'cancelled', code: null, signal: 'SIGTERM' },
      },
      [1, 'itself', 'agent_failed'],
    ],
    [
      'talking without end',
      { stopReason: 'answer_too_long', exit: { ended: 'cancelled' } },
      [1, 'cancelled', 'agent_output_too_large'],
    ],
    ['a late answer', { stopReason: 'late', exit: { ended: 'cancelled' } }, [124, 'timeout', 'agent_timeout']],
    [
      'a late answer because of retries',
      {
        stopReason: 'late',
        exit: { ended: 'cancelled' },
        lastRetry: { code: 'agent_rate_limited', message: 'busy' },
      },
      [124, 'timeout', 'agent_rate_limited'],
    ],
    ['silence', { error: LEFT, stopReason: 'silent', exit: { ended: 'cancelled' } }, [124, 'timeout', 'agent_silent']],
    [
      'a limit of its sandbox',
      { error: LEFT, stopReason: sandboxDiskLimit({ exceeded: 'too much' }), exit: { ended: 'cancelled' } },
      [1, 'itself', 'sandbox_disk_limit'],
    ],
    [
      'a limit of its sandbox after success',
      { hasEnded: true, stopReason: sandboxDiskLimit({ exceeded: 'too much' }) },
      [0, 'itself', undefined],
    ],
    ['silence after success', { hasEnded: true, stopReason: 'silent' }, [0, 'itself', undefined]],
    [
      'silence between retries',
      { stopReason: 'silent', exit: { ended: 'cancelled' }, lastRetry: { code: 'agent_overloaded', message: 'busy' } },
      [124, 'timeout', 'agent_overloaded'],
    ],
    [
      'a refused login',
      { error: LEFT, stopReason: 'refused', exit: { ended: 'cancelled' }, lastRetry: REFUSED },
      [1, 'itself', 'agent_auth_failed'],
    ],
    [
      'success after a refused login',
      { hasEnded: true, stopReason: 'refused', exit: { ended: 'cancelled' }, lastRetry: REFUSED },
      [0, 'itself', undefined],
    ],
    [
      'a deadline while it retries',
      { exit: { ended: 'timeout' }, lastRetry: { code: 'agent_rate_limited', message: 'busy' } },
      [124, 'timeout', 'agent_timeout'],
    ],
  ])('reports %s', (_name, facts, expected) => {
    expect(resultOf(facts)).toEqual(expected)
  })

  it.each<[string, AgentError, string]>([
    ['what the agent says itself', { ...REFUSED, login: 'press a key' }, 'no; to log in, press a key'],
    ['what is known of the agent', REFUSED, 'no; to log in, run it'],
    ['after a whole sentence', { ...REFUSED, message: 'No key!\n' }, 'No key; to log in, run it'],
  ])('says how to log in: %s', (_name, error, message) => {
    expect(whole({ error, hasEnded: true }).error).toEqual({ ...REFUSED, message })
  })

  it.each<[string, Case, string]>([
    [
      'silence',
      { stopReason: 'silent', exit: { ended: 'cancelled' } },
      'codex printed nothing for 0.5 s and was stopped; if it needs more time, set backends.codex.silence_secs',
    ],
    [
      'a cancel while it retries',
      { exit: { ended: 'cancelled' }, lastRetry: { code: 'agent_unreachable', message: 'no network' } },
      'the run was canceled; it was retrying after: no network',
    ],
    [
      'a refused login',
      { error: LEFT, stopReason: 'refused', exit: { ended: 'cancelled' }, lastRetry: REFUSED },
      'its model service refuses its login: no; to log in, run it',
    ],
  ])('explains %s', (_name, facts, message) => {
    expect(whole(facts).error?.message).toBe(message)
  })
})
