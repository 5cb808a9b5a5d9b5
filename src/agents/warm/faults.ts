import { defineFault } from '../../kit/fault.ts'

export const agentRequestFailed = defineFault({
  code: 'agent_request_failed',
  kind: 'unavailable',
  when: 'A warm agent answers a request of its protocol with an error before its turn begins; the prompt then runs in a new process.',
  message: (d: { method: string; code: number; message: string; data?: unknown }) =>
    `the agent answered ${d.method} with error ${d.code}: ${d.message}; try again`,
})

export const agentDisconnected = defineFault({
  code: 'agent_disconnected',
  kind: 'unavailable',
  when: 'A warm agent ends, or does not answer in time, before its turn begins; the prompt then runs in a new process.',
  message: (d: { method: string }) => `the agent did not answer ${d.method}; try again`,
})
