import { defineFault } from '../../kit/fault.ts'

export const backendProbeFailed = defineFault({
  code: 'backend_probe_failed',
  kind: 'unavailable',
  when: 'An agent that is added or tested does not do what the Agent Client Protocol asks for, or its prompt fails.',
  message: (d: { backend: string; reason: string }) => `${d.backend} does not work as a backend: ${d.reason}`,
})
