import { describe, expect, it } from 'vitest'
import { NO_USAGE } from '../../src/agents/adapter/token-usage.ts'
import { randomIds } from '../../src/kit/ids.ts'
import type { NewSession } from '../../src/sessions/session-store.ts'
import { runDrover } from '../support/run-drover.ts'
import { IS_ON_POSTGRES, startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const NEW: NewSession = {
  backend: 'claude',
  working_dir: '/srv/project',
  initial_prompt: 'fix the build',
  tags: ['work'],
  metadata: { ticket: 42 },
  policy: { approval_mode: 'default', sandbox_mode: 'default', extra: [] },
}

/** A completed session, last used later than every one before it: the order within a millisecond is that of the random ids. */
async function keep(server: TestServer, over: Partial<NewSession> = {}): Promise<string> {
  const before = Date.now()
  await until(() => Date.now() > before)
  const { id } = await server.context.drover.opened.sessions.create({ ...NEW, ...over })
  await server.context.drover.opened.sessions.finishTurn(id, {
    outcome: 'completed',
    usage: NO_USAGE,
    backendSessionId: `own-${id}`,
  })
  return id
}

const idsIn = (body: unknown) => (body as { sessions: { id: string }[] }).sessions.map(({ id }) => id)

describe('GET /api/v1/sessions', () => {
  it('is an empty list at first', async () => {
    const server = await startServer()
    expect((await server.request('/api/v1/sessions')).body).toEqual({ sessions: [], total: 0, limit: 100, offset: 0 })
  })

  it('returns a page, most recently used first, with the total', async () => {
    const server = await startServer()
    const ids = [await keep(server), await keep(server), await keep(server)]
    const { body } = await server.request('/api/v1/sessions?limit=2&offset=1')
    expect(body).toMatchObject({ total: 3, limit: 2, offset: 1 })
    expect(idsIn(body)).toEqual([ids[1], ids[0]])
  })

  it('filters by every field', async () => {
    const server = await startServer()
    const id = await keep(server, { backend: 'codex', model: 'm1', tags: ['ci'], title: 'Nightly', working_dir: '/a' })
    await keep(server)
    const matches = ['backend=codex', 'tag=ci', 'model=m1', 'workdir=/a', 'search=nightly', `search=${id.slice(0, 12)}`]
    for (const query of matches) {
      expect({ query, ids: idsIn((await server.request(`/api/v1/sessions?${query}`)).body) }).toEqual({
        query,
        ids: [id],
      })
    }
    const count = async (query: string) => idsIn((await server.request(`/api/v1/sessions?${query}`)).body).length
    expect(await count('status=completed')).toBe(2)
    expect(await count('status=paused')).toBe(0)
    expect(await count('since=2000-01-01T00:00:00Z')).toBe(2)
    expect(await count('until=2000-01-01T00:00:00Z')).toBe(0)
    expect(await count('backend=codex&tag=work')).toBe(0)
  })

  it.each([
    ['backend=gpt', '$.backend must be one of "claude", "codex", "gemini"'],
    ['status=done', '$.status must be one of "active", "completed", "error", "paused"'],
    ['limit=-1', '$.limit must be at least 1'],
    ['limit=1001', '$.limit must be at most 1000'],
    ['limit=ten', '$.limit must be an integer'],
    ['limit=1.5', '$.limit must be an integer'],
    ['offset=-1', '$.offset must be at least 0'],
    ['limit=1&limit=2', '$.limit must be an integer'],
    ['since=yesterday', '$.since must be an RFC 3339 date-time such as 2026-01-31T09:30:00Z'],
    ['bakend=codex', '$.bakend is not a known field (did you mean "backend"?)'],
  ])('refuses ?%s and names the field', async (query, rule) => {
    const server = await startServer()
    const { status, body } = await server.request(`/api/v1/sessions?${query}`)
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', message: `the query is not valid: ${rule}` },
    })
  })

  it('takes empty parameters and a limit of 0 as not given', async () => {
    const server = await startServer()
    await keep(server)
    const empty = ['backend', 'status', 'tag', 'model', 'workdir', 'search', 'since', 'until', 'limit', 'offset']
    for (const query of [empty.map((name) => `${name}=`).join('&'), 'limit=0']) {
      const { status, body } = await server.request(`/api/v1/sessions?${query}`)
      expect({ status, body }).toMatchObject({ status: 200, body: { total: 1, limit: 100, offset: 0 } })
    }
  })

  it.each(['limit=1', 'limit=1000', 'offset=0'])('accepts ?%s', async (query) => {
    expect((await (await startServer()).request(`/api/v1/sessions?${query}`)).status).toBe(200)
  })
})

