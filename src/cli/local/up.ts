import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findPaths } from '../../config/paths.ts'
import { startDetached } from '../../kit/process/process.ts'
import type { Invocation, Run } from '../command.ts'
import { configEnvironmentOf, readSettings } from '../settings.ts'
import { localServerNotStarted } from './faults.ts'
import type { LocalStatus } from './local-protocol.ts'
import { askStatus } from './local-server.ts'

/** It also ends when the server does, so a slow machine only has to wait longer. */
const START_MS = 60_000
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
  const { runtime } = invocation
  const [node, demoAgent = ''] = runtime.demoAgent
  // The server runs in another directory, where a relative path would name another file.
  const { config, configNamedBy } = findPaths(configEnvironmentOf(invocation))
  const words = ['serve', '--local', '--quiet', ...(configNamedBy === undefined ? [] : ['--config', config])]
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
    // A server that has just begun may take long to answer.
    const status = await askStatus(invocation).catch(() => undefined)
    if (status !== undefined) return status
    await delay(POLL_MS)
  }
  // It also ends because the server of another `drover up` was faster.
  const other = await askStatus(invocation)
  if (other !== undefined) return other
  throw localServerNotStarted({})
}

function formatStatus({ pid, version, is_background: isBackground, running, warm }: LocalStatus): string {
  const kind = isBackground ? 'in the background' : 'drover serve'
  const agents = warm.map(({ backend, state, turns }) => `  ${backend}: ${state}, ${turns} prompts\n`)
  const head = `running: process ${pid}, version ${version}, ${kind}; ${running} prompts run now\n`
  return `${head}${agents.length === 0 ? '  no agent is kept running\n' : agents.join('')}`
}
