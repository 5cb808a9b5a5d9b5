/** What agents ask for, as it is sent to clients. */
import { Type } from 'typebox'
import { ApprovalRequest } from '../agents/adapter/agent.shape.ts'
import { type Message, namedObject } from '../kit/shape.ts'

export const PendingApproval = namedObject('PendingApproval', {
  execution_id: Type.String({ description: 'The execution whose agent waits.' }),
  asked_at: Type.String({ format: 'date-time', description: 'When the agent asked, in UTC.' }),
  expires_at: Type.String({ format: 'date-time', description: 'When it is denied if no one decides.' }),
  ...ApprovalRequest.properties,
})
export type PendingApproval = Message<typeof PendingApproval>
