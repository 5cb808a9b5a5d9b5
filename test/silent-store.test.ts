/** PostgreSQL behind a connection that accepts everything and answers nothing. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Execution } from '../src/executions/store/execution.shape.ts'
import { migratePostgres, openPostgres } from '../src/store/postgres-database.ts'
import { PostgresNotices } from '../src/store/postgres-notices.ts'
import { get } from '../src/store/sql.ts'
import { IS_FULL } from './support/full-counts.ts'
import { createPostgresDatabase, POSTGRES_PROGRAMS, PostgresServer, runSql } from './support/postgres.ts'
import { temporaryDirectory } from './support/run-drover.ts'
import { startSilentProxy } from './support/silent-proxy.ts'
import { type ServerOptions, startServer, type TestServer } from './support/start-server.ts'
import { isRunning } from './support/test-command.ts'
import { until } from './support/until.ts'

const HELLO = { backend: 'claude', prompt: 'say hello' }
const DEAD_AFTER_MS = 2000

async function createProxy(url: string) {
  const proxy = await startSilentProxy(url)
  onTestFinished(() => proxy.close())
  return proxy
}

const startOn = (url: string, machine: string, options: ServerOptions = {}) =>
  startServer({
    ...options,
    storeWaitMs: 500,
    postgres: { url, machine, deadAfterMs: DEAD_AFTER_MS, statementMs: 1000 },
  })

/** A claude that notes its process, says something, and never ends. */
function installEndlessAgent(): { bin: string; pids: () => number[] } {
  const bin = join(temporaryDirectory(), 'bin')
  const pids = join(bin, 'pids')
  mkdirSync(bin)
  const init = { type: 'system', subtype: 'init', session_id: '0b4c5a3e-8d70-4b8e-9a53-1d3c6a0f4b11', model: 'm' }
  const text = `#!/bin/sh
case "$*" in *--version*) echo '2.0.0 (Claude Code)'; exit 0 ;; esac
echo $$ >> '${pids}'
cat > /dev/null
echo '${JSON.stringify(init)}'
exec sleep 600
`
  writeFileSync(join(bin, 'claude'), text, { mode: 0o755 })
  const read = () => readFileSync(pids, 'utf8').split('\n').filter(Boolean).map(Number)
  return { bin, pids: () => (existsSync(pids) ? read() : []) }
}

/** Undefined if no worker has the agent. */
const detach = async (server: TestServer, prompt: string) => {
  const body = { backend: 'claude', prompt, detach: true }
  const { body: accepted } = await server.request('/api/v1/prompt', { method: 'POST', body })
  return (accepted as { execution_id?: string }).execution_id
}

describe.skipIf(POSTGRES_PROGRAMS === undefined)('a PostgreSQL that is silent', () => {
  it('fails every request with a clear error, until it answers again', async () => {
    const proxy = await createProxy(await createPostgresDatabase())
    const server = await startOn(proxy.url, 'one', { agents: 'demo' })
    expect((await server.request('/api/v1/prompt', { method: 'POST', body: HELLO })).status).toBe(200)
    proxy.silence()
    const requests = ['/api/v1/sessions', '/api/v1/executions', '/api/v1/usage'].map((path) => server.request(path))
    const prompts = Array.from({ length: 8 }, () => server.request('/api/v1/prompt', { method: 'POST', body: HELLO }))
    const health = server.request('/health')
    for (const { status, body } of await Promise.all([...requests, ...prompts])) {
      expect([status, body]).toMatchObject([
        503,
        { error: 'database_trouble', message: expect.stringContaining('PostgreSQL') },
      ])
    }
    const reasons = server.logged.map(({ fields }) => String(fields['reason']))
    expect(reasons.filter((reason) => reason.includes('check that PostgreSQL and the network work'))).not.toEqual([])
    expect(await health).toMatchObject({ status: 503, body: { status: 'unhealthy' } })
    proxy.speak()
    await until(async () => (await server.request('/health')).status === 200)
    expect((await server.request('/api/v1/prompt', { method: 'POST', body: HELLO })).status).toBe(200)
  })

  it.runIf(IS_FULL)('ends a transaction at its deadline, and the next one has a connection that works', async () => {
    const proxy = await createProxy(await createPostgresDatabase())
    const database = await openPostgres({ url: proxy.url, statementMs: 500, waitMs: 0 })
    const write = () => database.write(() => get('SELECT 1 AS one'))
    expect(await write()).toEqual({ one: 1 })
    const silent = { code: 'postgres_unavailable', message: expect.stringContaining('gives no answer') }
    const inside = database.write(function* () {
      yield* get('SELECT 1')
      proxy.silence()
      yield* get('SELECT 2')
    })
    await expect(inside).rejects.toMatchObject(silent)
    await expect(database.get('SELECT 1')).rejects.toMatchObject(silent)
    proxy.speakToNew()
    expect(await write()).toEqual({ one: 1 })
    proxy.silence()
    await database.close()
  })

  it.runIf(IS_FULL)('keeps no rows locked for a process that is cut off in the middle of a transaction', async () => {
    const url = await createPostgresDatabase()
    const proxy = await createProxy(url)
    const cutOff = await openPostgres({ url: proxy.url, statementMs: 1000, waitMs: 0 })
    const lock = 'SELECT version FROM schema_version FOR UPDATE'
    const cut = cutOff.write(function* () {
      yield* get(lock)
      proxy.silence()
      yield* get('SELECT 1')
    })
    await expect(cut).rejects.toThrow('gives no answer')
    const other = await openPostgres({ url, statementMs: 20_000 })
    await other.write(() => get(lock))
    await Promise.all([other.close(), cutOff.close()])
  })

  it.runIf(IS_FULL)('is noticed by a connection that only listens, which is replaced', async () => {
    const url = await createPostgresDatabase()
    const proxy = await createProxy(url)
    const database = await openPostgres({ url: proxy.url, statementMs: 500 })
    const notices = new PostgresNotices(database)
    const heard: string[] = []
    notices.watch(({ type }) => heard.push(type))
    await until(() => heard.length > 0)
    proxy.silence()
    proxy.speakToNew()
    await until(() => heard.length > 1)
    await runSql(url, `SELECT pg_notify('drover', '{"type":"queue","ids":[]}')`)
    await until(() => heard.length > 2)
    expect(heard).toEqual(['missed', 'missed', 'queue'])
    proxy.silence()
    await notices.close()
    await database.close()
  })

  it('lets a worker end its agents, whose executions are lost, and nothing runs twice', async () => {
    const url = await createPostgresDatabase()
    const proxy = await createProxy(url)
    const agent = installEndlessAgent()
    const env = { PATH: `${agent.bin}:/usr/bin:/bin` }
    const worker = await startOn(proxy.url, 'one', { agents: 'none', env })
    const door = await startOn(url, 'door', { agents: 'none', isWorker: false })
    // A process with a name also looks for others that have died.
    await door.context.drover.opened.sessions.owner()
    const stateOf = async (id: string) =>
      ((await door.request(`/api/v1/executions/${id}`)).body as Execution | undefined)?.state
    const first = (await detach(door, 'an endless task')) ?? ''
    const [pid = 0] = await until(() => agent.pids().length > 0 && agent.pids())
    await until(async () => (await stateOf(first)) === 'running')
    proxy.silence()
    await until(() => !isRunning(pid))
    expect(worker.logged.map(({ message }) => message)).toContain(
      'the store does not answer, so what ran here is stopped: other machines may take over',
    )
    await until(async () => (await stateOf(first)) === 'lost')
    proxy.speak()
    const second = await until(() => detach(door, 'another endless task'))
    await until(async () => (await stateOf(second)) === 'running')
    await until(() => agent.pids().length > 1)
    expect([agent.pids().length, await stateOf(first)]).toEqual([2, 'lost'])
    await door.request(`/api/v1/executions/${second}/cancel`, { method: 'POST' })
    await until(async () => (await stateOf(second)) === 'cancelled')
  })
})

