import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import type { SessionDetail } from '../../src/executions/session-turn.shape.ts'
import type { Execution, ExecutionPage } from '../../src/executions/store/execution.shape.ts'
import type { Health } from '../../src/http/meta/health.shape.ts'
import { digest } from '../../src/kit/digest.ts'
import { randomIds } from '../../src/kit/ids.ts'
import { TOOLS } from '../../src/mcp/tools.generated.js'
import { type Caller, USER } from '../../src/prompts/caller.ts'
import type { Session, SessionPage } from '../../src/sessions/session.shape.ts'
import type { NewSession } from '../../src/sessions/session-store.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { connectClient } from '../support/mcp-client.ts'
import { createOldFile, OLD_TIME, oldExecutionId } from '../support/old-store.ts'
import { listOperations } from '../support/openapi-document.ts'
import { runDrover, temporaryDirectory } from '../support/run-drover.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'
import {
  type Answer,
  ask,
  IS_ON_POSTGRES,
  type ServerOptions,
  startServer,
  type TestServer,
} from '../support/start-server.ts'
import { until } from '../support/until.ts'

const secretOf = (name: string) => `${name}-key-0123456789`
const keyOf = (name: string, more: object = {}) => ({ name, sha256: digest(secretOf(name)), ...more })
const as = (name: string) => ({ 'x-api-key': secretOf(name) })

/** Two clients and an operator. */
const KEYS = [keyOf('ada'), keyOf('bob'), keyOf('boss', { role: 'operator' })]

const LOCAL: NewSession = {
  backend: 'claude',
  working_dir: '/srv/project',
  initial_prompt: 'a secret of the user',
  tags: ['api'],
  metadata: {},
  policy: { approval_mode: 'default', sandbox_mode: 'default', extra: [] },
}

const MISSING = '0'.repeat(32)
const MISSING_EXECUTION = `exec_${MISSING.slice(0, 24)}`
const hello = { backend: 'claude', prompt: 'the secret plan' }
const chat = { model: 'claude', messages: [{ role: 'user', content: 'hi' }] }

type Sent = { method?: string; body?: object; headers?: Record<string, string> }

/** Sends requests with the key of one client. */
function clientOf(server: TestServer, name: string) {
  const ask = (path: string, { headers = {}, ...sent }: Sent = {}) =>
    server.request(path, { method: 'GET', ...sent, headers: { ...headers, ...as(name) } })
  const post = (path: string, body: object, headers = {}) => ask(path, { method: 'POST', body, headers })
  const prompt = async (more: object = {}): Promise<{ session_id: string; execution_id: string }> => {
    const { status, body, text } = await post('/api/v1/prompt', { ...hello, ...more })
    if (status !== 200) throw new Error(text)
    return body as { session_id: string; execution_id: string }
  }
  const list = async (query = '') => (await ask(`/api/v1/sessions${query}`)).body as SessionPage
  return { ask, post, prompt, list, as: as(name) }
}

const start = async (keys: readonly object[] = KEYS, { limits, ...more }: ServerOptions & { limits?: object } = {}) => {
  const server = await startServer({ ...more, server: { keys, ...limits } })
  const [ada, bob, boss] = ['ada', 'bob', 'boss'].map((name) => clientOf(server, name))
  if (ada === undefined || bob === undefined || boss === undefined) throw new Error('three keys')
  return { server, ada, bob, boss }
}

type Attempt = [what: string, request: (id: string) => [path: string, sent: Sent]]

