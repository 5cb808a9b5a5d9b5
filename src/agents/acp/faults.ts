import { defineFault } from '../../kit/fault.ts'

export const projectSettingsRefused = defineFault('project_settings_refused', 'invalid', {
  when: 'If the key or the server limits what agents may do (a ceiling), or in a driven run, an agent that speaks the Agent Client Protocol (ACP) would use project settings and cannot be told to ignore them. Another agent may have written these settings.',
  message: (d: { backend: string; file: string; more: number }) =>
    `${d.backend} would use the settings in ${d.file}${d.more > 0 ? ` (and ${d.more} more)` : ''}, which another agent may have written; remove them or use another agent, or set backends.${d.backend}.ignores_project to true if it is started so that it ignores them`,
})

export const backendProbeFailed = defineFault('backend_probe_failed', 'unavailable', {
  when: 'An agent that is being added or tested does not do what the Agent Client Protocol asks for, or its prompt fails.',
  message: (d: { backend: string; reason: string }) => `${d.backend} does not work as a backend: ${d.reason}`,
})

export const agentToolsFixed = defineFault('agent_tools_fixed', 'invalid', {
  when: 'A request wants an agent without its own tools (`agent_tools: none`), but these of the agent cannot be switched off.',
  message: (d: { backend: string; able: readonly string[] }) =>
    `the tools of ${d.backend} cannot be switched off, as agent_tools: none asks for; use ${d.able.join(', ')}`,
})
