import type { AgentEvent } from '../../../src/agents/adapter/agent.ts'

/** The agent waits for somebody to allow what it is about to do. */
export function approvalEvent(message: string): AgentEvent {
  return { type: 'progress', content: { stage: 'approval_requested', message } }
}