describe('a prompt of megabytes', () => {
  it('is cut to 200 characters in a list, and whole in a single session', async () => {
    const server = await startServer()
    const [prompt, system] = ['🐑"'.repeat(400_000), 'ö'.repeat(300_000)]
    const id = await keep(server, { initial_prompt: prompt, system_prompt: system })
    const list = await server.request('/api/v1/sessions')
    expect(list.body).toMatchObject({
      total: 1,
      sessions: [{ id, initial_prompt: '🐑"'.repeat(100), system_prompt: 'ö'.repeat(200) }],
    })
    expect(list.text.length).toBeLessThan(2_000)
    const single = await server.request(`/api/v1/sessions/${id}`)
    expect(single.body).toMatchObject({ id, initial_prompt: prompt, system_prompt: system, status: 'completed' })
    const patch = { method: 'PATCH', body: { title: 'Sheep' } }
    const patched = await server.request(`/api/v1/sessions/${id}`, patch)
    expect(patched.body).toEqual({ ...(single.body as object), title: 'Sheep' })
    const head = await server.request(`/api/v1/sessions/${id}`, { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
  })
})

describe('metadata', () => {
  it('with integers beyond 2^53 are shown digit for digit in lists, single sessions and the answer to PATCH', async () => {
    const server = await startServer({ agents: 'demo' })
    const [first, second] = ['9007199254740993', '-18446744073709551617']
    const body = `{"backend":"claude","prompt":"hi","dry_run":true,"metadata":{"ticket":{"number":${first}}}}`
    const { status, body: result } = await server.request('/api/v1/prompt', { method: 'POST', body })
    expect(status).toBe(200)
    const { session_id: id } = result as { session_id: string }
    const single = await server.request(`/api/v1/sessions/${id}`)
    const patch = { method: 'PATCH', body: `{"metadata":{"other":${second}}}` }
    const patched = await server.request(`/api/v1/sessions/${id}`, patch)
    const list = await server.request('/api/v1/sessions')
    expect([single.status, patched.status, list.status]).toEqual([200, 200, 200])
    expect(single.text).toContain(`"metadata":{"ticket":{"number":${first}}}`)
    for (const { text } of [patched, list]) {
      expect(text).toContain(`"metadata":{"ticket":{"number":${first}},"other":${second}}`)
    }
  })

  it('nest at most 64 levels, so that every list and export can contain them', async () => {
    const server = await startServer({ agents: 'demo' })
    const send = (depth: number) => {
      const metadata = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
      const body = `{"backend":"claude","prompt":"hi","dry_run":true,"metadata":${metadata}}`
      return server.request('/api/v1/prompt', { method: 'POST', body })
    }
    expect((await send(64)).status).toBe(200)
    expect(await send(65)).toMatchObject({
      status: 400,
      body: {
        error: 'session_field_invalid',
        message: 'metadata must nest at most 64 objects and arrays in each other',
      },
    })
    if (IS_ON_POSTGRES) return
    const listed = await runDrover(['sessions', 'list', '--json'], { env: { DROVER_HOME: server.home } })
    expect({ code: listed.code, total: JSON.parse(listed.stdout).total }).toEqual({ code: 0, total: 1 })
  })
})

describe('a session', () => {
  it('is found by its id or a prefix of it, with all fields', async () => {
    const server = await startServer()
    const id = await keep(server)
    const whole = await server.request(`/api/v1/sessions/${id}`)
    expect(whole.body).toMatchObject({
      id,
      backend: 'claude',
      status: 'completed',
      created_at: expect.stringMatching(/Z$/),
      last_used: expect.stringMatching(/Z$/),
      working_dir: '/srv/project',
      initial_prompt: 'fix the build',
      backend_session_id: `own-${id}`,
      turn_count: 1,
      token_usage: NO_USAGE,
      tags: ['work'],
      metadata: { ticket: 42 },
    })
    expect((await server.request(`/api/v1/sessions/${id.slice(0, 16)}`)).body).toEqual(whole.body)
  })

  it.each([
    ['GET', undefined],
    ['DELETE', undefined],
    ['PATCH', { title: 'x' }],
  ])('that is missing, malformed or ambiguous is an error for %s', async (method, body) => {
    const server = await startServer({ ids: { ...randomIds, hex: () => `abcd${randomIds.hex(14)}` } })
    const ask = async (id: string) => {
      const answer = await server.request(`/api/v1/sessions/${id}`, { method, body })
      return [answer.status, (answer.body as { error: string }).error]
    }
    await keep(server)
    await keep(server)
    expect(await ask('0'.repeat(32))).toEqual([404, 'session_not_found'])
    expect(await ask('nonsense')).toEqual([400, 'session_id_malformed'])
    expect(await ask('abcd')).toEqual([409, 'session_ambiguous'])
  })

  it('is deleted by a prefix of its id, and the response has the complete id', async () => {
    const server = await startServer()
    const id = await keep(server)
    const { status, body } = await server.request(`/api/v1/sessions/${id.slice(0, 16)}`, { method: 'DELETE' })
    expect({ status, body }).toEqual({ status: 200, body: { deleted: true, id } })
    expect((await server.request(`/api/v1/sessions/${id}`)).status).toBe(404)
  })

  it('that is active is not deleted', async () => {
    const server = await startServer()
    const { id } = await server.context.drover.opened.sessions.create(NEW)
    const { status, body } = await server.request(`/api/v1/sessions/${id}`, { method: 'DELETE' })
    expect({ status, body }).toMatchObject({ status: 409, body: { error: 'session_active' } })
  })

  it('gets the title and tags of PATCH', async () => {
    const server = await startServer()
    const id = await keep(server)
    const patch = async (body: unknown) =>
      (await server.request(`/api/v1/sessions/${id}`, { method: 'PATCH', body })).body
    expect(await patch({ title: 'Build', tags: ['ci', 'done'] })).toMatchObject({
      id,
      title: 'Build',
      tags: ['ci', 'done'],
    })
    expect(await patch({ tags: ['done'] })).toMatchObject({ title: 'Build', tags: ['done'] })
    const bare = await patch({ title: null, tags: [] })
    expect(bare).toMatchObject({ tags: [] })
    expect(bare).not.toHaveProperty('title')
  })

  it.each<[string, unknown, string, string]>([
    ['no body', undefined, 'body_missing', 'the request body is missing; send a JSON object'],
    [
      'an unknown field',
      { titel: 'x' },
      'invalid_request',
      'the request is not valid: $.titel is not a known field (did you mean "title"?)',
    ],
    ['nothing to change', {}, 'invalid_request', 'the request is not valid: $ must have at least 1 field'],
    ['a wrong type', { title: 7 }, 'invalid_request', 'the request is not valid: $.title must be a string or null'],
    [
      'an invalid tag',
      { tags: ['A B'] },
      'session_field_invalid',
      'the tag "A B" must have 1 to 32 of the characters a-z, 0-9, _ and -',
    ],
  ])('is not changed by PATCH with %s', async (_name, body, error, message) => {
    const server = await startServer()
    const id = await keep(server)
    const answer = await server.request(`/api/v1/sessions/${id}`, { method: 'PATCH', body })
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 400, body: { error, message } })
  })
})

