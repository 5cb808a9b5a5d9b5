/** Machines that are drained, have labels, and serve what waits by its priority. */
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Execution } from '../src/executions/store/execution.shape.ts'
import { openStores } from '../src/executions/store/open-stores.ts'
import type { Stores } from '../src/executions/store/stores.ts'
import { systemClock } from '../src/kit/clock.ts'
import { digest } from '../src/kit/digest.ts'
import { randomIds } from '../src/kit/ids.ts'
import type { Priority } from '../src/prompts/fair-queue.ts'
import { IS_FULL } from './support/full-counts.ts'
import { createLargeStore } from './support/large-store.ts'
import { createPostgresDatabase, POSTGRES_PROGRAMS, runSql } from './support/postgres.ts'
import { runDrover, temporaryDirectory } from './support/run-drover.ts'
import { startDrover } from './support/serve-drover.ts'
import { startServer, type TestServer } from './support/start-server.ts'
import { until } from './support/until.ts'

const FACTS = { backends: ['claude'], repositories: [], slots: 8 }
const NO_LIMITS = { perKey: 0, perBackend: 0 }
const WAITING = IS_FULL ? 10_000 : 2000

const SECRET = 'root-key-0123456789'
const keys = [{ name: 'root', sha256: digest(SECRET).replace('sha256:', ''), role: 'admin' }]
const headers = { authorization: `Bearer ${SECRET}` }

const startOn = (url: string, machine: string, work: object = {}) =>
  startServer({ agents: 'demo', postgres: { url, machine }, server: { keys }, config: { work } })

const startDoor = (url: string) =>
  startServer({ agents: 'none', isWorker: false, postgres: { url, machine: 'door' }, server: { keys } })

const detach = async (server: TestServer, over: object = {}) => {
  const body = { backend: 'claude', prompt: 'say hello', detach: true, ...over }
  const { status, body: answer } = await server.request('/api/v1/prompt', { method: 'POST', body, headers })
  return { status, ...(answer as { execution_id?: string; error?: string }) }
}

const stateOf = async (server: TestServer, id = '') =>
  ((await server.request(`/api/v1/executions/${id}`, { headers })).body as { state?: string }).state

const machinesAt = async (server: TestServer) =>
  (await server.request('/api/v1/machines', { headers })).body as { machines: { name: string; state: string }[] }

/** A claude that ends when it is let. */
function installPatientAgent(): { bin: string; letEnd: () => void } {
  const bin = temporaryDirectory()
  const result = { type: 'result', subtype: 'success', is_error: false, result: 'done', session_id: randomUUID() }
  const text = `#!/bin/sh
case "$*" in *--version*) echo '2.0.0 (Claude Code)'; exit 0 ;; esac
while [ ! -f '${bin}/end' ]; do sleep 0.05; done
echo '${JSON.stringify(result)}'
`
  writeFileSync(join(bin, 'claude'), text, { mode: 0o755 })
  return { bin, letEnd: () => writeFileSync(join(bin, 'end'), '') }
}

async function openQueue(url: string): Promise<Required<Stores>> {
  const stores = await openStores({
    ...{ clock: systemClock, ids: randomIds },
    postgres: { url, machine: 'here', deadAfterMs: 20_000 },
  })
  onTestFinished(() => stores.sessions.close())
  return stores as Required<Stores>
}

