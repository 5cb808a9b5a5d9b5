import { defineFault } from '../../kit/fault.ts'

export const agentRequestFailed = defineFault('agent_request_failed', 'unavailable', {
  when: 'A warm agent responds to a protocol request with an error before its turn begins. The prompt then runs in a new process.',
  message: (d: { method: string; code: number; message: string; data?: unknown }) =>
    `the agent answered ${d.method} with error ${d.code}: ${d.message}; try again`,
})

export const agentDisconnected = defineFault('agent_disconnected', 'unavailable', {
  when: 'A warm agent exits, or does not respond in time, before its turn begins. The prompt then runs in a new process.',
  message: (d: { method: string }) => `the agent did not answer ${d.method}; try again`,
})