describe('GET /api/v1/sessions/{id}?turns=true', () => {
  it('adds the turns that are kept, oldest first', async () => {
    const server = await startServer({ env: { DROVER_API_KEYS: 'the-first-key' } })
    const one = { 'x-api-key': 'the-first-key' }
    const post = (path: string, headers: object, body: object) =>
      server.request(`/api/v1/${path}`, { method: 'POST', headers: { ...headers }, body })
    const { body } = await post('prompt', one, { backend: 'claude', prompt: 'first' })
    const { session_id: id, output } = body as { session_id: string; output: string }
    await post(`sessions/${id}/resume`, one, { prompt: 'second' })
    const get = async (headers: object, query = '?turns=true') =>
      (await server.request(`/api/v1/sessions/${id}${query}`, { headers: { ...headers } })).body
    expect(await get(one)).toMatchObject({
      id,
      turns: [
        { prompt: 'first', answer: output, state: 'completed', usage: { output_tokens: expect.any(Number) } },
        { prompt: 'second', state: 'completed' },
      ],
    })
    expect(await get(one, '')).not.toHaveProperty('turns')
    expect(await get(one, '?turns=yes')).toMatchObject({ error: expect.any(String) })
  })
})

describe('a session of the demo agent', () => {
  it('is marked, and the real agent does not continue it, nor the reverse', async () => {
    const server = await startServer({ agents: 'demo' })
    const body = { backend: 'claude', prompt: 'hi' }
    const { body: result } = await server.request('/api/v1/prompt', { method: 'POST', body })
    const { session_id: id } = result as { session_id: string }
    expect((await server.request(`/api/v1/sessions/${id}`)).body).toMatchObject({ id, is_demo: true })
    const resume = (session: string) =>
      server.request(`/api/v1/sessions/${session}/resume`, { method: 'POST', body: { prompt: 'more' } })
    expect((await resume(id)).status).toBe(200)
    const real = await keep(server, { working_dir: server.workdir })
    expect(await resume(real)).toMatchObject({ status: 409, body: { error: 'session_of_other_agent' } })
    const headers = { 'x-drover-session': real }
    const chat = { model: 'claude', messages: [{ role: 'user', content: 'hi' }] }
    expect(await server.request('/openai/v1/chat/completions', { method: 'POST', headers, body: chat })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('only the demo agent is available') },
    })
  })
})

