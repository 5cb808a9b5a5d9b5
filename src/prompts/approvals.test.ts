import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ApprovalRequest } from '../agents/adapter/agent.ts'
import { Approvals } from './approvals.ts'

const request = (
  id: string,
  choices: ApprovalRequest['choices'] = ['allow', 'allow_session', 'deny'],
): ApprovalRequest => {
  return { approval_id: id, tool_name: 'Bash', choices }
}

const by = { via: 'key', name: 'ci' } as const

afterEach(() => void vi.useRealTimers())

describe('Approvals', () => {
  it('passes a decision, and who made it, to the one who asked', async () => {
    const approvals = new Approvals({ timeoutMs: 1000 })
    const [one, two] = [approvals.ask('e', request('1')), approvals.ask('e', request('2'))]
    approvals.decide('e', '2', { decision: 'deny', message: 'no', by })
    approvals.decide('e', '1', { decision: 'allow_session', by })
    expect(await Promise.all([one, two])).toEqual([
      { decision: 'allow_session', by },
      { decision: 'deny', message: 'no', by },
    ])
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
    approvals.decide('e', '1', { decision: 'allow', by })
    expect(approvals.list()).toHaveLength(1)
    await first
    stop()
    approvals.forget('other')
    await second
    expect(heard).toEqual(['asked 1', 'asked 2', 'settled 1'])
  })

  it.each(['before', 'while'])('drops what the agent takes back %s it waits', async (when) => {
    const approvals = new Approvals({ timeoutMs: 1000 })
    const taken = new AbortController()
    if (when === 'before') taken.abort()
    const asked = approvals.ask('e', request('1'), { takenBack: taken.signal })
    taken.abort()
    expect(await asked).toMatchObject({ decision: 'deny', by: { via: 'drover' } })
    expect(approvals.list()).toEqual([])
  })

  it('lists what waits longest first, whichever execution asked first', async () => {
    let now = Date.parse('2026-01-31T09:00:00.000Z')
    const approvals = new Approvals({ timeoutMs: 1000, clock: { now: () => new Date(now) } })
    const asked = ['a 1', 'b 2', 'a 3'].map((each) => {
      const [execution = '', id = ''] = each.split(' ')
      now += 5
      return approvals.ask(execution, request(id))
    })
    expect(approvals.list().map(({ approval_id: id }) => id)).toEqual(['1', '2', '3'])
    for (const execution of ['a', 'b']) approvals.forget(execution)
    expect(approvals.list()).toEqual([])
    await Promise.all(asked)
  })

  it('lists what is asked at the same time in the order of the questions', async () => {
    const approvals = new Approvals({ timeoutMs: 1000, clock: { now: () => new Date(0) } })
    const asked = ['1', '2', '3'].map((id) => approvals.ask('e', request(id)))
    expect(approvals.list().map(({ approval_id: id }) => id)).toEqual(['1', '2', '3'])
    approvals.forget('e')
    await Promise.all(asked)
  })

  it('keeps a question that follows the end of another one at once', async () => {
    const approvals = new Approvals({ timeoutMs: 1000 })
    const first = approvals.ask('e', request('1'))
    approvals.forget('e')
    const second = approvals.ask('e', request('2'))
    await first
    expect(approvals.list().map(({ approval_id: id }) => id)).toEqual(['2'])
    approvals.forget('e')
    await second
  })

  it('keeps what else an execution asks for, and no timer, after a decision', async () => {
    vi.useFakeTimers()
    const approvals = new Approvals({ timeoutMs: 1000 })
    const [one, two] = [approvals.ask('e', request('1')), approvals.ask('e', request('2'))]
    approvals.decide('e', '1', { decision: 'allow', by })
    await one
    expect([approvals.list().length, vi.getTimerCount()]).toEqual([1, 1])
    approvals.decide('e', '2', { decision: 'allow', by })
    await two
    expect([approvals.list().length, vi.getTimerCount()]).toEqual([0, 0])
  })

  it('tells executions apart that ask with the same id', async () => {
    const approvals = new Approvals({ timeoutMs: 1000 })
    const [one, two, three] = ['a', 'b', 'c'].map((execution) => approvals.ask(execution, request('1')))
    approvals.decide('b', '1', { decision: 'allow', by })
    expect(await two).toEqual({ decision: 'allow', by })
    approvals.forget('c')
    expect(await three).toMatchObject({ decision: 'deny' })
    expect(approvals.list().map(({ execution_id: id }) => id)).toEqual(['a'])
    approvals.forget('a')
    await one
  })

  it('takes each decision once, and only for what is asked', async () => {
    const approvals = new Approvals({ timeoutMs: 1000 })
    const asked = approvals.ask('e', request('1'))
    approvals.decide('e', '1', { decision: 'allow', by })
    const notFound = expect.objectContaining({ code: 'approval_not_found' })
    expect(() => approvals.decide('e', '1', { decision: 'deny', by })).toThrow(notFound)
    expect(() => approvals.decide('other', '1', { decision: 'deny', by })).toThrow(notFound)
    expect(await asked).toEqual({ decision: 'allow', by })
  })

  it('allows once where the session is no choice', async () => {
    const approvals = new Approvals({ timeoutMs: 1000 })
    const asked = approvals.ask('e', request('1', ['allow', 'deny']))
    expect(approvals.decide('e', '1', { decision: 'allow_session', by })).toEqual({ decision: 'allow', by })
    expect(await asked).toEqual({ decision: 'allow', by })
  })

  it('denies where a denial is no choice', async () => {
    const approvals = new Approvals({ timeoutMs: 1000 })
    const asked = approvals.ask('e', request('1', ['allow']))
    expect(approvals.decide('e', '1', { decision: 'deny', by })).toEqual({ decision: 'deny', by })
    expect(await asked).toEqual({ decision: 'deny', by })
  })

  it('denies what no one decides in time', async () => {
    vi.useFakeTimers()
    const approvals = new Approvals({ timeoutMs: 5000 })
    const asked = approvals.ask('e', request('1'))
    await vi.advanceTimersByTimeAsync(5000)
    expect(await asked).toEqual({ decision: 'deny', message: 'no one decided within 5 s', by: { via: 'drover' } })
    expect(() => approvals.decide('e', '1', { decision: 'allow', by })).toThrow()
  })

  it('denies everything of an execution that has ended', async () => {
    const approvals = new Approvals({ timeoutMs: 1000 })
    const asked = approvals.ask('e', request('1'))
    approvals.forget('e')
    approvals.forget('unknown')
    expect(await asked).toEqual({ decision: 'deny', by: { via: 'drover' } })
  })
})
