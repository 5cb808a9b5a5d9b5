export const AGENT_NAMES = ['claude', 'codex', 'gemini'] as const
export type AgentName = (typeof AGENT_NAMES)[number]