/** Everything that a request can do with a session, by the words of the API. */
const ATTEMPTS: readonly Attempt[] = [
  ['read', (id) => [`/api/v1/sessions/${id}`, {}]],
  ['head', (id) => [`/api/v1/sessions/${id}`, { method: 'HEAD' }]],
  ['read the turns of', (id) => [`/api/v1/sessions/${id}?turns=true`, {}]],
  ['edit', (id) => [`/api/v1/sessions/${id}`, { method: 'PATCH', body: { title: 'mine' } }]],
  ['share', (id) => [`/api/v1/sessions/${id}`, { method: 'PATCH', body: { shared: true } }]],
  ['resume', (id) => [`/api/v1/sessions/${id}/resume`, { method: 'POST', body: { prompt: 'say more' } }]],
  [
    'resume in the background',
    (id) => [`/api/v1/sessions/${id}/resume`, { method: 'POST', body: { prompt: 'say more', detach: true } }],
  ],
  [
    'dry-run the next turn of',
    (id) => [`/api/v1/sessions/${id}/resume`, { method: 'POST', body: { prompt: 'say more', dry_run: true } }],
  ],
  ['fork', (id) => [`/api/v1/sessions/${id}/resume`, { method: 'POST', body: { prompt: 'say more', fork: true } }]],
  [
    'fork to another agent',
    (id) => [
      `/api/v1/sessions/${id}/resume`,
      { method: 'POST', body: { prompt: 'say more', fork: true, backend: 'codex' } },
    ],
  ],
  [
    'continue by a chat completion',
    (id) => ['/openai/v1/chat/completions', { method: 'POST', body: chat, headers: { 'x-drover-session': id } }],
  ],
  [
    'continue by a response',
    (id) => [
      '/openai/v1/responses',
      { method: 'POST', body: { model: 'claude', input: 'hi' }, headers: { 'x-drover-session': id } },
    ],
  ],
  [
    'continue by a message',
    (id) => [
      '/anthropic/v1/messages',
      {
        method: 'POST',
        body: { ...chat, max_tokens: 9 },
        headers: { 'x-drover-session': id, 'anthropic-version': '2023-06-01' },
      },
    ],
  ],
  ['delete', (id) => [`/api/v1/sessions/${id}`, { method: 'DELETE' }]],
]

/** The same for an execution. */
const EXECUTION_ATTEMPTS: readonly Attempt[] = [
  ['read', (id) => [`/api/v1/executions/${id}`, {}]],
  ['head', (id) => [`/api/v1/executions/${id}`, { method: 'HEAD' }]],
  ['follow', (id) => [`/api/v1/executions/${id}/events`, {}]],
  ['attachment', (id) => [`/api/v1/executions/${id}/attachments/sha256:${'0'.repeat(64)}`, {}]],
  ['cancel', (id) => [`/api/v1/executions/${id}/cancel`, { method: 'POST' }]],
  ['tell', (id) => [`/api/v1/executions/${id}/message`, { method: 'POST', body: { text: 'stop' } }]],
  [
    'decide about',
    (id) => [`/api/v1/executions/${id}/approvals/apr_0`, { method: 'POST', body: { decision: 'allow' } }],
  ],
]

/** Whether an attempt sends such a request. */
function tries([, request]: Attempt, { method, path }: { method: string; path: string }): boolean {
  const [sentTo, { method: sentWith = 'GET' }] = request('ID')
  const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)
  return sentWith === method && pattern.test(sentTo.replace(/\?.*/, ''))
}

/** What an answer says, without what differs between any two answers. */
function saidIn({ status, headers, text }: Answer, id: string) {
  const { 'x-request-id': _request, 'request-id': _same, date: _date, 'content-length': _length, ...rest } = headers
  const withoutIds = text.replaceAll(id, 'ID').replace(/"request_id":"[^"]*"/, '')
  return { status, headers: rest, text: withoutIds }
}

describe.each([
  { one: 'session', attempts: ATTEMPTS, missing: MISSING },
  { one: 'execution', attempts: EXECUTION_ATTEMPTS, missing: MISSING_EXECUTION },
] as const)('the $one of another key', ({ one, attempts, missing }) => {
  it('answers every request of a client like a missing one', async () => {
    const { ada, bob } = await start()
    const { [`${one}_id` as const]: id } = await ada.prompt()
    const before = await ada.ask(`/api/v1/${one}s/${id}`)
    for (const [name, attempt] of attempts) {
      for (const given of [id, id.slice(0, 12)]) {
        const none = missing.slice(0, given.length)
        const [foreign, gone] = [await bob.ask(...attempt(given)), await bob.ask(...attempt(none))]
        expect([name, foreign.status]).toEqual([name, 404])
        expect([name, saidIn(foreign, given)]).toEqual([name, saidIn(gone, none)])
      }
    }
    expect((await ada.ask(`/api/v1/${one}s/${id}`)).text).toBe(before.text)
    expect((await bob.ask(`/api/v1/${one}s`)).body).toMatchObject({ [`${one}s`]: [] })
  })

  it('is tried in every request of the API that names one', () => {
    const named = listOperations().filter(({ path }) => path.includes(`/${one}s/{id}`))
    expect(named.length).toBeGreaterThan(1)
    expect(named.filter((operation) => !attempts.some((attempt) => tries(attempt, operation)))).toEqual([])
  })

  it('answers like a missing one to every MCP tool that takes its id', async () => {
    const { server, ada, bob } = await start()
    const { [`${one}_id` as const]: id } = await ada.prompt()
    const url = new URL(`${server.url}/mcp`)
    const { call } = await connectClient(new StreamableHTTPClientTransport(url, { requestInit: { headers: bob.as } }))
    const tools = TOOLS.filter(({ inputSchema }) => Object.hasOwn(inputSchema.properties ?? {}, `${one}_id`))
    expect(tools.length).toBeGreaterThan(0)
    for (const { name, inputSchema } of tools) {
      const attempt = async (given: string) => {
        const texts = inputSchema.required?.map((field) => [field, 'continue']) ?? []
        const { isError, text } = await call(name, { ...Object.fromEntries(texts), [`${one}_id`]: given })
        return { isError, text: text.replaceAll(given, 'ID') }
      }
      const foreign = await attempt(id)
      expect(foreign, name).toMatchObject({ isError: true, text: expect.stringContaining(`${one}_not_found`) })
      expect(foreign, name).toEqual(await attempt(missing))
    }
  })
})

