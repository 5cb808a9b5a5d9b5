import { defineFault, isFault } from '../../kit/fault.ts'

export const agentRequestFailed = defineFault('agent_request_failed', 'unavailable', {
  when: 'A warm agent responds to a protocol request with an error before its turn begins. The prompt then runs in a new process.',
  message: (d: { method: string; code: number; message: string; data?: unknown }) =>
    `the agent answered ${d.method} with error ${d.code}: ${d.message}; try again`,
})

export const agentDisconnected = defineFault('agent_disconnected', 'unavailable', {
  when: 'A warm agent exits, or does not respond in time, before its turn begins. The prompt then runs in a new process.',
  message: (d: { method: string }) => `the agent did not answer ${d.method}; try again`,
})

/** The requests that carry a prompt. */
const PROMPT_METHODS: readonly string[] = ['the prompt', 'turn/start', 'session/prompt']

/** Whether the agent had the prompt when it ended. One that answers with an error has done nothing. */
export function mayHaveWorked(error: unknown): boolean {
  return isFault(error, agentDisconnected) && PROMPT_METHODS.includes(error.details.method)
}
