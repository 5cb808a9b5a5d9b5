import { setTimeout as delay } from 'node:timers/promises'
import { identifyProcess, isAlive } from '../../kit/process/process-tree.ts'
import type { RunCommand } from '../command.ts'
import { localServerBusy, localServerNotEnded } from './faults.ts'
import { askStatus } from './local-server.ts'
import { callServer } from './server-client.ts'

/** A server that stops waits this long for its prompts, and a little longer for their agents. */
const END_MS = 40_000

export const run: RunCommand = async (invocation) => {
  const { flags, runtime } = invocation
  const print = async (ended: number | null) => {
    const text = ended === null ? 'no server runs' : `ended: process ${ended}`
    await runtime.terminal.out.write(`${flags.isOn('json') ? JSON.stringify({ ended }) : text}\n`)
    return 0
  }
  const status = await askStatus(invocation)
  if (status === undefined) return await print(null)
  if (!status.is_background) throw localServerBusy({ pid: status.pid })
  const server = identifyProcess(status.pid)
  await callServer(invocation, { method: 'POST', path: '/local/stop' })
  for (const deadline = performance.now() + END_MS; isAlive(server) && performance.now() < deadline; ) await delay(20)
  if (isAlive(server)) throw localServerNotEnded({ pid: status.pid })
  return await print(status.pid)
}
