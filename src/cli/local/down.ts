import type { RunCommand } from '../command.ts'
import { stopBackground } from './background-server.ts'

export const run: RunCommand = async (invocation) => {
  const { flags, runtime } = invocation
  const ended = (await stopBackground(invocation)) ?? null
  const text = ended === null ? 'no server runs' : `ended: process ${ended}`
  await runtime.terminal.out.write(`${flags.isOn('json') ? JSON.stringify({ ended }) : text}\n`)
  return 0
}