describe('the conversation of another key', () => {
  it('answers every request of a client like a missing one', async () => {
    const { ada, bob } = await start()
    const at = '/openai/v1/conversations'
    const { id } = (await ada.post(at, {})).body as { id: string }
    const ask = (conversation: string) => ({ model: 'claude', input: 'hi', conversation })
    expect((await ada.post('/openai/v1/responses', ask(id))).status).toBe(200)
    const attempts: [string, (given: string) => Promise<Answer>][] = [
      ['read', (given) => bob.ask(`${at}/${given}`)],
      ['change', (given) => bob.post(`${at}/${given}`, { metadata: { a: 'b' } })],
      ['delete', (given) => bob.ask(`${at}/${given}`, { method: 'DELETE' })],
      ['continue', (given) => bob.post('/openai/v1/responses', ask(given))],
      ['list', (given) => bob.ask(`${at}/${given}/items`)],
      ['add to', (given) => bob.post(`${at}/${given}/items`, { items: [] })],
      ['read an item of', (given) => bob.ask(`${at}/${given}/items/msg_x`)],
      ['delete an item of', (given) => bob.ask(`${at}/${given}/items/msg_x`, { method: 'DELETE' })],
    ]
    const none = `conv_${MISSING}`
    for (const [name, attempt] of attempts) {
      const [foreign, gone] = [await attempt(id), await attempt(none)]
      expect([name, foreign.status]).toEqual([name, 404])
      expect([name, saidIn(foreign, id)]).toEqual([name, saidIn(gone, none)])
    }
    expect((await ada.ask(`${at}/${id}`)).body).toMatchObject({ id, metadata: {} })
  })
})

describe('a session of another key', () => {
  it('does not make the beginning of an id ambiguous', async () => {
    const ids = { ...randomIds, hex: () => `abcd${randomIds.hex(14)}` }
    const { server, ada, bob } = await start(KEYS, { ids })
    await ada.prompt()
    const { session_id: own } = await bob.prompt()
    expect(await bob.ask('/api/v1/sessions/abcd')).toMatchObject({ status: 200, body: { id: own } })
    await server.context.drover.opened.sessions.edit(own, { shared: true })
    expect((await ada.ask('/api/v1/sessions/abcd')).status).toBe(409)
    expect((await bob.ask('/api/v1/sessions/abcd')).status).toBe(200)
  })

  it('is in no list, count or search of a client, and in those of an operator', async () => {
    const { server, ada, bob, boss } = await start()
    const { session_id: id } = await ada.prompt()
    const own = await bob.prompt({ prompt: 'plain work' })
    // Of the user of the machine.
    const { id: local } = await server.context.drover.opened.sessions.create(LOCAL)
    const queries = [
      '',
      '?search=secret',
      '?search=se',
      `?search=${id.slice(0, 8)}`,
      '?backend=claude',
      '?status=completed',
      '?tag=api',
      `?workdir=${encodeURIComponent(server.workdir)}`,
      '?since=2000-01-01T00:00:00Z',
      '?backend=claude&tag=api&status=completed',
      '?limit=1',
      '?limit=1&offset=1',
    ]
    for (const query of queries) {
      const { sessions, total } = await bob.list(query)
      const hasOwn = !query.includes('search=')
      expect({ query, total }).toEqual({ query, total: hasOwn ? 1 : 0 })
      const isShown = hasOwn && !query.includes('offset')
      expect({ query, ids: sessions.map((each) => each.id) }).toEqual({ query, ids: isShown ? [own.session_id] : [] })
    }
    const { sessions, total } = await boss.list()
    expect([total, sessions.length]).toEqual([3, 3])
    const ownerOf = (wanted: string) => sessions.find((each) => each.id === wanted)?.api_key
    expect([id, own.session_id, local].map(ownerOf)).toEqual(['ada', 'bob', undefined])
    expect((await boss.list('?search=secret')).total).toBe(2)
    expect((await bob.ask(`/api/v1/sessions/${local}`)).status).toBe(404)
    const countOf = ({ body }: Answer) => (body as Health).session_store.session_count
    expect([await server.request('/health'), await bob.ask('/health')].map(countOf)).toEqual([undefined, undefined])
    expect(countOf(await boss.ask('/health'))).toBe(3)
    if (IS_ON_POSTGRES) return
    const listed = await runDrover(['sessions', 'list', '--json'], { env: { DROVER_HOME: server.home } })
    expect(JSON.parse(listed.stdout)).toMatchObject({ total: 3 })
  })
})

