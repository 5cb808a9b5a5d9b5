/** What an agent asked for, and who decided, in one line. */
import type { ApprovalRecord } from '../../prompts/prompt-result.shape.ts'
import { describeDecision } from '../text/describe-decision.ts'
import { toLine } from '../text/visible-text.ts'

export function ApprovalLine({ approval }: { approval: ApprovalRecord }) {
  const { tool_name: tool, command = '', at } = approval
  return (
    <p class="dim">
      <strong>{toLine(tool)}</strong> <code>{toLine(command)}</code> {toLine(describeDecision(approval))},{' '}
      <time dateTime={at}>{new Date(at).toLocaleString()}</time>
    </p>
  )
}
