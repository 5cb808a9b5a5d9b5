import { spawnSync } from 'node:child_process'
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Stores } from '../../src/executions/store/stores.ts'
import type { SessionStore } from '../../src/sessions/session-store.ts'
import { installFakeAgents } from '../support/fake-agent.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { IS_ON_POSTGRES, startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const demo = (name: string) => ({ name, available: true, demo: true })

const ALL_DISABLED = { claude: { enabled: false }, codex: { enabled: false }, gemini: { enabled: false } }

describe('/health', () => {
  it('has version, uptime, agents and sessions', async () => {
    const server = await startServer({ agents: 'demo' })
    const { status, body } = await server.request('/health')
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'ok',
      version: '1.2.3',
      uptime: expect.stringMatching(/^\d+s$/),
      uptime_ms: expect.any(Number),
      backends: [demo('claude'), demo('codex'), demo('gemini')],
      session_store: { available: true, session_count: 0 },
    })
  })

  it('is degraded if an enabled agent is not installed', async () => {
    const server = await startServer({ agents: 'none', config: { backends: { codex: { enabled: false } } } })
    const { status, body } = await server.request('/health')
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        status: 'degraded',
        backends: [
          { name: 'claude', available: false },
          { name: 'gemini', available: false },
        ],
      },
    })
  })

  it('ignores disabled agents', async () => {
    const server = await startServer({ agents: 'none', config: { backends: ALL_DISABLED } })
    expect((await server.request('/health')).body).toMatchObject({ status: 'ok', backends: [] })
  })

  it('has the version of an agent once it is known, without waiting for it', async () => {
    const directory = installFakeAgents(temporaryDirectory(), ['codex'])
    const server = await startServer({ agents: 'demo', env: { PATH: directory } })
    await until(async () => (await versionsFrom(server))[1] !== null)
    const { body } = await server.request('/health')
    expect(body).toMatchObject({
      backends: [
        demo('claude'),
        { name: 'codex', available: true, version: expect.stringMatching(/^\d/) },
        demo('gemini'),
      ],
    })
  })

  it('is unhealthy, with 503, if the session store fails, and only logs the cause', async () => {
    const broken = {
      checkWritable: async () => {
        throw new Error('/secret/sessions.db is gone')
      },
    } as unknown as SessionStore
    const server = await startServer({ changeStores: (stores) => ({ ...stores, sessions: broken }) })
    const { status, body, text } = await server.request('/health')
    expect({ status, body }).toMatchObject({
      status: 503,
      body: {
        status: 'unhealthy',
        session_store: { available: false, session_count: 0, error: 'the session store is not available' },
      },
    })
    expect(text).not.toContain('secret')
    await until(() => server.logged.length > 0)
    expect(server.logged[0]).toMatchObject({ level: 'error', fields: { reason: '/secret/sessions.db is gone' } })
  })
})

describe('/ready', () => {
  it('is 200 while the server can store sessions, 503 if it cannot, and 503 while it stops', async () => {
    let isBroken = false
    const changeStores = (stores: Stores): Stores => {
      const checkWritable = async () => {
        if (isBroken) throw new Error('/secret/sessions.db is gone')
      }
      Object.assign(stores.sessions, { checkWritable })
      return stores
    }
    const server = await startServer({ changeStores })
    const ready = async () => {
      const { status, text } = await server.request('/ready')
      return [status, text]
    }
    expect(await ready()).toEqual([200, '{"ready":true}'])
    isBroken = true
    await until(async () => (await ready())[0] === 503)
    expect(await ready()).toEqual([503, '{"ready":false}'])
    isBroken = false
    await until(async () => (await ready())[0] === 200)
    server.shutdown.abort()
    expect((await ready())[0]).toBe(503)
  })
})