describe('an execution of another key', () => {
  it('counts as missing as the start of a page, and as the prefix of an id', async () => {
    const { ada, bob, boss } = await start()
    const own = await bob.prompt()
    const { execution_id: foreign } = await ada.prompt()
    const pageOf = async (client: typeof ada, before: string) =>
      ((await client.ask(`/api/v1/executions?before=${before}`)).body as ExecutionPage).executions.map(({ id }) => id)
    expect(await pageOf(bob, foreign)).toEqual(await pageOf(bob, MISSING_EXECUTION))
    expect(await pageOf(boss, foreign)).toEqual([own.execution_id])
    const found = async (client: typeof ada, id: string) => (await client.ask(`/api/v1/executions/${id}`)).status
    expect([await found(bob, foreign.slice(0, 12)), await found(boss, foreign.slice(0, 12))]).toEqual([404, 200])
  })

  it('does not take its session with it when the response of a key is deleted that may not delete the session', async () => {
    const { server, ada, boss } = await start()
    const respond = async (client: typeof ada, more: object = {}) => {
      const { body, headers } = await client.post('/openai/v1/responses', { model: 'claude', input: 'hi', ...more })
      return { id: (body as { id: string }).id, session: String(headers['x-drover-session']) }
    }
    const first = await respond(ada)
    const next = await respond(boss, { previous_response_id: first.id })
    expect(next.session).toBe(first.session)
    const path = '/openai/v1/responses'
    expect((await ada.ask(`${path}/${first.id}`, { method: 'DELETE' })).status).toBe(200)
    await server.changeKeys([keyOf('ada'), keyOf('boss')])
    expect((await boss.ask(`${path}/${next.id}`, { method: 'DELETE' })).status).toBe(200)
    expect((await ada.ask(`/api/v1/sessions/${first.session}`)).status).toBe(200)
  })
})

