import { randomIds } from '../../kit/ids.ts'
import type { AgentEvent, Usage } from '../adapter/agent.ts'

/** What a part of a turn ends with: calls that the client has to run. */
export type ToolRequest = Extract<AgentEvent, { type: 'tool_request' }>['content']

const ID_BYTES = 12

/** Gives each call an id. `input` is JSON. */
export function toToolRequest(
  calls: readonly { name: string; input: string }[],
  usage: Usage | undefined,
): ToolRequest {
  return {
    calls: calls.map(({ name, input }) => ({
      call_id: `call_${randomIds.hex(ID_BYTES)}`,
      tool_name: name,
      arguments: input,
    })),
    ...(usage !== undefined && { token_usage: usage }),
  }
}
