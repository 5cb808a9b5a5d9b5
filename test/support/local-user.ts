import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { copyEmptyStore } from './empty-store.ts'
import { DROVER, runAt, temporaryDirectory } from './run-drover.ts'
import { installWarmAgents } from './warm-agents.ts'

/** A user with scripted agents that stay up, for `drover up`. */
export function createLocalUser(warm: Record<string, unknown> = {}, more: Record<string, string> = {}) {
  const home = temporaryDirectory()
  const work = join(home, 'work')
  mkdirSync(work)
  copyEmptyStore(join(home, '.drover', 'sessions.db'))
  const configure = (more: object) =>
    writeFileSync(join(home, '.drover', 'config.yaml'), JSON.stringify({ warm: { spare_after: 1, ...warm }, ...more }))
  configure({})
  const env = { ...more, HOME: home, PATH: `${installWarmAgents(join(home, 'bin'))}:/usr/bin:/bin` }
  const drover = (...args: string[]) => runAt(work, [process.execPath, DROVER, ...args], env)
  onTestFinished(async () => void (await drover('down')))
  const ask = async (order: unknown, ...flags: string[]) => drover(JSON.stringify(order), '-b', 'claude', ...flags)
  const pidIn = (text: string) => Number(/process (\d+)/.exec(text)?.[1])
  return { home, work, env, drover, ask, pidIn, configure, socket: join(home, '.drover', 'server.sock') }
}
