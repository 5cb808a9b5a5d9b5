/** The version before the last change of the tables, beside this one, on the tables of this one. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { IS_FULL } from './support/full-counts.ts'
import { createPostgresDatabase, POSTGRES_PROGRAMS, runSql } from './support/postgres.ts'
import { findPreviousVersion } from './support/previous-version.ts'
import { SOURCES } from './support/run-drover.ts'
import { portOf, startDrover } from './support/serve-drover.ts'
import { until } from './support/until.ts'

const previous = findPreviousVersion()

/** A server and a worker, each of the version that the program is. */
async function start(programs: { server: string; worker: string }) {
  const env = { DROVER_STORE_URL: await createPostgresDatabase(), DROVER_SERVER_LOCAL_SOCKET: 'false' }
  const serve = ['serve', '--no-work', '--port', '0', '--quiet']
  const server = startDrover(serve, { ...env, DROVER_STORE_MACHINE: 'door' }, { drover: programs.server })
  const worker = startDrover(
    ['work', '--demo', '--quiet'],
    { ...env, DROVER_STORE_MACHINE: 'one' },
    { drover: programs.worker },
  )
  await until(() => worker.heard.stdout.includes('Press Ctrl-C'))
  return { url: env.DROVER_STORE_URL, worker, address: `http://127.0.0.1:${await portOf(server)}/api/v1` }
}

const post = async (url: string, body: object) => {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe.runIf(IS_FULL && POSTGRES_PROGRAMS !== undefined && previous !== undefined)(
  'the version before the last change of the tables',
  () => {
    it.each([
      ['has prompts run by a worker of this version', { isServer: true }],
      ['runs prompts for a server of this version', { isServer: false }],
    ])('%s', async (_what, { isServer }) => {
      const old = previous?.unpack()
      onTestFinished(() => old?.[Symbol.dispose]())
      const [oldProgram = '', newProgram] = [old?.drover, SOURCES]
      const programs = isServer
        ? { server: oldProgram, worker: newProgram }
        : { server: newProgram, worker: oldProgram }
      const { url, worker, address } = await start(programs)
      const first = await post(`${address}/prompt`, { backend: 'claude', prompt: 'say hello' })
      expect([first.status, first.body]).toMatchObject([
        200,
        { exit_code: 0, output: expect.stringContaining('hello') },
      ])
      const next = await post(`${address}/sessions/${first.body['session_id']}/resume`, { prompt: 'say it again' })
      expect([next.status, next.body]).toMatchObject([200, { exit_code: 0 }])
      worker.child.kill('SIGTERM')
      expect(await worker.ended).toBe(0)
      expect(await runSql(url, 'SELECT DISTINCT state FROM executions')).toEqual([{ state: 'completed' }])
    })
  },
)
