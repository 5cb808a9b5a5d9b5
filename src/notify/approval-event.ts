/** What an agent asks for, as a notification. Pure. */
import type { NotifyEvent } from './notify-event.ts'
import { toSafeText } from './safe-text.ts'

type Asked = {
  readonly approval_id: string
  readonly execution_id: string
  readonly asked_at: string
  readonly tool_name: string
  readonly command?: string | undefined
  readonly reason?: string | undefined
}

/** Where the agent works, and the key that it works for. */
type ApprovalOrigin = { readonly directory?: string | undefined; readonly keyId?: string | undefined }

const TITLE_CHARACTERS = 100

/** The files and the input of the call stay in the console. */
export function toApprovalEvent(
  asked: Asked,
  { directory: repository, keyId, consoleUrl }: ApprovalOrigin & { consoleUrl: string },
): NotifyEvent {
  const { approval_id, execution_id, asked_at, tool_name, command, reason } = asked
  const tool = toSafeText(tool_name, TITLE_CHARACTERS)
  return {
    id: `msg_${execution_id}_${approval_id}`,
    kind: 'approval',
    at: asked_at,
    stream: execution_id,
    ...{ repository, keyId },
    title: `An agent asks for permission: ${tool}`,
    text: toSafeText([command, reason].filter(Boolean).join('\n')) || tool,
    ...(consoleUrl !== '' && { url: `${consoleUrl}/#/executions/${execution_id}` }),
    data: { execution_id, approval_id, tool_name: tool, repository },
  }
}
