import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startDetached } from '../../kit/process/process.ts'
import type { Invocation, Run } from '../command.ts'
import { localServerNotStarted } from '../faults.ts'
import { readSettings } from '../settings.ts'
import type { LocalStatus } from './local-protocol.ts'
import { askStatus } from './local-server.ts'

const START_MS = 10_000
const POLL_MS = 20
const EXIT_NOT_RUNNING = 1

export const run: Run = async (invocation) => {
  const { flags, runtime } = invocation
  const { out } = runtime.terminal
  // A mistake in the config is reported here, because the server itself has no terminal.
  await readSettings(invocation)
  const found = await askStatus(invocation)
  if (flags.isOn('status')) {
    await out.write(found === undefined ? 'no server runs; "drover up" starts one\n' : formatStatus(found))
    return found === undefined ? EXIT_NOT_RUNNING : 0
  }
  const status = found ?? (await start(invocation))
  await out.write(`${found === undefined ? 'started' : 'already running'}: process ${status.pid}\n`)
  return 0
}

async function start(invocation: Invocation): Promise<LocalStatus> {
  const { runtime, flags } = invocation
  const [node, demoAgent = ''] = runtime.demoAgent
  const config = flags.text('config')
  const words = ['serve', '--local', '--quiet', ...(config === undefined ? [] : ['--config', config])]
  const given = Object.entries(runtime.env).filter(([, value]) => value !== undefined)
  const { ended } = startDetached({
    argv: [node, join(dirname(demoAgent), 'drover.cjs'), ...words],
    cwd: runtime.homeDirectory,
    env: Object.fromEntries(given) as Record<string, string>,
  })
  let hasEnded = false
  void ended.then(() => {
    hasEnded = true
  })
  for (const deadline = performance.now() + START_MS; performance.now() < deadline && !hasEnded; ) {
    const status = await askStatus(invocation)
    if (status !== undefined) return status
    await delay(POLL_MS)
  }
  throw localServerNotStarted({})
}

function formatStatus({ pid, version, is_background: isBackground, running, warm }: LocalStatus): string {
  const kind = isBackground ? 'in the background' : 'drover serve'
  const agents = warm.map(({ backend, state, turns }) => `  ${backend}: ${state}, ${turns} prompts\n`)
  const head = `running: process ${pid}, version ${version}, ${kind}; ${running} prompts run now\n`
  return `${head}${agents.length === 0 ? '  no agent is kept running\n' : agents.join('')}`
}
