/** Requests over the socket in the per-user directory come from the user of the server. */
import { existsSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { closeLocally, listenLocally } from '../../src/http/listen.ts'
import { ask, type ServerOptions, startServer, type TestServer } from '../support/start-server.ts'

async function startWithSocket(options: ServerOptions = {}) {
  const server = await startServer(options)
  const socketPath = join(server.home, 'server.sock')
  const listens = await openSocket(server, socketPath)
  return { ...server, socketPath, listens }
}

async function openSocket({ http, context }: TestServer, path: string): Promise<boolean> {
  const listens = await listenLocally(http.localListener, path, context.log)
  onTestFinished(() => closeLocally(http.localListener))
  return listens
}

it('needs no key, sees the executions of every key and has no rate limit', async () => {
  const { socketPath, request } = await startWithSocket({
    env: { DROVER_API_KEYS: 'the-key-of-another' },
    server: { rate_limit_enabled: true, rate_limit_rps: 1, rate_limit_burst: 2 },
  })
  const headers = { 'x-api-key': 'the-key-of-another' }
  const body = { backend: 'claude', prompt: 'hi' }
  const asked = await request('/api/v1/prompt', { method: 'POST', headers, body })
  const { execution_id: id } = asked.body as { execution_id: string }
  for (let at = 0; at < 4; at += 1) {
    const answer = await ask({ socketPath, path: `/api/v1/executions/${id}`, headers: { host: 'anything.example' } })
    expect(answer).toMatchObject({ status: 200, body: { id, state: 'completed' } })
  }
})

it('takes requests with any host and origin, because no page can send one', async () => {
  const { socketPath, request } = await startWithSocket()
  const headers = { host: 'anything.example', origin: 'https://anything.example' }
  expect((await request('/api/v1/executions', { headers })).status).toBe(403)
  expect((await ask({ socketPath, path: '/api/v1/executions', headers })).status).toBe(200)
})

it('runs prompts as the command line does: without ceilings, in any directory, without the tag of clients', async () => {
  const { socketPath, workdir, request } = await startWithSocket({
    server: { max_approval_mode: 'always', blocked_workdir_prefixes: [realpathSync(tmpdir())] },
  })
  const body = { backend: 'claude', prompt: 'hi', approval_mode: 'none', workdir }
  expect((await request('/api/v1/prompt', { method: 'POST', body })).status).not.toBe(200)
  const answer = await ask({ socketPath, path: '/api/v1/prompt', method: 'POST', body })
  expect(answer).toMatchObject({ status: 200 })
  const { session_id: id } = answer.body as { session_id: string }
  const session = await ask({ socketPath, path: `/api/v1/sessions/${id}` })
  expect(session.body).toMatchObject({ tags: [], policy: { approval_mode: 'none' } })
})

it('is left to the server that has it, with a line in the log', async () => {
  const first = await startWithSocket()
  const second = await startServer()
  expect(await openSocket(second, first.socketPath)).toBe(false)
  expect(second.logged).toMatchObject([{ level: 'info', fields: { socket: first.socketPath } }])
  expect((await ask({ socketPath: first.socketPath, path: '/health' })).status).toBe(200)
})

it('creates the per-user directory, which nothing else creates with PostgreSQL', async () => {
  const server = await startServer()
  const directory = join(server.home, 'new')
  expect(await openSocket(server, join(directory, 'server.sock'))).toBe(true)
  expect(statSync(directory).mode & 0o777).toBe(0o700)
})

it('is not there if the path is a file or too long; the server works without it', async () => {
  const server = await startServer()
  const file = join(server.home, 'file')
  writeFileSync(file, 'precious')
  const long = join(server.home, 'x'.repeat(120))
  expect([await openSocket(server, file), await openSocket(server, long)]).toEqual([false, false])
  expect(server.logged.map(({ level }) => level)).toEqual(['warn', 'warn'])
  expect(existsSync(long)).toBe(false)
})
