/** Decides about something that an agent asks for, here or on another machine, and says who decided. */
import type { FastifyRequest } from 'fastify'
import type { ApprovalDecision, Decided, Decider } from '../../agents/adapter/agent.ts'
import { userName } from '../../kit/user-name.ts'
import { choiceFor } from '../../prompts/approvals.ts'
import type { ServerContext } from '../context/server-context.ts'

type Waiting = { id: string; approval: string }

/** Throws a Fault if the agent does not wait for this decision. */
export async function decideApproval(
  context: ServerContext,
  waiting: Waiting,
  asked: Decided,
): Promise<ApprovalDecision['decision']> {
  const decision = await settle(context, waiting, asked)
  // Not every execution is stored. The log says who decided about all of them.
  context.log.info({ execution: waiting.id, approval: waiting.approval, decision, by: asked.by }, 'approval decided')
  return decision
}

async function settle(
  { prompts, approvalBoard }: ServerContext,
  { id, approval }: Waiting,
  asked: Decided,
): Promise<ApprovalDecision['decision']> {
  try {
    return prompts.approvals?.decide(id, approval, asked).decision ?? 'deny'
  } catch (error) {
    const found = await approvalBoard?.decide({ executionId: id, approvalId: approval, decided: asked })
    if (found === undefined) throw error
    return choiceFor(asked, found)
  }
}

/** The sender of a request, as the record of a decision names it. */
export function deciderOf({ facts }: FastifyRequest): Decider {
  const { key, login, isLocalUser } = facts
  if (isLocalUser) return { via: 'socket', name: userName() }
  if (key === undefined) return { via: 'none' }
  return { via: login === undefined ? 'key' : 'login', name: key.name, key_id: key.id }
}
