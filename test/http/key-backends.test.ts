/** An API key that may use only some of the agents. The default agent, claude, is not one of them. */
import { join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import type { DrivenRun } from '../../src/drive/service/driven-run.shape.ts'
import { digest } from '../../src/kit/digest.ts'
import { installFakeAgent } from '../support/fake-agent.ts'
import { connectClient } from '../support/mcp-client.ts'
import { createPostgresDatabase, POSTGRES_PROGRAMS } from '../support/postgres.ts'
import { RUNS, runClient, serveRuns } from '../support/served-runs.ts'
import { startServer } from '../support/start-server.ts'

const SECRET = 'a-key-with-its-own-agents'
const DESK = 'the-key-of-the-desk'
const headers = { authorization: `Bearer ${SECRET}`, 'anthropic-version': '2023-06-01' }
const keyWith = (more: object) => ({ name: 'ci', sha256: digest(SECRET).replace('sha256:', ''), ...more })
const desk = { name: 'desk', role: 'operator', sha256: digest(DESK).replace('sha256:', '') }
const LIMITED = keyWith({ backends: ['codex'] })
const REFUSED = 'the agent "claude" cannot be used: backends of the key ci does not have it; use codex'
const QUESTION = {
  outcome: {
    status: 'needs_input',
    pause: { reason: 'decision_required', question: 'Knots or km/h?', destructive_request: null },
    suggested_actions: [],
  },
}
const asked = (backend: string) => ({ backend, prompt: 'say hello' })
const messages = [{ role: 'user', content: 'say hello' }]

async function start(key: object = LIMITED, section: object = {}) {
  const server = await startServer({ server: { keys: [key], ...section } })
  const post = (path: string, body: object) => server.request(path, { method: 'POST', body, headers })
  return { server, post }
}

describe('a key with agents', () => {
  it.each<[string, (backend: string) => object]>([
    ['/api/v1/prompt', asked],
    ['/api/v1/prompt', (backend) => ({ ...asked(backend), dry_run: true })],
    ['/api/v1/prompt', (backend) => ({ ...asked('codex'), fallback: [backend] })],
    ['/openai/v1/chat/completions', (model) => ({ model, messages })],
    ['/openai/v1/responses', (model) => ({ model, input: 'say hello' })],
    ['/anthropic/v1/messages', (model) => ({ model, messages, max_tokens: 9 })],
    ['/api/v1/parallel', (backend) => ({ tasks: [asked('codex'), asked(backend)] })],
    ['/api/v1/chain', (backend) => ({ steps: [asked('codex'), asked(backend)] })],
    ['/api/v1/compare', (backend) => ({ prompt: 'say hello', backends: ['codex', backend] })],
  ])('uses no other one through %s', async (path, bodyFor) => {
    const { server, post } = await start()
    const refused = await post(path, bodyFor('claude'))
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining(JSON.stringify(REFUSED).slice(1, -1))])
    expect((await server.request('/api/v1/executions', { headers })).body).toMatchObject({ executions: [] })
    expect((await post(path, bodyFor('codex'))).status).toBe(200)
  })

  it('gets no other one for a request that names none', async () => {
    const { server, post } = await start()
    expect(await post('/openai/v1/chat/completions', { model: 'unknown', messages })).toMatchObject({
      ...{ status: 403, body: { error: { code: 'backend_not_allowed', message: REFUSED } } },
    })
    const { call } = await connectClient(
      new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } }),
    )
    expect(await call('prompt', { prompt: 'say hello' })).toMatchObject({
      ...{ isError: true, text: expect.stringContaining(REFUSED) },
    })
    expect(await call('prompt', asked('codex'))).toMatchObject({ isError: false })
  })

  it('sees only them in lists, and does not learn which others there are', async () => {
    const { server, post } = await start()
    const get = async (path: string, more = {}) => (await server.request(path, { headers, ...more })).body
    expect(await get('/api/v1/backends')).toMatchObject({ backends: [{ name: 'codex' }] })
    const plain = { headers: { authorization: headers.authorization } }
    for (const path of ['/openai/v1/models', '/anthropic/v1/models', '/v1/models'])
      expect(await get(path, plain)).toMatchObject({ data: [{ id: 'codex' }] })
    expect((await server.request('/openai/v1/models/claude', plain)).status).toBe(404)
    expect((await post('/api/v1/prompt', asked('nothing'))).body).toMatchObject({ error: 'backend_not_allowed' })
  })

  it.each<[string, (model: string) => object]>([
    ['/openai/v1/chat/completions', (model) => ({ model, messages })],
    ['/openai/v1/responses', (model) => ({ model, input: 'say hello' })],
    ['/anthropic/v1/messages', (model) => ({ model, messages, max_tokens: 9 })],
    ['/anthropic/v1/messages/count_tokens', (model) => ({ model, messages })],
  ])('does not learn by the model name which others there are: %s', async (path, bodyFor) => {
    const zed = { protocol: 'acp', command: ['/bin/true'] }
    const server = await startServer({
      config: { backends: { zed } },
      server: { keys: [LIMITED], model_rules: ['secret-*=zed'] },
    })
    const ask = async (name: string, more = '') => {
      const {
        status,
        text,
        headers: given,
      } = await server.request(path, {
        ...{ method: 'POST', headers, body: bodyFor(`${name}${more}`) },
      })
      const said = text.replaceAll(name, 'NAME').replace(/"request_id":"[^"]*"/, '')
      return [status, said, given['x-drover-backend'], given['x-drover-error']]
    }
    for (const more of ['', '/x', '/x:model', ':model']) expect(await ask('zed', more)).toEqual(await ask('non', more))
    expect(await ask('secret-1')).toEqual(await ask('nosuch-1'))
  })

  it('gets no answer of another one if its own fails', async () => {
    const { server, post } = await start(LIMITED, { fallback_rules: ['codex=claude', 'codex=gemini'] })
    const script = { fail: 429, failText: 'usage limit reached, try again in 3 hours' } as const
    installFakeAgent(join(server.home, '..', 'bin'), 'codex', { script })
    const answer = () => post('/api/v1/prompt', asked('codex'))
    const alone = (await answer()).body as { fallback_from?: unknown }
    expect([alone, alone.fallback_from]).toMatchObject([{ backend: 'codex' }, undefined])
    await server.changeKeys([keyWith({ backends: ['codex', 'gemini'] })])
    expect((await answer()).body).toMatchObject({ backend: 'gemini', fallback_from: [{ backend: 'codex' }] })
  })

  it('continues no session of another one, but may fork it', async () => {
    const { server, post } = await start(keyWith({}))
    const { session_id: id } = (await post('/api/v1/prompt', asked('claude'))).body as { session_id: string }
    await server.changeKeys([LIMITED])
    const resume = (body: object) => post(`/api/v1/sessions/${id}/resume`, { prompt: 'say more', ...body })
    for (const body of [{}, { fork: true }])
      expect(await resume(body)).toMatchObject({
        status: 403,
        body: { error: 'backend_not_allowed', message: REFUSED },
      })
    expect(await resume({ fork: true, backend: 'codex' })).toMatchObject({ status: 200, body: { backend: 'codex' } })
  })
})

