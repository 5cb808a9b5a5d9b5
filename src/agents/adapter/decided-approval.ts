/** What is recorded about a decision. Pure. */
import { digest } from '../../kit/digest.ts'
import type { DecidedApproval } from './agent.shape.ts'
import type { ApprovalRequest, AttributedReply } from './agent.ts'

const COMMAND_LENGTH = 1000

/** Says by itself what was asked for: the request may be removed earlier. Records have no halves of characters. */
export function toDecidedApproval(
  request: ApprovalRequest,
  { decision, message, answers, by }: AttributedReply,
): DecidedApproval {
  const { approval_id, tool_id, tool_name, command, diff, input } = request
  return {
    approval_id,
    ...(tool_id !== undefined && { tool_id: tool_id.toWellFormed() }),
    tool_name: tool_name.toWellFormed(),
    ...(command !== undefined && { command: command.slice(0, COMMAND_LENGTH).toWellFormed() }),
    input_sha256: digest(JSON.stringify({ tool_name, command, diff, input })),
    decision,
    ...(message !== undefined && { message: message.toWellFormed() }),
    ...(answers !== undefined && { answers: answers.map((each) => each.map((text) => text.toWellFormed())) }),
    by,
  }
}
