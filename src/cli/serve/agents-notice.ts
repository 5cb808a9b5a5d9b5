import type { AgentLocation } from '../../agents/locate-agents.ts'
import { formatBackend } from '../../prompts/format-backend.ts'

type Facts = Pick<AgentLocation, 'backend' | 'isEnabled' | 'program' | 'isDemo'>

/** Which agents a worker has. One without agents gets no prompts, and nothing else would say why. Pure. */
export function agentsNotice(agents: readonly Facts[], { isQuiet }: { isQuiet: boolean }): string {
  const usable = agents.filter(({ isEnabled, program }) => isEnabled && program !== undefined)
  const names = usable.map(({ backend, isDemo }) => formatBackend({ backend, is_demo: isDemo }))
  if (names.length > 0) return isQuiet ? '' : `drover: agents of this machine: ${names.join(', ')}\n`
  return 'drover: warning: this machine has no agent, so it gets no prompts; "drover backends list" shows what is missing\n'
}
