import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { RegisterRoutes } from '../../src/http/context/server-context.ts'
import { drain } from '../../src/http/http-face.ts'
import { IS_ON_POSTGRES, startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const NO_HURRY = { drainMs: 60_000, graceMs: 60_000 }

type Detached = { execution_id: string }
type Response = { id: string }

async function startSlow() {
  const reached = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  const slow: RegisterRoutes = (scope) => {
    scope.get('/quick', async () => ({}))
    scope.post('/take', async () => ({}))
    scope.get('/slow', async () => {
      reached.resolve()
      await finish.promise
      return { done: true }
    })
    scope.get('/stream', (_request, reply) => {
      reply.hijack()
      reply.raw.writeHead(200, { 'content-type': 'text/plain' })
      reply.raw.write('first ')
      reached.resolve()
      void finish.promise.then(() => reply.raw.end('last'))
    })
  }
  const server = await startServer({ routes: { '': [slow] } })
  return { server, reached: reached.promise, finish: () => finish.resolve() }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

async function hasOneQueued({ context }: TestServer): Promise<boolean> {
  const queued = IS_ON_POSTGRES
    ? (await context.drover.opened.queue?.load())?.waiting
    : context.drover.slots.load().queued
  return queued === 1
}

describe('drain', () => {
  it.each(['/slow', '/stream'])('lets %s finish, then closes its connection and resolves', async (path) => {
    const { server, reached, finish } = await startSlow()
    const connection = await server.connect()
    connection.write(get(path))
    await reached
    server.shutdown.abort()
    const order: string[] = []
    const drained = drain(server.http, NO_HURRY, async () => void order.push('agents ended')).then(() =>
      order.push('drained'),
    )
    await until(() => !server.http.app.server.listening)
    expect(order).toEqual([])
    finish()
    await drained
    expect(order).toEqual(['agents ended', 'drained'])
    expect(await connection.ended()).toMatch(/^HTTP\/1\.1 200 .*(?:"done":true|last)/s)
  })

  it('accepts no new connection and no new request on an open one', async () => {
    const { server, reached, finish } = await startSlow()
    const connection = await server.connect()
    connection.write(get('/slow'))
    await reached
    server.shutdown.abort()
    const drained = drain(server.http, NO_HURRY, async () => {})
    await until(() => !server.http.app.server.listening)
    await expect(server.request('/quick')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    connection.write(get('/quick'))
    finish()
    await drained
    expect((await connection.ended()).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
  })

  it('answers 503 and closes the connection during shutdown', async () => {
    const { server } = await startSlow()
    server.shutdown.abort()
    const { status, headers, body } = await server.request('/quick')
    expect({ status, body }).toEqual({
      status: 503,
      body: { error: 'shutting_down', message: 'the server is shutting down; retry when it is back', retryable: true },
    })
    expect(headers).toMatchObject({ connection: 'close', 'retry-after': '5' })
  })

  it('ends the agents when the time is over, and waits for their responses', async () => {
    const { server, reached, finish } = await startSlow()
    const connection = await server.connect()
    connection.write(get('/slow'))
    await reached
    server.shutdown.abort()
    await drain(server.http, { drainMs: 10, graceMs: 60_000 }, async () => finish())
    expect(await connection.ended()).toContain('"done":true')
  })

  it('closes connections that do not end even then', async () => {
    const { server, reached } = await startSlow()
    const connection = await server.connect()
    connection.write(get('/slow'))
    await reached
    await drain(server.http, { drainMs: 10, graceMs: 10 }, async () => {})
    expect(await connection.ended()).toBe('')
  })

  it('waits for the handler of a client that disconnected', async () => {
    const { server, reached, finish } = await startSlow()
    const connection = await server.connect()
    connection.write(get('/slow'))
    await reached
    connection.socket.destroy()
    await until(() => server.access.length === 1)
    const order: string[] = []
    const drained = drain(server.http, NO_HURRY, async () => void order.push('agents ended'))
    await until(() => !server.http.app.server.listening)
    order.push('finished')
    finish()
    await drained
    expect(order).toEqual(['finished', 'agents ended'])
  })

  it.each([
    ['nothing', ''],
    ['half a header', 'GET /quick HTTP/1.1\r\nHo'],
    ['half a header behind a request', `${get('/quick')}GET /qu`],
  ])('does not wait for a connection that has sent %s', async (_name, text) => {
    const { server } = await startSlow()
    const connection = await server.connect()
    connection.write(text)
    if (text.includes('\r\n\r\n')) await once(connection.socket, 'data')
    await drain(server.http, NO_HURRY, async () => {})
    await connection.ended()
  })

  it('does not wait for an incomplete body', async () => {
    const { server } = await startSlow()
    const connection = await server.connect()
    connection.write('POST /take HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n{')
    await until(() => connection.heard().includes('100 Continue'))
    await drain(server.http, NO_HURRY, async () => {})
    expect(await connection.ended()).toMatch(/HTTP\/1\.1 503 .*"error":"shutting_down"/s)
  })

  it('does not wait forever for agents', async () => {
    const { server } = await startSlow()
    await drain(server.http, { drainMs: 10, graceMs: 10 }, () => new Promise(() => {}))
  })

  it('waits for a handler to clean up after its connection was closed', async () => {
    let isCleared = false
    const reached = Promise.withResolvers<void>()
    const clearing: RegisterRoutes = (scope) => {
      scope.get('/clearing', async (_request, reply) => {
        reached.resolve()
        await once(reply.raw, 'close')
        await delay(50)
        isCleared = true
      })
    }
    const server = await startServer({ routes: { '': [clearing] } })
    const connection = await server.connect()
    connection.write(get('/clearing'))
    await reached.promise
    await drain(server.http, { drainMs: 10, graceMs: 500 }, async () => {})
    expect(isCleared).toBe(true)
  })

  it('starts no agent for a queued prompt when the time is over', async () => {
    const env = { FAKE_AGENT_SCRIPT: JSON.stringify({ hangAfter: 'init' }) }
    const server = await startServer({ server: { max_concurrent_runs: 1 }, env })
    const ask = (prompt: string) =>
      server.request('/api/v1/prompt', { method: 'POST', body: { backend: 'claude', prompt } })
    const first = ask('first')
    await until(() => server.context.drover.slots.load().running === 1)
    const second = ask('second')
    await until(() => hasOneQueued(server))
    server.shutdown.abort()
    await drain(server.http, { drainMs: 10, graceMs: 10_000 }, async () => server.drainDeadline.abort())
    const cut = {
      error_code: 'shutting_down',
      error: 'the server is shutting down; retry when it is back',
      retry_after_secs: 5,
    }
    const [ran, waited] = [(await first).body, (await second).body] as Detached[]
    expect(ran).toMatchObject({ exit_code: 130, ...cut })
    expect(waited).toMatchObject({ exit_code: -1, ...cut, session_id: '' })
    // A queue of many machines has only the state of one that never started.
    const recorded = (IS_ON_POSTGRES ? [ran] : [ran, waited]) as Detached[]
    for (const { execution_id: id } of recorded) {
      const stored = await server.context.drover.opened.executions.find(id)
      expect(stored).toMatchObject({ state: 'cancelled', result: cut })
    }
  })

  it('says in every stream and in what is stored that the server ends, not that someone has canceled the prompt', async () => {
    const env = { FAKE_AGENT_SCRIPT: JSON.stringify({ hangAfter: 'word' }) }
    const server = await startServer({ env })
    const { drover } = server.context
    const post = (path: string, body: object) => server.request(path, { method: 'POST', body })
    const prompt = { backend: 'claude', prompt: 'x' }
    const response = { model: 'claude', input: 'x' }
    const native = post('/api/v1/prompt', { ...prompt, output_format: 'stream-json' })
    const body = JSON.stringify({ ...response, stream: true })
    const headers = { 'content-type': 'application/json' }
    const streamed = await fetch(`${server.url}/openai/v1/responses`, { method: 'POST', headers, body })
    const parallel = post('/api/v1/parallel', { tasks: [prompt, prompt], max_parallel: 1 })
    const detached = { method: 'POST', headers: { 'idempotency-key': 'once' }, body: { ...prompt, detach: true } }
    const { execution_id: id } = (await server.request('/api/v1/prompt', detached)).body as Detached
    const { id: background } = (await post('/openai/v1/responses', { ...response, background: true })).body as Response
    const follow = (path: string) => fetch(server.url + path, { headers: { accept: 'text/event-stream' } })
    const followed = await follow(`/api/v1/executions/${id}/events`)
    const read = await follow(`/openai/v1/responses/${background}?stream=true`)
    const begun = () =>
      drover.records.running().filter(({ id: each }) => (drover.records.find(each)?.last_seq ?? 0) > 2)
    await until(() => begun().length === 5)
    server.shutdown.abort()
    await drain(server.http, { drainMs: 200, graceMs: 10_000 }, async () => server.drainDeadline.abort())
    const [lines, batch] = [await native, await parallel]
    const [live, events, reread] = [await streamed.text(), await followed.text(), await read.text()]
    for (const text of [lines.text, batch.text, live, events, reread]) {
      expect(text).toContain('"shutting_down"')
      expect(text).not.toContain('"agent_cancelled"')
    }
    expect(lines.text).toContain('"details":{"retry_after_secs":5}')
    expect(events).toMatch(/event: error\n.*event: state\ndata: .*"cancelled"/s)
    for (const text of [live, reread]) {
      const error = { code: 'shutting_down', message: 'the server is shutting down; retry when it is back' }
      const [last = ''] = text.split('data: ').slice(-1)
      expect(JSON.parse(last)).toMatchObject({ type: 'response.failed', response: { status: 'failed', error } })
    }
    // A queue sends it again, with the same key.
    const again = { keyId: '', key: 'once', digest: 'other', executionId: 'exec_0' }
    expect(await drover.executions.claimKey(again)).toBeUndefined()
    expect(batch.body).toMatchObject({ canceled: 2, results: [{ exit_code: 130 }, { exit_code: -1 }] })
    expect(await drover.opened.executions.find(id)).toMatchObject({
      state: 'cancelled',
      result: { error_code: 'shutting_down' },
    })
  })

  it.each([
    ['/openai/v1/chat/completions', { type: 'server_error', code: 'shutting_down', param: null }],
    ['/anthropic/v1/messages', { type: 'overloaded_error' }],
  ])('answers running and queued prompts of %s with 503 when the time is over', async (path, error) => {
    const env = { FAKE_AGENT_SCRIPT: JSON.stringify({ hangAfter: 'init' }) }
    const server = await startServer({ server: { max_concurrent_runs: 1 }, env })
    const messages = [{ role: 'user', content: 'hello' }]
    const headers = { 'anthropic-version': '2023-06-01' }
    const body = { model: 'claude', max_tokens: 9, messages }
    const ask = () => server.request(path, { method: 'POST', headers, body })
    const first = ask()
    await until(() => server.context.drover.slots.load().running === 1)
    const second = ask()
    await until(() => hasOneQueued(server))
    server.shutdown.abort()
    await drain(server.http, { drainMs: 10, graceMs: 10_000 }, async () => server.drainDeadline.abort())
    for (const answer of [await first, await second]) {
      const { status } = answer
      const message = 'the server is shutting down; retry when it is back'
      expect({ status, body: answer.body }).toMatchObject({
        status: 503,
        body: { status: 503, error: { message, ...error } },
      })
      expect(answer.headers).toMatchObject({ connection: 'close', 'retry-after': '5' })
    }
  })

  it('does not wait for idle connections', async () => {
    const { server } = await startSlow()
    const connection = await server.connect()
    connection.write(get('/quick'))
    await once(connection.socket, 'data')
    await drain(server.http, NO_HURRY, async () => {})
    await connection.ended()
  })
})
