/** What drover adds to the start of a bare Node. Budget: 30 ms once the compile cache is warm. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { formatTable, measure } from './measure.ts'

const BUDGET_MS = 30
const ROUNDS = 40
const drover = join(import.meta.dirname, '..', 'bin', 'drover.cjs')

export async function benchStartUp(): Promise<string> {
  const start = (name: string, args: readonly string[]) => ({
    name,
    once: () => void spawnSync(process.execPath, args, { stdio: 'ignore' }),
  })
  const timings = await measure(
    [
      start('node -e 0 (bare)', ['-e', '0']),
      start('drover --version', [drover, '--version']),
      start('drover --help', [drover, '--help']),
      start('drover frobnicate (unknown)', [drover, 'frobnicate']),
      start('drover config get server.port', [drover, 'config', 'get', 'server.port']),
    ],
    ROUNDS,
  )
  const bare = timings[0]?.medianMs ?? 0
  const over = timings.filter(({ medianMs }) => medianMs - bare > BUDGET_MS).map(({ name }) => name)
  const verdict =
    over.length === 0
      ? `within the budget of ${BUDGET_MS} ms`
      : `OVER the budget of ${BUDGET_MS} ms: ${over.join(', ')}`
  return `${formatTable('Start-up', timings)}\n  ${verdict}`
}
