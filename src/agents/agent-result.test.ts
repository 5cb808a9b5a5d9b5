import { describe, expect, it } from 'vitest'
import type { ProcessExit } from '../kit/process/process.ts'
import type { AgentError, OutputResult } from './adapter/agent.ts'
import { NO_USAGE } from './adapter/token-usage.ts'
import { type StopReason, toAgentResult } from './agent-result.ts'

const FAILED = { code: 'agent_failed', message: 'it broke' }
const LEFT = { code: 'agent_ended_early', message: 'it left' }

type Case = {
  exit?: Partial<ProcessExit>
  error?: OutputResult['error']
  hasEnded?: boolean
  stopReason?: StopReason
  lastRetry?: AgentError
}

function resultOf({ exit = {}, error, hasEnded = false, stopReason, lastRetry }: Case) {
  const {
    exitCode,
    ended,
    error: reported,
  } = toAgentResult({
    request: { backend: 'codex', timeoutMs: 2500, firstEventTimeoutMs: 1000 },
    exit: { pid: 1, code: 0, signal: null, durationMs: 7, ended: 'itself', forced: false, stderrTail: '', ...exit },
    output: { text: 'so far', usage: NO_USAGE, ...(error && { error }), ...(lastRetry && { lastRetry }) },
    stopReason,
    hasEnded,
    warnings: [],
  })
  return [exitCode, ended, reported?.code]
}

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
    ['silence', { stopReason: 'silent', exit: { ended: 'cancelled' } }, [124, 'timeout', 'agent_timeout']],
    [
      'silence because of retries',
      {
        stopReason: 'silent',
        exit: { ended: 'cancelled' },
        lastRetry: { code: 'agent_rate_limited', message: 'busy' },
      },
      [124, 'timeout', 'agent_rate_limited'],
    ],
    [
      'a deadline while it retries',
      { exit: { ended: 'timeout' }, lastRetry: { code: 'agent_rate_limited', message: 'busy' } },
      [124, 'timeout', 'agent_timeout'],
    ],
  ])('reports %s', (_name, facts, expected) => {
    expect(resultOf(facts)).toEqual(expected)
  })
})
