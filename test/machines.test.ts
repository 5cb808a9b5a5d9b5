/** Machines that are drained, have labels, and serve what waits by its priority. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { openStores } from '../src/executions/store/open-stores.ts'
import type { Stores } from '../src/executions/store/stores.ts'
import { systemClock } from '../src/kit/clock.ts'
import { randomIds } from '../src/kit/ids.ts'
import type { Priority } from '../src/prompts/fair-queue.ts'
import { IS_FULL } from './support/full-counts.ts'
import { createLargeStore } from './support/large-store.ts'
import { createPostgresDatabase, POSTGRES_PROGRAMS, runSql } from './support/postgres.ts'
import { runDrover } from './support/run-drover.ts'
import { startDrover } from './support/serve-drover.ts'
import { startServer, type TestServer } from './support/start-server.ts'
import { until } from './support/until.ts'

const FACTS = { backends: ['claude'], repositories: [], slots: 8 }
const NO_LIMITS = { perKey: 0, perBackend: 0 }
const WAITING = IS_FULL ? 10_000 : 2000

const startDoor = (url: string) => startServer({ agents: 'none', isWorker: false, postgres: { url, machine: 'door' } })

const detach = async (server: TestServer, over: object = {}) => {
  const body = { backend: 'claude', prompt: 'say hello', detach: true, ...over }
  const { status, body: answer } = await server.request('/api/v1/prompt', { method: 'POST', body })
  return { status, ...(answer as { execution_id?: string; error?: string }) }
}

const stateOf = async (server: TestServer, id = '') =>
  ((await server.request(`/api/v1/executions/${id}`)).body as { state?: string }).state

const machinesAt = async (server: TestServer) =>
  (await server.request('/api/v1/machines')).body as { machines: { name: string; state: string }[] }

async function openQueue(url: string): Promise<Required<Stores>> {
  const stores = await openStores({
    ...{ clock: systemClock, ids: randomIds },
    postgres: { url, machine: 'here', deadAfterMs: 20_000 },
  })
  onTestFinished(() => stores.sessions.close())
  return stores as Required<Stores>
}

describe.skipIf(POSTGRES_PROGRAMS === undefined)('machines that share a PostgreSQL store', () => {
  it('are drained by drover work --drain: what runs ends, nothing more starts, and the worker exits', async () => {
    const url = await createPostgresDatabase()
    const env = { DROVER_STORE_URL: url, DROVER_STORE_MACHINE: 'one' }
    const args = ['work', '--demo', '--label', 'gpu']
    const worker = startDrover(args, { ...env, DEMO_AGENT_WORD_MS: '100' })
    const door = await startDoor(url)
    await until(() => worker.heard.stdout.includes('Press Ctrl-C'))
    const { execution_id: id } = await detach(door, { label: 'gpu' })
    await until(async () => (await stateOf(door, id)) === 'running')
    const drained = runDrover(['work', '--drain', '--json'], { env })
    await until(async () => (await machinesAt(door)).machines[0]?.state === 'draining')
    expect(await detach(door)).toMatchObject({ status: 503, error: 'worker_missing' })
    const { code, stdout } = await drained
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { name: 'one', state: 'drained', claims: 1, lost: 0 }])
    expect([await worker.ended, await stateOf(door, id)]).toEqual([0, 'completed'])
    const machines = (...words: string[]) => runDrover(['machines', ...words], { env })
    expect((await machines()).stdout).toMatch(/^MACHINE +STATE .*\none +drained +0\/0 /)
    expect((await machines('forget', 'one')).stdout).toBe('forgot one\n')
    expect(await machines('forget', 'one')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no machine one'),
    })
  })

  it('take work again when a worker is started there, and are not forgotten while it runs', async () => {
    const url = await createPostgresDatabase()
    const one = await startServer({ agents: 'demo', postgres: { url, machine: 'one' } })
    const send = (method: string, path: string) => one.request(`/api/v1/machines/${path}`, { method })
    expect((await send('POST', 'one/drain')).body).toMatchObject({ name: 'one', slots: expect.any(Number) })
    await until(async () => (await machinesAt(one)).machines[0]?.state === 'drained')
    const again = await startServer({ agents: 'demo', postgres: { url, machine: 'one' } })
    expect(await machinesAt(again)).toMatchObject({ machines: [{ name: 'one', state: 'working' }] })
    expect((await send('DELETE', 'one')).body).toMatchObject({ error: 'machine_in_use' })
    expect((await send('POST', 'two/drain')).body).toMatchObject({ error: 'machine_not_found' })
  })

  it('run a prompt that requires a label only where it is, and tell how many wait for it', async () => {
    const url = await createPostgresDatabase()
    const work = { required_labels: ['/srv/ml=gpu'] }
    const one = await startServer({ agents: 'demo', postgres: { url, machine: 'one' }, config: { work } })
    const ids = [await detach(one, { label: 'gpu' }), await detach(one, { workdir: '/srv/ml/model' })]
    const other = await detach(one)
    await until(async () => (await stateOf(one, other.execution_id)) === 'completed')
    expect(await machinesAt(one)).toMatchObject({ waits_for_labels: [{ label: 'gpu', waiting: 2 }] })
    const doctor = await runDrover(['doctor', '--json'], { env: { DROVER_STORE_URL: url } })
    expect(doctor.stdout).toContain('prompts that wait for a machine with the label gpu: 2')
    await startServer({ agents: 'demo', postgres: { url, machine: 'two' }, config: { work: { labels: ['gpu'] } } })
    await until(async () => (await stateOf(one, ids[0]?.execution_id)) === 'completed')
    // Its directory does not exist there, so it cannot run, but it was taken.
    await until(async () => (await stateOf(one, ids[1]?.execution_id)) === 'failed')
    expect(await machinesAt(one)).toMatchObject({ machines: [{ claims: 1 }, { claims: 2 }], waits_for_labels: [] })
  })

  it('serve a key by priority, and what is low after all other keys, until it has waited for ten minutes', async () => {
    const url = await createPostgresDatabase()
    const { queue } = await openQueue(url)
    const add = async (id: string, keyId: string, priority: Priority = 'normal') => {
      const execution = {
        ...{ id, kind: 'prompt', backend: 'claude', state: 'queued', owner: '', key_id: keyId, last_seq: 0 },
        created_at: new Date().toISOString(),
      } as const
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
