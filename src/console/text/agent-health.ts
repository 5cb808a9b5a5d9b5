/** What can be said about an agent in a word or two, and what to do if there is none. Pure. */
import type { BackendRecord } from '../../agents/adapter/agent.shape.ts'

type Agent = Pick<BackendRecord, 'available' | 'enabled' | 'demo' | 'warm' | 'machines'>

export function describeHealth({ available, enabled, demo, machines }: Agent): string {
  if (!enabled) return 'disabled'
  if (demo) return 'demo'
  if (available) return 'ready'
  return machines === undefined ? 'not installed' : 'no worker'
}

/** Where it is, and its processes that are kept running. */
export function describeProcesses({ warm: { idle, busy }, machines = [] }: Agent): string[] {
  const waiting = idle === 1 ? '1 process waits for a prompt' : `${idle} processes wait for a prompt`
  return [
    ...(machines.length === 0 ? [] : [`on ${machines.join(', ')}`]),
    ...(idle === 0 ? [] : [waiting]),
    ...(busy === 0 ? [] : [`${busy} busy`]),
  ]
}

/** Why no prompt can be started; undefined if one can. */
export function whyNoAgent(agents: readonly Agent[]): string | undefined {
  if (agents.some(({ available }) => available)) return undefined
  return agents.some(({ machines }) => machines !== undefined)
    ? 'This server only accepts requests, and no worker with an agent is running. Start drover work on a machine that has one.'
    : 'No agent is installed on the server. Install one, or start the server with --demo to try it without.'
}
