import { describe, expect, it } from 'vitest'
import type { ApprovalRequest, AttributedReply } from '../agents/adapter/agent.ts'
import type { Stores } from '../executions/store/stores.ts'
import { SILENT_LOG } from '../kit/log.ts'
import { Approvals } from '../prompts/approvals.ts'
import { type Caller, USER } from '../prompts/caller.ts'
import { ExecutionCalls } from './execution-calls.ts'

const WAITING = { id: 'e', approval: 'a' }
const ALLOWED: AttributedReply = { decision: 'allow_session', by: { via: 'key', name: 'ci', key_id: 'k' } }

function setUp(board?: { decide(): Promise<Pick<ApprovalRequest, 'choices'> | undefined> }, hasAgents = true) {
  const approvals = new Approvals({ timeoutMs: 1000 })
  const logged: object[] = []
  const calls = new ExecutionCalls({
    records: { find: (id: string) => ({ id, key_id: 'k' }) } as never,
    stores: async () => ({ approvals: board }) as unknown as Stores,
    approvals: hasAgents ? approvals : undefined,
    log: { ...SILENT_LOG, info: (facts, text) => void logged.push({ ...facts, text }) },
  })
  return { approvals, calls, logged }
}

describe('a decision', () => {
  it('reaches the agent that waits here, and is logged with who decided', async () => {
    const { approvals, calls, logged } = setUp()
    const asked = approvals.ask('e', { approval_id: 'a', tool_name: 'Bash', choices: ['allow', 'deny'] })
    expect(await calls.decide(USER, WAITING, ALLOWED)).toBe('allow')
    expect(await asked).toMatchObject({ decision: 'allow', by: ALLOWED.by })
    expect(logged).toEqual([
      { execution: 'e', approval: 'a', decision: 'allow', by: ALLOWED.by, text: 'approval decided' },
    ])
  })

  it('reaches the agent on another machine', async () => {
    const { calls } = setUp({ decide: async () => ({ choices: ['allow', 'allow_session', 'deny'] }) })
    expect(await calls.decide(USER, WAITING, ALLOWED)).toBe('allow_session')
    const once = setUp({ decide: async () => ({ choices: ['allow', 'deny'] }) })
    expect(await once.calls.decide(USER, WAITING, ALLOWED)).toBe('allow')
  })

  it('about what no agent waits for is refused, and not logged', async () => {
    for (const board of [undefined, { decide: async () => undefined }]) {
      const { calls, logged } = setUp(board)
      await expect(calls.decide(USER, WAITING, ALLOWED)).rejects.toMatchObject({ code: 'approval_not_found' })
      expect(logged).toEqual([])
    }
  })

  it('denies in a process whose agents cannot ask', async () => {
    const { calls } = setUp(undefined, false)
    expect(await calls.decide(USER, WAITING, ALLOWED)).toBe('deny')
  })

  const sandbox = { mode: 'workspace', setting: 'max_sandbox_mode of the key ci' } as const
  it.each<[string, Caller, string]>([
    ['a key that sees it', { is: 'client', role: 'client', key: { id: 'k', name: 'ci' } }, 'approval_not_found'],
    ['an operator', { is: 'client', role: 'operator', key: { id: 'o', name: 'ops' } }, 'approval_not_found'],
    ['another key', { is: 'client', role: 'client', key: { id: 'o', name: 'ops' } }, 'execution_not_found'],
    [
      'a key with a ceiling, which must not allow more than it may ask for',
      { is: 'client', role: 'client', key: { id: 'k', name: 'ci' }, ceilings: { sandbox } },
      'approval_not_allowed',
    ],
  ])('of %s', async (_, by, code) => {
    await expect(setUp().calls.decide(by, WAITING, ALLOWED)).rejects.toMatchObject({ code })
  })
})

it('an idempotency key that cannot be released stays taken, and the log says so', async () => {
  const errors: string[] = []
  const calls = new ExecutionCalls({
    records: {} as never,
    stores: async () => ({ executions: { releaseKey: () => Promise.reject(new Error('disk')) } }) as unknown as Stores,
    approvals: undefined,
    log: { ...SILENT_LOG, error: (_, text) => void errors.push(text) },
  })
  await calls.releaseKey({ keyId: '', key: 'k', digest: 'd', executionId: 'e' })
  expect(errors).toEqual(['an idempotency key could not be released'])
})