describe('POST /api/v1/sessions/{id}/resume with another backend', () => {
  it('forks the session with its conversation, the latest turns that fit; without fork it is refused', async () => {
    const server = await startServer()
    const post = async (path: string, body: object) =>
      (await server.request(`/api/v1/${path}`, { method: 'POST', body })).body as Record<string, unknown>
    const long = 'x'.repeat(24_900)
    const { session_id: id } = await post('prompt', { backend: 'claude', prompt: `first ${long}` })
    for (const prompt of ['second', 'third', 'fourth']) {
      await post(`sessions/${id}/resume`, { prompt: `${prompt} ${long}` })
    }
    const resume = (body: object) => post(`sessions/${id}/resume`, { prompt: 'say more', ...body })
    expect(await resume({ backend: 'codex' })).toMatchObject({ error: 'resume_invalid' })
    expect(await resume({ backend: 'claude' })).toMatchObject({ exit_code: 0 })
    const { session_id: forked, warnings } = await resume({ backend: 'codex', fork: true })
    expect(warnings).toMatchObject([
      expect.stringMatching(/^the conversation is long: its first \d turns were not sent$/),
    ])
    const { body } = await server.request(`/api/v1/sessions/${forked}`)
    expect(body).toMatchObject({ backend: 'codex', parent_id: id, initial_prompt: 'say more' })
  })
})
