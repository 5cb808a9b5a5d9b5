import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ApprovalRequest } from '../agents/adapter/agent.ts'
import { Approvals } from './approvals.ts'

const request = (
  id: string,
  choices: ApprovalRequest['choices'] = ['allow', 'allow_session', 'deny'],
): ApprovalRequest => {
  return { approval_id: id, tool_name: 'Bash', choices }
}

afterEach(() => void vi.useRealTimers())

describe('Approvals', () => {
  it('passes a decision to the one who asked', async () => {
    const approvals = new Approvals({ timeoutMs: 1000 })
    const [one, two] = [approvals.ask('e', request('1')), approvals.ask('e', request('2'))]
    approvals.decide('e', '2', { decision: 'deny', message: 'no' })
    approvals.decide('e', '1', { decision: 'allow_session' })
    expect(await Promise.all([one, two])).toEqual([{ decision: 'allow_session' }, { decision: 'deny', message: 'no' }])
  })

  it('lists what waits, oldest first, and tells when it begins and ends', async () => {
    let now = Date.parse('2026-01-31T09:00:00.000Z')
    const approvals = new Approvals({ timeoutMs: 1000, clock: { now: () => new Date(now) } })
    const heard: string[] = []
    const stop = approvals.onChange(({ type, approval }) => heard.push(`${type} ${approval.approval_id}`))
    const first = approvals.ask('e', request('1'))
    now += 5
    const second = approvals.ask('other', request('2'))
    expect(approvals.list()).toEqual([
      {
        execution_id: 'e',
        asked_at: '2026-01-31T09:00:00.000Z',
        expires_at: '2026-01-31T09:00:01.000Z',
        ...request('1'),
      },
      expect.objectContaining({ execution_id: 'other', asked_at: '2026-01-31T09:00:00.005Z' }),
    ])
    approvals.decide('e', '1', { decision: 'allow' })
    expect(approvals.list()).toHaveLength(1)
    await first
    stop()
    approvals.forget('other')
    await second
    expect(heard).toEqual(['asked 1', 'asked 2', 'settled 1'])
  })

  it('takes each decision once, and only for what is asked', async () => {
    const approvals = new Approvals({ timeoutMs: 1000 })
    const asked = approvals.ask('e', request('1'))
    approvals.decide('e', '1', { decision: 'allow' })
    const notFound = expect.objectContaining({ code: 'approval_not_found' })
    expect(() => approvals.decide('e', '1', { decision: 'deny' })).toThrow(notFound)
    expect(() => approvals.decide('other', '1', { decision: 'deny' })).toThrow(notFound)
    expect(await asked).toEqual({ decision: 'allow' })
  })

  it('allows once where the session is no choice', async () => {
    const approvals = new Approvals({ timeoutMs: 1000 })
    const asked = approvals.ask('e', request('1', ['allow', 'deny']))
    expect(approvals.decide('e', '1', { decision: 'allow_session' })).toEqual({ decision: 'allow' })
    expect(await asked).toEqual({ decision: 'allow' })
  })

  it('denies what no one decides in time', async () => {
    vi.useFakeTimers()
    const approvals = new Approvals({ timeoutMs: 5000 })
    const asked = approvals.ask('e', request('1'))
    await vi.advanceTimersByTimeAsync(5000)
    expect(await asked).toEqual({ decision: 'deny', message: 'no one decided within 5 s' })
    expect(() => approvals.decide('e', '1', { decision: 'allow' })).toThrow()
  })

  it('denies everything of an execution that has ended', async () => {
    const approvals = new Approvals({ timeoutMs: 1000 })
    const asked = approvals.ask('e', request('1'))
    approvals.forget('e')
    approvals.forget('unknown')
    expect(await asked).toEqual({ decision: 'deny' })
  })
})