describe('a shared session', () => {
  const shared = async () => {
    const started = await start()
    const { session_id: id } = await started.ada.prompt({ shared: true })
    return { ...started, id, path: `/api/v1/sessions/${id}` }
  }

  it('is listed, read, resumed and forked by other keys', async () => {
    const { ada, bob, id, path } = await shared()
    const own = await bob.prompt({ prompt: 'plain work' })
    expect(await bob.list()).toMatchObject({ total: 2 })
    expect(await bob.list('?search=secret')).toMatchObject({
      total: 1,
      sessions: [{ id, shared: true, api_key: 'ada' }],
    })
    expect(await bob.list('?limit=1&offset=1')).toMatchObject({ total: 2, sessions: [{ id }] })
    expect((await bob.list('?limit=1')).sessions.map((each) => each.id)).toEqual([own.session_id])
    expect(await ada.list()).toMatchObject({ total: 1, sessions: [{ id }] })

    const resumed = await bob.post(`${path}/resume`, { prompt: 'and the details' })
    expect(resumed).toMatchObject({ status: 200, body: { session_id: id } })
    const turnsSeenBy = async (client: typeof ada) =>
      ((await client.ask(`${path}?turns=true`)).body as SessionDetail).turns?.map(({ prompt }) => prompt)
    expect(await turnsSeenBy(ada)).toEqual(['the secret plan', 'and the details'])
    expect(await turnsSeenBy(bob)).toEqual(['the secret plan', 'and the details'])

    const { body: fork } = await bob.post(`${path}/resume`, { prompt: 'my way', fork: true })
    const { session_id: forked } = fork as { session_id: string }
    const { body } = await bob.ask(`/api/v1/sessions/${forked}`)
    expect(body).toMatchObject({ api_key: 'bob', parent_id: id })
    expect(body).not.toHaveProperty('shared')
    expect((await ada.ask(`/api/v1/sessions/${forked}`)).status).toBe(404)
    // Executions are not shared.
    const { executions } = (await ada.ask(`/api/v1/executions?session=${id}`)).body as ExecutionPage
    expect(executions).toHaveLength(1)
  })

  it('is changed and deleted by its own key and by operators, and by no other', async () => {
    const { ada, bob, boss, path } = await shared()
    const refused = { status: 403, body: { error: 'session_of_another_key' } }
    for (const change of [{ title: 'x' }, { tags: [] }, { shared: false }]) {
      expect(await bob.ask(path, { method: 'PATCH', body: change })).toMatchObject(refused)
    }
    expect(await bob.ask(path, { method: 'DELETE' })).toMatchObject(refused)
    expect(await bob.post(`${path}/resume`, { prompt: 'x', metadata: { ticket: 1 } })).toMatchObject(refused)
    expect(await boss.ask(path, { method: 'PATCH', body: { title: 'Plan' } })).toMatchObject({
      status: 200,
      body: { title: 'Plan', shared: true },
    })
    expect((await boss.ask(path, { method: 'DELETE' })).status).toBe(200)
    expect((await ada.ask(path)).status).toBe(404)
  })

  it('is shared and unshared by an edit, and not by a resumed turn', async () => {
    const { ada, bob, path } = await shared()
    const edit = async (change: object) => (await ada.ask(path, { method: 'PATCH', body: change })).body as Session
    expect(await edit({ title: 'Plan' })).toMatchObject({ title: 'Plan', shared: true })
    expect(await edit({ shared: false })).not.toHaveProperty('shared')
    expect((await bob.ask(path)).status).toBe(404)
    expect(await bob.list()).toMatchObject({ total: 0 })
    expect((await ada.post(`${path}/resume`, { prompt: 'x', shared: true })).body).toMatchObject({
      error: 'resume_invalid',
    })
    expect(await edit({ shared: true })).toMatchObject({ shared: true })
    expect((await bob.ask(path)).status).toBe(200)
  })

  it.each(
    firstOf([
      ['resumed', { fork: false }, { method: 'PATCH', body: { shared: false } }],
      ['forked', { fork: true }, { method: 'PATCH', body: { shared: false } }],
      ['resumed', { fork: false }, { method: 'DELETE' }],
    ]),
  )('is not %s by a prompt that waited while others lost it: %j %j', async (_name, how, change) => {
    const { server, ada, bob, boss } = await start(KEYS, { limits: { max_concurrent_runs: 1 } })
    const { session_id: id } = await ada.prompt({ shared: true })
    const slot = await server.context.drover.slots.take(new AbortController().signal)
    const resume = async (client: typeof bob) => {
      const { body } = await client.post(`/api/v1/sessions/${id}/resume`, { prompt: 'tell me', detach: true, ...how })
      return `/api/v1/executions/${(body as { execution_id: string }).execution_id}`
    }
    const [ofBob, ofBoss] = [await resume(bob), await resume(boss)]
    expect((await ada.ask(`/api/v1/sessions/${id}`, change)).status).toBe(200)
    slot?.release()
    const ended = (client: typeof bob, path: string) =>
      until(async () => {
        const { body } = await client.ask(path)
        return (body as Execution).ended_at !== undefined && (body as Execution)
      })
    expect(await ended(bob, ofBob)).toMatchObject({ state: 'failed', error: { code: 'session_not_found' } })
    const isDeleted = change.method === 'DELETE'
    expect(await ended(boss, ofBoss)).toMatchObject({ state: isDeleted ? 'failed' : 'completed' })
  })

  it('leaves nothing to others when it is not shared any more, neither in a fork nor after a response', async () => {
    const { ada, bob, id, path } = await shared()
    await bob.post(`${path}/resume`, { prompt: 'mine' })
    const toCodex = { prompt: 'to codex', fork: true, backend: 'codex' }
    const fork = await bob.post(`${path}/resume`, toCodex)
    const dry = await bob.post(`${path}/resume`, { ...toCodex, dry_run: true })
    expect(dry.text).toContain('the secret plan')
    const response = { model: 'claude', input: 'my question' }
    const asked = await bob.post('/openai/v1/responses', response, { 'x-drover-session': id })
    expect(asked.status).toBe(200)
    await ada.ask(path, { method: 'PATCH', body: { shared: false } })

    const { session_id: forked } = fork.body as { session_id: string }
    const toGemini = { prompt: 'on', fork: true, backend: 'gemini', dry_run: true }
    const again = await bob.post(`/api/v1/sessions/${forked}/resume`, toGemini)
    expect(again.text).toContain('to codex')
    expect(again.text).not.toContain('secret')
    const { id: previous } = asked.body as { id: string }
    const more = { ...response, input: 'more', previous_response_id: previous, dry_run: true }
    const next = await bob.post('/openai/v1/responses', more)
    expect(next.text).toContain('my question')
    expect(next.text).not.toMatch(/secret|--resume/)
    const { turns } = (await ada.ask(`${path}?turns=true`)).body as SessionDetail
    expect(turns?.map(({ prompt }) => prompt)).toEqual(['the secret plan', 'mine', 'my question'])
  })
})