describe.skipIf(POSTGRES_PROGRAMS === undefined)('a PostgreSQL that does not run', () => {
  it.runIf(IS_FULL)('costs no agent its work, because no other machine can take over', async () => {
    const proxy = await createProxy(await createPostgresDatabase())
    const agent = installEndlessAgent()
    const worker = await startOn(proxy.url, 'one', { agents: 'none', env: { PATH: `${agent.bin}:/usr/bin:/bin` } })
    const id = await detach(worker, 'an endless task')
    const [pid = 0] = await until(() => agent.pids().length > 0 && agent.pids())
    proxy.refuse()
    // It looks at the queue every two seconds, which is as long as it may be silent.
    const failures = () => worker.logged.filter(({ message }) => message === 'the queue could not be read')
    await until(() => failures().length > 2)
    expect([
      isRunning(pid),
      worker.logged.filter(({ message }) => message.includes('what ran here is stopped')),
    ]).toEqual([true, []])
    await proxy.listen()
    const cancel = () => worker.request(`/api/v1/executions/${id}/cancel`, { method: 'POST' })
    await until(async () => (await cancel()).status < 400)
    await until(() => !isRunning(pid))
  })
})

describe.skipIf(POSTGRES_PROGRAMS === undefined)('an address with several hosts', () => {
  const addressOf = (...proxies: { url: string }[]) => {
    const addresses = proxies.map(({ url }) => new URL(url))
    return `postgres://drover@${addresses.map(({ host }) => host).join(',')}${addresses[0]?.pathname}`
  }

  it.runIf(IS_FULL)('is used at the host that answers', async () => {
    const url = await createPostgresDatabase()
    const [first, second] = [await createProxy(url), await createProxy(url)]
    first.refuse()
    const server = await startOn(addressOf(first, second), 'one', { agents: 'demo' })
    const prompt = () => server.request('/api/v1/prompt', { method: 'POST', body: HELLO })
    expect((await prompt()).status).toBe(200)
    await first.listen()
    second.refuse()
    await until(async () => (await prompt()).status === 200)
    expect(await runSql(url, "SELECT count(*)::int AS n FROM executions WHERE state = 'completed'")).toEqual([{ n: 2 }])
  })

  it.runIf(IS_FULL)('is used at the host that can be written', async () => {
    const url = await createPostgresDatabase()
    const name = new URL(url).pathname.slice(1)
    const standby = await PostgresServer.start()
    onTestFinished(() => standby.stop({ isLast: true }))
    await runSql(standby.urlOf('postgres'), `CREATE DATABASE ${name}`)
    await migratePostgres({ url: standby.urlOf(name) })
    await runSql(standby.urlOf(name), `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    const address = addressOf(await createProxy(standby.urlOf(name)), await createProxy(url))
    const server = await startOn(address, 'one', { agents: 'demo' })
    expect((await server.request('/api/v1/prompt', { method: 'POST', body: HELLO })).status).toBe(200)
    expect(await runSql(url, 'SELECT state FROM executions')).toEqual([{ state: 'completed' }])
  })
})
