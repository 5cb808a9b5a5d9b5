import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AgentEvent } from './adapter/agent.ts'
import { SilenceWatch } from './run-turn.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const TEXT: AgentEvent = { type: 'message', content: { text: 'x', role: 'assistant' } }
const use = (id?: string): AgentEvent => ({
  type: 'tool_use',
  content: { ...(id && { tool_id: id }), tool_name: 'sh' },
})
const result = (id?: string): AgentEvent => ({
  type: 'tool_result',
  content: { ...(id && { tool_id: id }), tool_name: 'sh' },
})
const QUESTION: AgentEvent = {
  type: 'approval_request',
  content: { approval_id: 'q', tool_name: 'sh', choices: ['allow', 'deny'] },
}
const DECISION: AgentEvent = {
  type: 'approval_decision',
  content: { approval_id: 'q', tool_name: 'sh', input_sha256: '', decision: 'deny', by: { via: 'drover' } },
}

function watch(limitMs: number | null) {
  const onSilent = vi.fn()
  return { onSilent, silence: new SilenceWatch({ limitMs, onSilent }) }
}

describe('SilenceWatch', () => {
  it('reports an agent that says nothing from its start, at the limit and not before', () => {
    const { onSilent } = watch(1000)
    vi.advanceTimersByTime(999)
    expect(onSilent).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(onSilent).toHaveBeenCalledOnce()
  })

  it.each([
    ['an event', [TEXT]],
    ['output that means nothing', []],
  ])('counts again from %s', (_name, events) => {
    const { onSilent, silence } = watch(1000)
    vi.advanceTimersByTime(999)
    silence.heard(events)
    vi.advanceTimersByTime(999)
    expect(onSilent).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(onSilent).toHaveBeenCalledOnce()
  })

  it.each([
    ['a tool runs', use('a'), result('a')],
    ['a tool without an id runs', use(), result()],
    ['a question waits', QUESTION, DECISION],
  ])('does not count while %s', (_name, begins, ends) => {
    const { onSilent, silence } = watch(1000)
    silence.heard([begins])
    silence.heard([TEXT])
    vi.advanceTimersByTime(1_000_000)
    expect(onSilent).not.toHaveBeenCalled()
    silence.heard([ends])
    vi.advanceTimersByTime(1000)
    expect(onSilent).toHaveBeenCalledOnce()
  })

  it('does not count until the last of several tools has ended', () => {
    const { onSilent, silence } = watch(1000)
    silence.heard([use('a'), use('b'), result('a')])
    vi.advanceTimersByTime(1_000_000)
    expect(onSilent).not.toHaveBeenCalled()
    silence.heard([result('b')])
    vi.advanceTimersByTime(1000)
    expect(onSilent).toHaveBeenCalledOnce()
  })

  it('does not count while its reader does not read', () => {
    const { onSilent, silence } = watch(1000)
    silence.pause()
    silence.heard([TEXT])
    vi.advanceTimersByTime(1_000_000)
    expect(onSilent).not.toHaveBeenCalled()
    silence.resume()
    vi.advanceTimersByTime(1000)
    expect(onSilent).toHaveBeenCalledOnce()
  })

  it.each([
    ['without a limit', null],
    ['with a limit that is longer than any timer', 2 ** 31],
  ])('reports nothing %s', (_name, limitMs) => {
    const { onSilent } = watch(limitMs)
    vi.advanceTimersByTime(2 ** 31 - 2)
    expect(onSilent).not.toHaveBeenCalled()
  })

  it('reports nothing when it is over', () => {
    const { onSilent, silence } = watch(1000)
    silence[Symbol.dispose]()
    vi.advanceTimersByTime(1000)
    expect(onSilent).not.toHaveBeenCalled()
  })
})