describe('a new key with the name of a revoked one', () => {
  const NEW_ADA = { 'x-api-key': 'another-secret-0123456789' }
  const newAda = (id: object = { id: 'key_0123456789abcdef01234567' }) => ({
    name: 'ada',
    sha256: digest('another-secret-0123456789'),
    ...id,
  })

  it.each([
    ['with an id', undefined],
    ['without an id', {}],
  ])('sees nothing of it (%s)', async (_name, id) => {
    const { server, ada, boss } = await start()
    const response = await ada.post('/openai/v1/responses', { model: 'claude', input: 'the secret plan' })
    const { id: responseId } = response.body as { id: string }
    const repeated = { 'idempotency-key': 'k-1' }
    const first = await ada.post('/api/v1/prompt', hello, repeated)
    const { session_id: session, execution_id: execution } = first.body as { session_id: string; execution_id: string }
    const others = KEYS.filter(({ name }) => name !== 'ada')
    await server.changeKeys([newAda(id), ...others])
    expect((await ada.ask('/api/v1/sessions')).status).toBe(401)

    const ask = (path: string, sent: Sent = {}) =>
      server.request(path, { ...sent, headers: { ...sent.headers, ...NEW_ADA } })
    const statusOf = async (path: string, sent: Sent = {}) => (await ask(path, sent)).status
    expect(((await ask('/api/v1/executions')).body as ExecutionPage).executions).toEqual([])
    expect(await statusOf(`/api/v1/executions/${execution}`)).toBe(404)
    expect(await statusOf(`/api/v1/executions/${execution.slice(0, 14)}`)).toBe(404)
    expect(await statusOf(`/api/v1/executions/${execution}/events`)).toBe(404)
    expect(await statusOf(`/api/v1/sessions/${session}`)).toBe(404)
    expect((await ask('/api/v1/sessions')).body).toMatchObject({ total: 0 })
    expect(await statusOf(`/openai/v1/responses/${responseId}`)).toBe(404)
    const next = { model: 'claude', input: 'say more', previous_response_id: responseId }
    expect(await statusOf('/openai/v1/responses', { method: 'POST', body: next })).toBe(400)
    expect((await ask('/api/v1/usage')).body).toMatchObject({ rows: [], totals: { executions: 0 } })
    const again = await ask('/api/v1/prompt', { method: 'POST', body: hello, headers: repeated })
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, undefined])

    const { executions } = (await boss.ask('/api/v1/executions')).body as ExecutionPage
    expect(executions.map(({ api_key: name }) => name)).toEqual(['ada', 'ada', 'ada'])
    expect(new Set(executions.map(({ key_id: each }) => each)).size).toBe(2)
  })

  it('sees everything if it has the id of the old one, under any name and secret', async () => {
    const id = { id: 'key_0123456789abcdef01234567' }
    const { server, ada } = await start([keyOf('ada', id), ...KEYS.slice(1)])
    const { session_id: session, execution_id: execution } = await ada.prompt()
    await server.changeKeys([{ ...newAda(id), name: 'ada-2' }])
    const seen = async (path: string) => (await server.request(path, { headers: NEW_ADA })).body
    expect(await seen('/api/v1/executions')).toMatchObject({ executions: [{ id: execution }] })
    expect(await seen('/api/v1/sessions')).toMatchObject({ total: 1, sessions: [{ id: session }] })
    expect(await seen('/api/v1/usage')).toMatchObject({ totals: { executions: 1 } })
  })
})

