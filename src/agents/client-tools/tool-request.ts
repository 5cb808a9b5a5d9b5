import type { AgentEvent, Usage } from '../adapter/agent.ts'

/** What a part of a turn ends with: calls that the client has to run. */
export type ToolRequest = Extract<AgentEvent, { type: 'tool_request' }>['content']

/** Gives each call an id. `input` is JSON. */
export function toToolRequest(
  calls: readonly { name: string; input: string }[],
  { newCallId, usage }: { newCallId: () => string; usage: Usage | undefined },
): ToolRequest {
  return {
    calls: calls.map(({ name, input }) => ({
      call_id: newCallId(),
      tool_name: name,
      arguments: input,
    })),
    ...(usage !== undefined && { token_usage: usage }),
  }
}
