/** The events of a prompt as they go over the wire: the agent's event with backend, session, time and number. */
import type { AgentEvent, Backend } from '../agents/adapter/agent.ts'
import { type Clock, toTimestamp } from '../kit/clock.ts'
import type { PromptEvent } from './prompt-event.shape.ts'

export type { PromptEvent }

export function createEnvelope({ backend, sessionId, clock }: { backend: Backend; sessionId: string; clock: Clock }) {
  let sequence = 0
  return (event: AgentEvent): PromptEvent => {
    sequence += 1
    const timestamp = toTimestamp(clock.now())
    return {
      type: event.type,
      backend,
      session_id: sessionId,
      timestamp,
      sequence,
      content: event.content,
    } as PromptEvent
  }
}

export function withWarnings(done: Extract<AgentEvent, { type: 'done' }>, warnings: readonly string[]): AgentEvent {
  const { warnings: _, ...content } = done.content
  return { type: 'done', content: { ...content, ...(warnings.length > 0 && { warnings }) } }
}