describe.skipIf(IS_ON_POSTGRES)('a session file that is removed while the server runs', () => {
  it.runIf(IS_FULL)('makes /health 503 and fails requests that need it, until it is back', async () => {
    const server = await startServer({ agents: 'demo' })
    const path = join(server.home, 'sessions.db')
    const statusOf = async (target: string, options = {}) => (await server.request(target, options)).status
    const prompt = (more: object) => ({
      method: 'POST',
      body: { backend: 'claude', prompt: 'hi', dry_run: true, ...more },
    })
    expect(await statusOf('/health')).toBe(200)
    renameSync(path, `${path}.away`)
    await until(async () => (await statusOf('/health')) === 503)
    expect(server.logged.at(-1)).toMatchObject({
      level: 'error',
      fields: {
        reason: `${path} cannot be used: it was removed or replaced while drover used it (put it back, or restart drover); fix that and try again`,
      },
    })
    expect(await server.request('/api/v1/prompt', prompt({}))).toMatchObject({
      status: 200,
      body: { session_id: '', warnings: ['the session could not be saved; the server log has the reason'] },
    })
    expect(await statusOf('/api/v1/sessions')).toBe(503)
    expect(await statusOf('/api/v1/prompt', prompt({ ephemeral: true }))).toBe(200)
    writeFileSync(path, '')
    expect(await statusOf('/api/v1/sessions')).toBe(503)
    renameSync(`${path}.away`, path)
    expect(await statusOf('/api/v1/sessions')).toBe(200)
    await until(async () => (await statusOf('/health')) === 200)
  })
})

describe('/api/v1/backends', () => {
  it('does not run a disabled agent', async () => {
    const directory = temporaryDirectory()
    const trace = join(directory, 'was-run')
    writeFileSync(join(directory, 'claude'), `#!/bin/sh\necho > '${trace}'; echo 1.2.3\n`, { mode: 0o755 })
    const env = { PATH: directory }
    const start = (enabled: boolean) =>
      startServer({ agents: 'demo', env, config: { backends: { claude: { enabled } } } })
    const disabled = await (await start(false)).request('/api/v1/backends')
    expect([disabled.body, existsSync(trace)]).toMatchObject([{ backends: [{ version: null }, {}, {}] }, false])
    const server = await start(true)
    await until(async () => (await versionsFrom(server))[0] === '1.2.3')
    expect(existsSync(trace)).toBe(true)
  })

  it('answers at once, with null, while an agent has not printed its version', async () => {
    const directory = temporaryDirectory()
    const gate = join(directory, 'gate')
    spawnSync('mkfifo', [gate])
    writeFileSync(join(directory, 'claude'), `#!/bin/sh\nread line < ${gate}\necho 1.2.3\n`, { mode: 0o755 })
    const server = await startServer({ agents: 'demo', env: { PATH: directory } })
    expect(await versionsFrom(server)).toEqual([null, null, null])
    writeFileSync(gate, 'go\n')
    await until(async () => (await versionsFrom(server))[0] === '1.2.3')
  })

  it('lists every agent in canonical order, with its capabilities', async () => {
    const directory = installFakeAgents(temporaryDirectory(), ['codex'])
    const server = await startServer({
      agents: 'demo',
      env: { PATH: directory },
      config: { default_backend: 'gemini', backends: { claude: { enabled: false } } },
    })
    await until(async () => (await versionsFrom(server))[1] !== null)
    const { body, text } = await server.request('/api/v1/backends')
    expect(body).toEqual({
      backends: [
        {
          name: 'claude',
          available: false,
          enabled: false,
          default: false,
          demo: true,
          version: null,
          capabilities: expect.objectContaining({ resume: true }),
          warm: { idle: 0, busy: 0 },
        },
        {
          name: 'codex',
          available: true,
          enabled: true,
          default: false,
          demo: false,
          version: expect.stringMatching(/^\d+\.\d+\.\d+/),
          capabilities: expect.objectContaining({ os_sandbox: true }),
          warm: { idle: 0, busy: 0 },
        },
        {
          name: 'gemini',
          available: true,
          enabled: true,
          default: true,
          demo: true,
          version: null,
          capabilities: expect.objectContaining({ deltas: true }),
          warm: { idle: 0, busy: 0 },
        },
      ],
    })
    expect(text).not.toContain(directory)
  })
})

async function versionsFrom(server: TestServer): Promise<(string | null)[]> {
  const { body } = await server.request('/api/v1/backends')
  return (body as { backends: { version: string | null }[] }).backends.map(({ version }) => version)
}