describe.skipIf(IS_ON_POSTGRES)('a server that is upgraded', () => {
  const RECORD = {
    ...{ version: 1, run_id: 'run-1', repository: '/srv/app', git_common_dir: '/srv/app/.git', asked_by: 'client' },
    ...{ is_server_driven: false, created_at: OLD_TIME, api_key: 'ada' },
  }

  it.runIf(IS_FULL)(
    'gives what has the name of a key to that key, says what belongs to no key, and does this once',
    async () => {
      const home = temporaryDirectory()
      const drover = join(home, '.drover')
      mkdirSync(join(drover, 'driven-runs'), { recursive: true, mode: 0o700 })
      const record = join(drover, 'driven-runs', 'run-1.json')
      writeFileSync(record, JSON.stringify(RECORD))
      await createOldFile(join(drover, 'sessions.db'))
      // The executions are older than a week.
      const config = { executions: { keep_days: 3650 }, session: { retention_days: 0 }, server: { keys: KEYS } }
      writeFileSync(join(drover, 'config.yaml'), JSON.stringify(config))
      const serving = serveDrover(['--port', '0'], { HOME: home })
      const port = await portOf(serving)
      const seenBy = async (name: string) => {
        const read = async (path: string) => (await ask({ port, path: `/api/v1/${path}`, headers: as(name) })).body
        const { executions } = (await read('executions')) as ExecutionPage
        return [executions.map(({ id }) => id), ((await read('sessions')) as SessionPage).total]
      }
      expect(await seenBy('ada')).toEqual([[oldExecutionId(1), oldExecutionId(0)], 0])
      expect(await seenBy('bob')).toEqual([[], 0])
      expect(await seenBy('boss')).toMatchObject([{ length: 4 }, 1])
      expect(JSON.parse(readFileSync(record, 'utf8'))).toMatchObject({
        key_id: `key_${digest(secretOf('ada')).slice(7, 31)}`,
      })
      expect(serving.heard.stderr).toMatch(/"sessions":1.*sessions from before keys had ids belong to no key/)
      expect(serving.heard.stderr).toMatch(/"executions":1.*executions of keys that no longer exist belong to no key/)
      serving.child.kill()
      await serving.ended
      const again = serveDrover(['--port', '0'], { HOME: home })
      await portOf(again)
      expect(again.heard.stderr).not.toContain('belong to no key')
    },
  )
})

describe('the service of a server', () => {
  const caller = (name: string, role: 'client' | 'operator' = 'client'): Caller => ({
    is: 'client',
    role,
    key: { id: `key_${digest(secretOf(name)).slice(7, 31)}`, name },
  })

  it('checks who follows an execution, waits for it, attaches to it, or reads the turns of a session', async () => {
    const server = await startServer({ server: { keys: KEYS } })
    const { drover } = server.context
    const { execution_id: id, session_id: session } = await clientOf(server, 'ada').prompt()
    const { signal } = new AbortController()
    const count = async (items: AsyncIterable<unknown>) => {
      let found = 0
      for await (const _ of items) found += 1
      return found
    }
    const ways = (by: Caller) => [
      () => count(drover.executions.follow(by, id, { after: 0, signal })),
      async () => ((await drover.executions.ended(by, id, signal)) === undefined ? 0 : 1),
      () => count(drover.sessions.turns(by, session)),
      async () => (await drover.sessions.latestTurns(by, session, 9)).turns.length,
      async () => ((await (await drover.attach(by, id, signal)).result()).output === '' ? 0 : 1),
      async () => ('output' in (await (await drover.attachBatch(by, id, signal)).result()) ? 1 : 0),
    ]
    for (const by of [caller('ada'), caller('boss', 'operator'), USER]) {
      for (const way of ways(by)) expect(await way()).toBeGreaterThan(0)
    }
    for (const way of ways(caller('bob'))) {
      await expect(way()).rejects.toMatchObject({ code: expect.stringMatching(/^(execution|session)_not_found$/) })
    }
  })
})
