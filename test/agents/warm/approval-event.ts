import type { AgentEvent } from '../../../src/agents/adapter/agent.ts'

/** The agent waits for an approval. */
export function approvalEvent(message: string): AgentEvent {
  return { type: 'progress', content: { stage: 'approval_requested', message } }
}
