/** The time that drover adds to the start of bare Node. Budget: 30 ms with a warm compile cache. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { type Contender, formatTable, measure } from './measure.ts'
import { withPublished } from './published.ts'

const BUDGET_MS = 30
const ROUNDS = 40
const clone = join(import.meta.dirname, '..', 'bin', 'drover.cjs')

export async function benchStartUp(): Promise<string> {
  return await withPublished(async (published) => {
    const timings = await measure(
      [
        start('node -e 0 (bare)', ['-e', '0']),
        ...[
          { form: 'published', drover: published },
          { form: 'clone', drover: clone },
        ].flatMap(({ form, drover }) => [
          start(`${form}: drover --version`, [drover, '--version']),
          start(`${form}: drover --help`, [drover, '--help']),
          start(`${form}: drover frobnicate (unknown)`, [drover, 'frobnicate'], 2),
          start(`${form}: drover config get server.port`, [drover, 'config', 'get', 'server.port']),
        ]),
      ],
      ROUNDS,
    )
    const bare = timings[0]?.medianMs ?? 0
    const over = timings.filter(({ medianMs }) => medianMs - bare > BUDGET_MS).map(({ name }) => name)
    return `${formatTable('Start-up', timings)}\n  budget ${BUDGET_MS} ms above bare: ${over.length === 0 ? 'met' : `OVER: ${over.join('; ')}`}`
  })
}

function start(name: string, args: readonly string[], code = 0): Contender {
  return {
    name,
    once: () => {
      const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' })
      if (status !== code) throw new Error(`${name} exited ${status}`)
    },
  }
}
