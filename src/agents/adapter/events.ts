/** Events that several agents have in common. */
import type { AgentEvent } from './agent.ts'

type InitContent = { model?: string | undefined; sessionId?: string | undefined; workdir?: string | undefined }

export function initEvent({ model, sessionId, workdir }: InitContent): AgentEvent {
  return {
    type: 'init',
    content: {
      ...(model !== undefined && { model }),
      ...(sessionId !== undefined && { backend_session_id: sessionId }),
      ...(workdir !== undefined && { working_dir: workdir }),
    },
  }
}

type TextOptions = { isPartial: boolean }

export function messageEvents(text: string | undefined, { isPartial }: TextOptions): AgentEvent[] {
  return text ? [{ type: 'message', content: { text, role: 'assistant', ...(isPartial && { is_partial: true }) } }] : []
}

export function thinkingEvents(text: string | undefined, { isPartial }: TextOptions): AgentEvent[] {
  return text ? [{ type: 'thinking', content: { text, ...(isPartial && { is_partial: true }) } }] : []
}
