import { describe, expect, it } from 'vitest'
import type { ProcessExit } from '../kit/process/process.ts'
import type { Verdict } from './agent.ts'
import { type Cut, settleResult } from './settle-result.ts'
import { NO_USAGE } from './usage.ts'

const FAILED = { code: 'agent_failed', message: 'it broke' }
const LEFT = { code: 'agent_ended_early', message: 'it left' }

type Case = {
  exit?: Partial<ProcessExit>
  error?: Verdict['error']
  hasEnded?: boolean
  cut?: Cut
}

function settle({ exit = {}, error, hasEnded = false, cut }: Case) {
  const {
    exitCode,
    ended,
    error: told,
  } = settleResult({
    backend: 'codex',
    timeoutMs: 2500,
    exit: { pid: 1, code: 0, signal: null, durationMs: 7, ended: 'itself', forced: false, stderrTail: '', ...exit },
    verdict: { text: 'so far', usage: NO_USAGE, ...(error && { error }) },
    cut,
    hasEnded,
    warnings: [],
  })
  return [exitCode, ended, told?.code]
}

describe('settleResult', () => {
  it.each<[string, Case, ReturnType<typeof settle>]>([
    ['success', { hasEnded: true }, [0, 'itself', undefined]],
    ['success by its word, whatever the exit code', { hasEnded: true, exit: { code: 9 } }, [0, 'itself', undefined]],
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
      { hasEnded: true, cut: 'lingered', exit: { ended: 'cancelled', code: null, signal: 'SIGTERM' } },
      [0, 'itself', undefined],
    ],
    [
      'staying after a failure',
      { error: FAILED, hasEnded: true, cut: 'lingered', exit: { ended: 'cancelled', code: null, signal: 'SIGTERM' } },
      [1, 'itself', 'agent_failed'],
    ],
    [
      'talking without end',
      { cut: 'overfull', exit: { ended: 'cancelled' } },
      [1, 'cancelled', 'agent_output_too_large'],
    ],
  ])('tells %s', (_name, facts, expected) => {
    expect(settle(facts)).toEqual(expected)
  })
})
