import type { FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import type { ApprovalRequest, Decided } from '../../agents/adapter/agent.ts'
import { userName } from '../../kit/user-name.ts'
import { Approvals } from '../../prompts/approvals.ts'
import type { ServerContext } from '../context/server-context.ts'
import { decideApproval, deciderOf } from './decide-approval.ts'

const WAITING = { id: 'e', approval: 'a' }
const ALLOWED: Decided = { decision: 'allow_session', by: { via: 'key', name: 'ci', key_id: 'k' } }

function setUp(board?: { decide(): Promise<Pick<ApprovalRequest, 'choices'> | undefined> }) {
  const approvals = new Approvals({ timeoutMs: 1000 })
  const logged: object[] = []
  const context = {
    prompts: { approvals },
    approvalBoard: board,
    log: { info: (facts: object, text: string) => logged.push({ ...facts, text }) },
  } as unknown as ServerContext
  return { approvals, context, logged }
}

describe('a decision', () => {
  it('reaches the agent that waits here, and is logged with who decided', async () => {
    const { approvals, context, logged } = setUp()
    const asked = approvals.ask('e', { approval_id: 'a', tool_name: 'Bash', choices: ['allow', 'deny'] })
    expect(await decideApproval(context, WAITING, ALLOWED)).toBe('allow')
    expect(await asked).toMatchObject({ decision: 'allow', by: ALLOWED.by })
    expect(logged).toEqual([
      { execution: 'e', approval: 'a', decision: 'allow', by: ALLOWED.by, text: 'approval decided' },
    ])
  })

  it('reaches the agent on another machine', async () => {
    const { context } = setUp({ decide: async () => ({ choices: ['allow', 'allow_session', 'deny'] }) })
    expect(await decideApproval(context, WAITING, ALLOWED)).toBe('allow_session')
    const once = setUp({ decide: async () => ({ choices: ['allow', 'deny'] }) })
    expect(await decideApproval(once.context, WAITING, ALLOWED)).toBe('allow')
  })

  it('about what no agent waits for is refused, and not logged', async () => {
    for (const board of [undefined, { decide: async () => undefined }]) {
      const { context, logged } = setUp(board)
      await expect(decideApproval(context, WAITING, ALLOWED)).rejects.toMatchObject({ code: 'approval_not_found' })
      expect(logged).toEqual([])
    }
  })

  it('denies at a server that runs no agents', async () => {
    const { context } = setUp()
    expect(await decideApproval({ ...context, prompts: {} } as unknown as ServerContext, WAITING, ALLOWED)).toBe('deny')
  })
})

describe('who decided', () => {
  const key = { id: 'k', name: 'ci' }
  it.each<[object, object]>([
    [
      { isLocalUser: true, key },
      { via: 'socket', name: userName() },
    ],
    [{ isLocalUser: false }, { via: 'none' }],
    [
      { isLocalUser: false, key },
      { via: 'key', name: 'ci', key_id: 'k' },
    ],
    [
      { isLocalUser: false, key, login: { token: 't', secret: 's' } },
      { via: 'login', name: 'ci', key_id: 'k' },
    ],
  ])('of %j is %j', (facts, decider) => {
    expect(deciderOf({ facts } as unknown as FastifyRequest)).toEqual(decider)
  })
})