describe('a run of a key with agents', () => {
  it('has no other ones, also not to review or as a fallback', async () => {
    const drive = { fallback: ['claude'] }
    const { server } = await serveRuns({ orient: [QUESTION] }, { server: { keys: [LIMITED] }, drive })
    const client = runClient((path, options?: object) => server.request(path, options), headers)
    const codex = { goal: 'Show the wind', backend: 'codex' }
    const refused: object[] = [
      { goal: 'Show the wind' },
      { ...codex, review_backend: 'claude' },
      { ...codex, fallback: ['claude'] },
    ]
    for (const body of refused)
      expect([body, await client.post(RUNS, body)]).toMatchObject([
        body,
        { status: 403, body: { error: 'backend_not_allowed', message: REFUSED } },
      ])
    expect((await client.list()).runs).toEqual([])
    const { id } = (await client.post(RUNS, codex)).body as DrivenRun
    expect(await client.reaches(id, 'waiting')).toMatchObject({ backend: 'codex', review_backend: 'codex' })
  })

  it('is continued only if its starter and who continues it may use its agents', async () => {
    const { server, driving } = await serveRuns(
      { orient: [QUESTION, QUESTION] },
      { server: { keys: [keyWith({}), desk] } },
    )
    const send = (path: string, options?: object) => server.request(path, options)
    const client = runClient(send, headers)
    const other = runClient(send, { authorization: `Bearer ${DESK}` })
    const { id } = await client.start({ review_backend: 'claude' })
    await client.reaches(id, 'waiting')
    const calls = driving.calls().length
    const answer = (by: typeof client) => by.change(id, 'answer', { text: 'Knots.' })
    const refused = { status: 403, body: { error: 'backend_not_allowed', message: REFUSED } }
    await server.changeKeys([keyWith({}), { ...desk, backends: ['codex'] }])
    expect((await answer(other)).text).toContain('backends of the key desk does not have it')
    await server.changeKeys([LIMITED, desk])
    for (const by of [client, other]) expect(await answer(by)).toMatchObject(refused)
    expect(await client.change(id, 'resume')).toMatchObject(refused)
    expect(driving.calls()).toHaveLength(calls)
    await server.changeKeys([keyWith({ backends: ['claude'] }), desk])
    expect((await client.change(id, 'resume')).status).toBe(200)
    await client.reaches(id, 'waiting')
  })
})

it.skipIf(POSTGRES_PROGRAMS === undefined)('a worker keeps to the agents of a key', async () => {
  const url = await createPostgresDatabase()
  await startServer({ agents: 'demo', postgres: { url, machine: 'worker' } })
  const door = await startServer({
    agents: 'none',
    isWorker: false,
    postgres: { url, machine: 'door' },
    server: { keys: [LIMITED] },
  })
  const ask = (body: object) => door.request('/api/v1/prompt', { method: 'POST', headers, body })
  for (const body of [asked('claude'), { ...asked('codex'), fallback: ['claude'] }])
    expect(await ask(body)).toMatchObject({ status: 403, body: { error: 'backend_not_allowed', message: REFUSED } })
  expect((await ask(asked('codex'))).status).toBe(200)
})
