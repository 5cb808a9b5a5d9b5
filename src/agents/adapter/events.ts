/** Events that the readers of several agents make, so that they look the same whoever speaks. */
import type { AgentEvent } from './agent.ts'

type Start = { model?: string | undefined; sessionId?: string | undefined; workdir?: string | undefined }

export function initEvent({ model, sessionId, workdir }: Start): AgentEvent {
  return {
    type: 'init',
    content: {
      ...(model !== undefined && { model }),
      ...(sessionId !== undefined && { backend_session_id: sessionId }),
      ...(workdir !== undefined && { working_dir: workdir }),
    },
  }
}

type Saying = { isPartial: boolean }

export function messageEvents(text: string | undefined, { isPartial }: Saying): AgentEvent[] {
  return text ? [{ type: 'message', content: { text, role: 'assistant', ...(isPartial && { is_partial: true }) } }] : []
}

export function thinkingEvents(text: string | undefined, { isPartial }: Saying): AgentEvent[] {
  return text ? [{ type: 'thinking', content: { text, ...(isPartial && { is_partial: true }) } }] : []
}