describe.skipIf(POSTGRES_PROGRAMS === undefined)('machines that share a PostgreSQL store', () => {
  it.runIf(IS_FULL)(
    'are drained by drover work --drain: what runs ends, nothing more starts, and the worker exits',
    async () => {
      const url = await createPostgresDatabase()
      const env = { DROVER_STORE_URL: url, DROVER_STORE_MACHINE: 'one' }
      const { bin, letEnd } = installPatientAgent()
      const worker = startDrover(['work', '--label', 'gpu'], { ...env, PATH: `${bin}:/usr/bin:/bin` })
      const door = await startDoor(url)
      await until(() => worker.heard.stdout.includes('Press Ctrl-C'))
      const { execution_id: id } = await detach(door, { label: 'gpu' })
      await until(async () => (await stateOf(door, id)) === 'running')
      const drained = runDrover(['work', '--drain'], { env })
      await until(async () => (await machinesAt(door)).machines[0]?.state === 'draining')
      expect(await detach(door)).toMatchObject({ status: 503, error: 'worker_missing' })
      letEnd()
      expect(await drained).toMatchObject({ code: 0, stdout: 'one is drained\n' })
      expect([await worker.ended, await stateOf(door, id)]).toEqual([0, 'completed'])
      const machines = (...words: string[]) => runDrover(['machines', ...words], { env })
      const { stdout } = await machines('--json')
      expect(JSON.parse(stdout)).toMatchObject({ machines: [{ name: 'one', state: 'drained', claims: 1, lost: 0 }] })
      expect((await machines()).stdout).toMatch(/^MACHINE +STATE .*\none +drained +0\/0 /)
      expect((await machines('forget', 'one')).stdout).toBe('forgot one\n')
      expect(await machines('forget', 'one')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('no machine one'),
      })
    },
  )

  it('take work again when a worker is started there, and are not forgotten while it runs', async () => {
    const url = await createPostgresDatabase()
    const one = await startOn(url, 'one')
    const send = (method: string, path: string) => one.request(`/api/v1/machines/${path}`, { method, headers })
    expect((await send('POST', 'one/drain')).body).toMatchObject({ name: 'one', slots: expect.any(Number) })
    await until(async () => (await machinesAt(one)).machines[0]?.state === 'drained')
    const again = await startOn(url, 'one')
    expect(await machinesAt(again)).toMatchObject({ machines: [{ name: 'one', state: 'working' }] })
    expect((await send('DELETE', 'one')).body).toMatchObject({ error: 'machine_in_use' })
    expect((await send('POST', 'two/drain')).body).toMatchObject({ error: 'machine_not_found' })
  })

  it.runIf(IS_FULL)('run a prompt that requires a label only where it is, and tell how many wait for it', async () => {
    const url = await createPostgresDatabase()
    const one = await startOn(url, 'one', { required_labels: ['/srv/ml=gpu'] })
    const ids = [await detach(one, { label: 'gpu' }), await detach(one, { workdir: '/srv/ml/model' })]
    const other = await detach(one)
    await until(async () => (await stateOf(one, other.execution_id)) === 'completed')
    expect(await machinesAt(one)).toMatchObject({ waits_for_labels: [{ label: 'gpu', waiting: 2 }] })
    const doctor = await runDrover(['doctor', '--json'], { env: { DROVER_STORE_URL: url } })
    expect(doctor.stdout).toContain('prompts that wait for a machine with the label gpu: 2')
    await startOn(url, 'two', { labels: ['gpu'] })
    await until(async () => (await stateOf(one, ids[0]?.execution_id)) === 'completed')
    // Its directory does not exist there, so it cannot run, but it was taken.
    await until(async () => (await stateOf(one, ids[1]?.execution_id)) === 'failed')
    expect(await machinesAt(one)).toMatchObject({ machines: [{ claims: 1 }, { claims: 2 }], waits_for_labels: [] })
  })

  it('serve a key by priority, and what is low after all other keys, until it has waited for ten minutes', async () => {
    const url = await createPostgresDatabase()
    const { queue } = await openQueue(url)
    const add = async (id: string, keyId: string, priority: Priority = 'normal') => {
      const execution: Execution = {
        ...{ id, kind: 'prompt', backend: 'claude', state: 'queued', owner: '', key_id: keyId, last_seq: 0 },
        created_at: new Date().toISOString(),
      }
      const work = { keep: 'events', countsUsage: true, request: '{}', machine: undefined, waiter: undefined } as const
      await queue.add({ execution, ...work, priority })
    }
    await add('aged', 'a', 'low')
    await runSql(url, "UPDATE executions SET rank_at = rank_at - interval '11 minutes'")
    for (const [id, key, priority] of [
      ['low', 'a', 'low'],
      ['normal', 'b'],
      ['another', 'b'],
      ['high', 'b', 'high'],
    ] as const)
      await add(id, key, priority)
    const order: (string | undefined)[] = []
    for (let at = 0; at < 6; at++) order.push((await queue.claim(FACTS, NO_LIMITS))?.id)
    // What was claimed before counts as running, so keys take turns.
    expect(order).toEqual(['high', 'aged', 'normal', 'another', 'low', undefined])
  })

  it(`read few rows for a claim while ${WAITING} wait, by priority`, async () => {
    const url = await createLargeStore({ executions: 100, waiting: WAITING })
    await runSql(url, "UPDATE executions SET rank_at = rank_at + number % 3 * interval '10 minutes' WHERE owner = ''")
    await runSql(url, 'VACUUM ANALYZE executions')
    await runSql(url, 'SELECT pg_stat_reset()')
    const { queue, sessions } = await openQueue(url)
    expect(await queue.claim(FACTS, NO_LIMITS)).toBeDefined()
    await sessions.close()
    const sql =
      "SELECT seq_scan::int AS scans, idx_tup_fetch::int AS rows FROM pg_stat_user_tables WHERE relname = 'executions'"
    const [read] = await runSql(url, sql)
    // 20 keys wait, and 8 of each are looked at.
    expect([read?.['scans'], Number(read?.['rows']) < 1000]).toEqual([0, true])
  })
})
