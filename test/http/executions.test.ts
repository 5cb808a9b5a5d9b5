import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Execution, ExecutionEvent, ExecutionPage } from '../../src/executions/store/execution.shape.ts'
import { digest } from '../../src/kit/digest.ts'
import type { Script } from '../fake-agent/script.ts'
import { readPids } from '../support/fake-agent.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { openStream } from '../support/read-stream.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { type ServerOptions, startServer, type TestServer } from '../support/start-server.ts'
import { isRunning } from '../support/test-command.ts'
import { until } from '../support/until.ts'

const PROMPT = '/api/v1/prompt'
const EXECUTIONS = '/api/v1/executions'
const hello = { backend: 'claude', prompt: 'say hello' }

const scripted = (script: Script, options: ServerOptions = {}) =>
  startServer({ ...options, env: { FAKE_AGENT_SCRIPT: JSON.stringify(script), ...options.env } })

const post = (server: TestServer, body: object, headers: Record<string, string> = {}) =>
  server.request(PROMPT, { method: 'POST', body, headers })

async function eventsOf(server: TestServer, id: string, query = ''): Promise<ExecutionEvent[]> {
  const { text } = await server.request(`${EXECUTIONS}/${id}/events${query}`)
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

async function find(server: TestServer, id: string): Promise<Execution> {
  return (await server.request(`${EXECUTIONS}/${id}`)).body as Execution
}

const ended = (server: TestServer, id: string) =>
  until(async () => {
    const execution = await find(server, id)
    return execution.ended_at !== undefined && execution
  })

const keysOf = (...names: string[]) =>
  names.map((name) => ({ name, sha256: digest(`key-${name}`).replace('sha256:', '') }))

/** An agent that prints a piece of its answer whenever `permit` is called. */
async function stepwise(pieces: number, options: ServerOptions = {}) {
  const directory = temporaryDirectory()
  const [permits, pidFile] = [join(directory, 'permits'), join(directory, 'pids')]
  writeFileSync(permits, '')
  const text = Array.from({ length: pieces }, (_, at) => `piece ${at}. `)
  const server = await scripted({ text, permits, pidFile }, options)
  return { server, text, permit: (count = 1) => appendFileSync(permits, '.'.repeat(count)), pidFile }
}

describe('an execution', () => {
  it('has the prompt, the result, the session and the usage of a finished prompt', async () => {
    const server = await scripted({ text: ['Hello', ' there'], usage: { input: 12, output: 3 } })
    const answer = await post(server, hello)
    const id = String(answer.headers['x-execution-id'])
    const result = answer.body as Record<string, unknown>
    expect(await find(server, id)).toEqual({
      id,
      state: 'completed',
      kind: 'prompt',
      session_id: result['session_id'],
      backend: 'claude',
      model: expect.any(String),
      workdir: server.workdir,
      owner: expect.any(String),
      created_at: expect.any(String),
      started_at: expect.any(String),
      ended_at: expect.any(String),
      usage: { input_tokens: 12, output_tokens: 3, cached_tokens: 0, reasoning_tokens: 0 },
      last_seq: expect.any(Number),
      prompt: 'say hello',
      result,
    })
  })

  it.each([
    ['failed', { fail: 500 as const }],
    ['failed', { crashAfter: 'word' as const }],
  ])('is %s after %j', async (state, script) => {
    const server = await scripted(script)
    const { headers } = await post(server, hello)
    expect(await find(server, String(headers['x-execution-id']))).toMatchObject({ state })
  })

  it('is cancelled when its client disconnects, and then its agent is gone', async () => {
    const { server, permit, pidFile } = await stepwise(3)
    const stream = await openStream({
      port: server.port,
      path: PROMPT,
      body: { ...hello, output_format: 'stream-json' },
    })
    permit()
    await stream.nextLine()
    stream.hangUp()
    const execution = await ended(server, String(stream.headers['x-execution-id']))
    expect(execution).toMatchObject({ state: 'cancelled' })
    expect(isRunning(readPids(pidFile).agent ?? 0)).toBe(false)
  })

  it('that cannot be started is failed with the reason', async () => {
    const server = await scripted({ hangAfter: 'init' }, { server: { max_concurrent_runs: 1, max_queued_runs: 0 } })
    const first = await post(server, { ...hello, detach: true })
    await until(
      async () => (await find(server, (first.body as { execution_id: string }).execution_id)).state === 'running',
    )
    const refused = await post(server, hello)
    expect(refused.status).toBe(503)
    expect(await find(server, String(refused.headers['x-execution-id']))).toMatchObject({
      state: 'failed',
      error: { code: 'queue_full', message: expect.any(String) },
    })
  })

  it.runIf(IS_FULL)(
    'waits for its turn by key, and finds a place in the queue that another key has filled',
    async () => {
      const limits = { max_concurrent_runs: 1, max_queued_runs: 3, keys: keysOf('ada', 'bob') }
      const { server, permit } = await stepwise(1, { server: limits })
      const detach = async (name: string) => {
        const headers = { 'x-api-key': `key-${name}` }
        const { status, body } = await post(server, { ...hello, detach: true }, headers)
        const path = `${EXECUTIONS}/${(body as { execution_id: string }).execution_id}`
        return { name, status, look: async () => (await server.request(path, { headers })).body as Execution }
      }
      const first = await detach('ada')
      await until(async () => (await first.look()).state === 'running')
      const sent = [first]
      for (const name of ['ada', 'ada', 'ada', 'ada', 'bob', 'bob', 'bob']) sent.push(await detach(name))
      expect(sent.map(({ status }) => status)).toEqual([202, 202, 202, 202, 503, 202, 202, 503])
      permit()
      const runs = await Promise.all(
        sent.map(async ({ name, status, look }) => {
          if (status === 503) return []
          await until(async () => (await look()).state === 'completed')
          return [`${(await look()).started_at} ${name}`]
        }),
      )
      const order = runs
        .flat()
        .sort()
        .map((run) => run.split(' ')[1])
      expect([order.length, order[0], order.slice(1, 3).includes('bob'), order.at(-1)]).toEqual([6, 'ada', true, 'ada'])
    },
  )

  it('is found by a unique prefix of its id, and not by a wrong one', async () => {
    const server = await scripted({})
    const { headers } = await post(server, hello)
    const id = String(headers['x-execution-id'])
    expect(await find(server, id.slice(0, 12))).toMatchObject({ id })
    expect((await server.request(`${EXECUTIONS}/exec_0000000`)).status).toBe(404)
    expect((await server.request(`${EXECUTIONS}/nonsense`)).status).toBe(400)
  })
})

describe('GET /api/v1/executions', () => {
  it('lists pages, newest first, without prompts and results', async () => {
    const server = await scripted({})
    const ids: unknown[] = []
    for (let at = 0; at < 3; at++) ids.unshift((await post(server, hello)).headers['x-execution-id'])
    const pages: ExecutionPage[] = []
    for (let before = ''; pages.length < 5; before = `&before=${pages.at(-1)?.next}`) {
      pages.push((await server.request(`${EXECUTIONS}?limit=2${before}`)).body as ExecutionPage)
      if (pages.at(-1)?.next === undefined) break
    }
    expect(pages.map(({ executions }) => executions.map(({ id }) => id))).toEqual([ids.slice(0, 2), ids.slice(2)])
    expect(pages[0]?.executions[0]).not.toHaveProperty('prompt')
    expect(pages[0]?.executions[0]).not.toHaveProperty('result')
  })

  it('filters by state, backend, session, parent and time', async () => {
    const server = await scripted({ text: ['a'] })
    const { body } = await post(server, hello)
    const { session_id: session } = body as { session_id: string }
    await post(server, { ...hello, backend: 'codex' })
    const batch = await server.request('/api/v1/compare', {
      method: 'POST',
      body: { prompt: 'x', backends: ['claude', 'gemini'] },
    })
    const count = async (query: string) => {
      const page = (await server.request(`${EXECUTIONS}?${query}`)).body as ExecutionPage
      return page.executions.map(({ kind }) => kind)
    }
    expect(await count('backend=codex')).toEqual(['prompt'])
    expect(await count(`session=${session}`)).toEqual(['prompt'])
    expect(await count(`parent=${batch.headers['x-execution-id']}`)).toEqual(['compare_backend', 'compare_backend'])
    expect(await count('state=completed')).toHaveLength(5)
    expect(await count('state=failed')).toEqual([])
    expect(await count('since=2999-01-01T00:00:00Z')).toEqual([])
    expect(await count('backend=claude&state=completed')).toEqual(['compare_backend', 'prompt'])
  })

  it.each(['state=done', 'limit=1001', 'limit=x', 'before=5', 'color=red', 'since=today'])(
    'refuses %s',
    async (query) => {
      const server = await startServer()
      expect((await server.request(`${EXECUTIONS}?${query}`)).status).toBe(400)
    },
  )
})

describe('GET /api/v1/executions/{id}/events', () => {
  it('replays the events of a finished prompt, numbered from 1', async () => {
    const server = await scripted({ text: ['Hello', ' there'] })
    const { headers } = await post(server, { ...hello, output_format: 'stream-json' })
    const events = await eventsOf(server, String(headers['x-execution-id']))
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1))
    expect(events.map(({ type, content }) => (type === 'state' ? content['state'] : type))).toEqual(
      expect.arrayContaining(['queued', 'running', 'init', 'message', 'done', 'completed']),
    )
    expect(events.at(-1)).toMatchObject({ type: 'state', content: { state: 'completed' } })
  })

  it.runIf(IS_FULL)('follows a running prompt until its end', async () => {
    const { server, permit } = await stepwise(2)
    const stream = await openStream({
      port: server.port,
      path: PROMPT,
      body: { ...hello, output_format: 'stream-json' },
    })
    const following = eventsOf(server, String(stream.headers['x-execution-id']))
    permit(2)
    await stream.rest()
    const events = await following
    expect(events.at(-1)).toMatchObject({ type: 'state', content: { state: 'completed' } })
    expect(events).toEqual(await eventsOf(server, String(stream.headers['x-execution-id'])))
  })

  it('sends server-sent events whose id is the number, and continues after Last-Event-ID', async () => {
    const server = await scripted({ text: ['a', 'b', 'c'] })
    const { headers } = await post(server, { ...hello, output_format: 'stream-json' })
    const path = `${EXECUTIONS}/${headers['x-execution-id']}/events`
    const all = await eventsOf(server, String(headers['x-execution-id']))
    const sse = { accept: 'text/event-stream' }
    const whole = await server.request(path, { headers: sse })
    expect(whole.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    expect(whole.text).toBe(
      all.map((event) => `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
    )
    const rest = await server.request(path, { headers: { ...sse, 'last-event-id': '4' } })
    expect([...rest.text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))).toEqual(
      all.map(({ seq }) => seq).filter((seq) => seq > 4),
    )
    const last = await server.request(path, { headers: { ...sse, 'last-event-id': String(all.length) } })
    expect([last.status, last.text]).toEqual([204, ''])
    const bad = await server.request(path, { headers: { ...sse, 'last-event-id': '1e3' } })
    expect([bad.status, bad.text]).toEqual([
      400,
      expect.stringContaining('Last-Event-ID must be the number of an event'),
    ])
  })

  it('takes `after`, and gives nothing after the last one', async () => {
    const server = await scripted({ text: ['a'] })
    const { headers } = await post(server, hello)
    const id = String(headers['x-execution-id'])
    const all = await eventsOf(server, id)
    expect(await eventsOf(server, id, '?after=2')).toEqual(all.slice(2))
    expect(await eventsOf(server, id, `?after=${all.length}`)).toEqual([])
    expect((await server.request(`${EXECUTIONS}/${id}/events?after=-1`)).status).toBe(400)
  })

  it('sends its first bytes soon though nothing happens, for browsers that wait for them', async () => {
    const server = await startServer({ context: { heartbeatMs: 60_000 } })
    const stream = await openStream({ port: server.port, path: '/api/v1/events', method: 'GET' })
    expect(await stream.nextLine()).toContain('"type":"heartbeat"')
  })

  it.each([
    ['application/x-ndjson', '{"type":"heartbeat","at":"'],
    ['text/event-stream', 'data: {"type":"heartbeat","at":"'],
  ])('sends a heartbeat while the agent is silent: %s', async (accept, heartbeat) => {
    const { server } = await stepwise(1, { context: { heartbeatMs: 5 } })
    const { body } = await post(server, { ...hello, detach: true })
    const { execution_id: id } = body as { execution_id: string }
    const path = `${EXECUTIONS}/${id}/events`
    const stream = await openStream({ port: server.port, path, method: 'GET', headers: { accept } })
    await until(async () => (await stream.nextLine())?.startsWith(heartbeat))
    await server.request(`${EXECUTIONS}/${id}/cancel`, { method: 'POST' })
  })

  it('is the answer alone if only results are kept', async () => {
    const server = await scripted({ text: ['a'] }, { config: { executions: { keep: 'results' } } })
    const { headers, body } = await post(server, hello)
    const id = String(headers['x-execution-id'])
    expect(await find(server, id)).toMatchObject({ result: body, last_seq: 0 })
    expect(await eventsOf(server, id)).toEqual([])
  })
})

describe('a detached prompt', () => {
  it.each([
    ['detach', { detach: true }, {}],
    ['Prefer: respond-async', {}, { prefer: 'respond-async' }],
  ])('with %s is answered at once and keeps running without its client', async (_name, body, headers) => {
    const { server, permit } = await stepwise(2)
    const answer = await post(server, { ...hello, ...body }, headers)
    const { execution_id: id, ...rest } = answer.body as Record<string, string>
    expect(answer.status).toBe(202)
    expect(rest).toEqual({
      session_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      state: 'running',
      links: {
        self: `${EXECUTIONS}/${id}`,
        events: `${EXECUTIONS}/${id}/events`,
        cancel: `${EXECUTIONS}/${id}/cancel`,
      },
    })
    permit(2)
    expect(await ended(server, String(id))).toMatchObject({
      state: 'completed',
      result: { output: 'piece 0. piece 1. ' },
    })
  })

  it('is refused like any other if it cannot be run', async () => {
    const server = await startServer({ agents: 'none' })
    expect((await post(server, { ...hello, detach: true })).status).toBe(400)
  })

  it('of a session resumes it', async () => {
    const server = await scripted({ text: ['a'] }, { env: { FAKE_AGENT_STATE: temporaryDirectory() } })
    const { body } = await post(server, hello)
    const { session_id: session } = body as { session_id: string }
    const answer = await server.request(`/api/v1/sessions/${session}/resume`, {
      method: 'POST',
      body: { prompt: 'more', detach: true },
    })
    expect([answer.status, answer.body]).toEqual([202, expect.objectContaining({ session_id: session })])
    const { execution_id: id } = answer.body as { execution_id: string }
    expect(await ended(server, id)).toMatchObject({ state: 'completed', session_id: session })
  })
})

describe('POST /api/v1/executions/{id}/cancel', () => {
  it('ends the agent; the state is cancelled only when its processes are gone', async () => {
    const pidFile = join(temporaryDirectory(), 'pids')
    const server = await scripted({ tool: 'sleep 300', pidFile })
    const { body } = await post(server, { ...hello, detach: true })
    const { execution_id: id } = body as { execution_id: string }
    const tool = await until(() => readPids(pidFile).tool)
    const cancelled = await server.request(`${EXECUTIONS}/${id}/cancel`, { method: 'POST' })
    expect([cancelled.status, cancelled.body]).toEqual([202, { id, state: 'running' }])
    expect(await ended(server, id)).toMatchObject({ state: 'cancelled' })
    expect(isRunning(tool)).toBe(false)
    const again = await server.request(`${EXECUTIONS}/${id}/cancel`, { method: 'POST' })
    expect([again.status, again.body]).toEqual([409, expect.objectContaining({ error: 'execution_ended' })])
  })

  it('cancels a batch with all its parts', async () => {
    const server = await scripted({ hangAfter: 'init' })
    const headers = { prefer: 'respond-async' }
    const body = { prompt: 'x', backends: ['claude', 'codex'] }
    const batch = await server.request('/api/v1/compare', { method: 'POST', body, headers })
    const { execution_id: id } = batch.body as { execution_id: string }
    await until(async () => {
      const { executions } = (await server.request(`${EXECUTIONS}?parent=${id}&state=running`)).body as ExecutionPage
      return executions.length === 2
    })
    await server.request(`${EXECUTIONS}/${id}/cancel`, { method: 'POST' })
    const state = { kind: 'compare', state: 'cancelled', prompt: 'x' }
    expect(await ended(server, id)).toMatchObject(state)
    const { executions } = (await server.request(`${EXECUTIONS}?parent=${id}`)).body as ExecutionPage
    expect(executions.map(({ state }) => state)).toEqual(['cancelled', 'cancelled'])
  })
})

describe('GET /api/v1/events', () => {
  it('sends what runs now, then every change of state', async () => {
    const { server, permit } = await stepwise(1)
    const { body } = await post(server, { ...hello, detach: true })
    const { execution_id: running } = body as { execution_id: string }
    const stream = await openStream({ port: server.port, path: '/api/v1/events', method: 'GET' })
    // On a busy machine the execution may also tell what it does, and the stream that it is open.
    const next = async () => {
      for (;;) {
        const change = JSON.parse((await stream.nextLine()) ?? '{}')
        if (!['activity', 'heartbeat'].includes(change.type)) return change
      }
    }
    expect(await next()).toMatchObject({ type: 'execution', execution: { id: running, state: 'running' } })
    permit()
    const change = await next()
    expect(change).toMatchObject({ type: 'execution', execution: { id: running, state: 'completed' } })
    expect(change.execution).not.toHaveProperty('result')
    const { headers } = await post(server, hello)
    const id = headers['x-execution-id']
    expect(await next()).toMatchObject({ execution: { id, state: 'queued' } })
    expect(await next()).toMatchObject({ execution: { id, state: 'running' } })
  })

  it.runIf(IS_FULL)('tells what a running execution does', async () => {
    const server = await scripted({ text: ['first line\nsecond line'], hangAfter: 'text' })
    const stream = await openStream({ port: server.port, path: '/api/v1/events', method: 'GET' })
    const { body } = await post(server, { ...hello, detach: true })
    const { execution_id: id } = body as { execution_id: string }
    const told = async () => {
      const change = JSON.parse((await stream.nextLine()) ?? '{}')
      return change.text === 'second line' && change
    }
    expect(await until(told)).toEqual({ type: 'activity', id, text: 'second line' })
  })

  it('ends when the server shuts down', async () => {
    const server = await startServer({ context: { heartbeatMs: 5 } })
    const stream = await openStream({ port: server.port, path: '/api/v1/events', method: 'GET' })
    server.shutdown.abort()
    expect((await stream.rest()).every((line) => line.includes('heartbeat'))).toBe(true)
  })
})

describe('the executions of another API key', () => {
  const KEYS = {
    server: {
      keys: [
        { name: 'one', sha256: digest('first-key-0123456789') },
        { name: 'two', sha256: digest('second-key-0123456789') },
        { name: 'boss', sha256: digest('third-key-0123456789'), role: 'operator' },
      ],
    },
  }
  const as = (key: string) => ({ 'x-api-key': `${key}-key-0123456789` })

  it('are not visible to a client, but to an operator', async () => {
    const server = await scripted({ hangAfter: 'init' }, KEYS)
    const { body } = await post(server, { ...hello, detach: true }, as('first'))
    const { execution_id: id } = body as { execution_id: string }
    for (const [key, status, count] of [
      ['first', 200, 1],
      ['second', 404, 0],
      ['third', 200, 1],
    ] as const) {
      expect((await server.request(`${EXECUTIONS}/${id}`, { headers: as(key) })).status).toBe(status)
      const { executions } = (await server.request(EXECUTIONS, { headers: as(key) })).body as ExecutionPage
      expect(executions.filter((execution) => execution.api_key === 'one')).toHaveLength(count)
    }
    const refused = await server.request(`${EXECUTIONS}/${id}/cancel`, { method: 'POST', headers: as('second') })
    expect(refused.status).toBe(404)
    const events = await server.request(`${EXECUTIONS}/${id}/events`, { headers: as('second') })
    expect(events.status).toBe(404)
    expect((await server.request(`${EXECUTIONS}/${id}/cancel`, { method: 'POST', headers: as('third') })).status).toBe(
      202,
    )
  })

  it('are not in the stream of states of a client', async () => {
    const server = await scripted({ text: ['a'] }, { ...KEYS, context: { heartbeatMs: 5 } })
    const [own, all] = await Promise.all(
      ['second', 'third'].map((key) =>
        openStream({ port: server.port, path: '/api/v1/events', method: 'GET', headers: as(key) }),
      ),
    )
    await post(server, hello, as('first'))
    let line = await all?.nextLine()
    while (line !== undefined && !line.includes('"completed"')) line = await all?.nextLine()
    expect(line).toContain('"execution"')
    server.shutdown.abort()
    expect((await own?.rest())?.filter((each) => each.includes('"execution"'))).toEqual([])
  })
})

describe('an ephemeral prompt', () => {
  it('can be followed while it runs, and leaves nothing', async () => {
    const { server, permit } = await stepwise(1)
    const { body } = await post(server, { ...hello, ephemeral: true, detach: true })
    const { execution_id: id } = body as { execution_id: string }
    const following = eventsOf(server, id)
    await until(() => server.context.drover.records.find(id)?.state === 'running')
    permit()
    expect((await following).at(-1)).toMatchObject({ type: 'state', content: { state: 'completed' } })
    await until(async () => (await server.request(`${EXECUTIONS}/${id}`)).status === 404)
    expect(((await server.request(EXECUTIONS)).body as ExecutionPage).executions).toEqual([])
  })
})
