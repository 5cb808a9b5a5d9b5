import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SessionStore } from '../../src/sessions/session-store.ts'
import type { Script } from '../fake-agent/script.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { openStream } from '../support/read-stream.ts'
import { IS_ON_POSTGRES, type ServerOptions, startServer, type TestServer } from '../support/start-server.ts'

const start = (options: ServerOptions = {}) =>
  startServer({ ...options, server: { metrics_enabled: true, ...options.server } })

/** The lines of all series. */
async function scrape(server: TestServer): Promise<string[]> {
  const { status, text } = await server.request('/metrics')
  expect(status).toBe(200)
  return text.split('\n')
}

const seen = (server: TestServer, line: string) =>
  expect.poll(() => scrape(server), { timeout: 10_000 }).toContain(line)

const post = (server: TestServer, path: string, body: unknown) => server.request(path, { method: 'POST', body })

describe('GET /metrics', () => {
  it('only exists if it is enabled', async () => {
    const server = await startServer()
    expect(await server.request('/metrics')).toMatchObject({ status: 404, body: { error: 'not_found' } })
  })

  it('has the Prometheus text format and answers HEAD', async () => {
    const server = await start()
    const { headers, text } = await server.request('/metrics')
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(text.split('\n').filter((line) => !/^(#.*|[a-z0-9_]+(\{.*\})? [-+.0-9A-Za-z]+|)$/.test(line))).toEqual([])
    expect(await server.request('/metrics', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
  })

  it.each([
    ['needs a key where keys are set', {}, {}, 401],
    ['is given to who has a key', {}, { 'x-api-key': 'one' }, 200],
    ['is given to anybody where it is public', { metrics_public: true }, {}, 200],
  ])('%s', async (_, settings, headers, status) => {
    const server = await start({ env: { DROVER_API_KEYS: 'one' }, server: settings })
    expect((await server.request('/metrics', { headers })).status).toBe(status)
  })

  it('has the process and the version', async () => {
    const lines = await scrape(await start())
    expect(lines).toContain('drover_build_info{version="1.2.3"} 1')
    // What `promtool check metrics` demands.
    const types = lines.flatMap((line) => /^# TYPE (\S+) (\S+)$/.exec(line)?.slice(1) ?? []).join(' ')
    expect(types.match(/\S+_total (?!counter)\S+/g) ?? []).toEqual([])
    expect(
      lines.filter((line) => /^(process_resident_memory_bytes|nodejs_eventloop_lag_seconds) /.test(line)),
    ).toHaveLength(2)
  })
})

describe('the metrics of requests', () => {
  it('count by the path of the route', async () => {
    const server = await start()
    for (const id of ['aaaa', 'bbbb']) await server.request(`/api/v1/sessions/${id}`)
    for (const path of ['/no', '/openai/v1/no', '/docs/no', '/.env?x=1']) await server.request(path)
    const lines = await scrape(server)
    expect(lines).toEqual(
      expect.arrayContaining([
        'drover_requests_total{method="GET",path="/api/v1/sessions/:id",status="404"} 2',
        'drover_requests_total{method="GET",path="unknown",status="404"} 3',
        'drover_requests_total{method="GET",path="/docs/:asset",status="404"} 1',
        'drover_request_duration_seconds_count{method="GET",path="/api/v1/sessions/:id"} 2',
      ]),
    )
    expect(lines.filter((line) => /aaaa|bbbb|env/.test(line))).toEqual([])
  })

  it('have buckets for responses that take minutes', async () => {
    const server = await start()
    await server.request('/health')
    const bounds = (await scrape(server))
      .filter((line) => line.startsWith('drover_request_duration_seconds_bucket'))
      .map((line) => /le="([^"]*)"/.exec(line)?.[1])
    expect(bounds).toEqual(expect.arrayContaining(['0.005', '60', '300', '3600', '+Inf']))
  })

  it('count requests that are refused before their route, by error code', async () => {
    const limited = { rate_limit_enabled: true, rate_limit_rps: 1, rate_limit_burst: 3 }
    const server = await start({
      env: { DROVER_API_KEYS: 'one' },
      server: { ...limited, metrics_public: true, max_request_body_bytes: 4 },
    })
    const key = { 'x-api-key': 'one' }
    await server.request('/api/v1/backends')
    for (const _ of [1, 2, 3, 4]) await post(server, '/api/v1/prompt', { long: 1 })
    expect((await server.request('/nowhere', { headers: key })).status).toBe(404)
    const { text } = await server.request('/metrics', { headers: key })
    expect(text).toContain('drover_requests_refused_total{reason="unauthorized"} 1\n')
    expect(text).toContain('drover_requests_refused_total{reason="request_too_large"} 2\n')
    expect(text).toContain('drover_requests_refused_total{reason="too_many_requests"} 2\n')
    expect(text).toContain('drover_requests_refused_total{reason="not_found"} 1\n')
    expect(text).toContain('drover_requests_total{method="POST",path="/api/v1/prompt",status="429"} 2\n')
  })

  it('count by the name of the key, and never contain the key', async () => {
    const server = await start({ env: { DROVER_API_KEYS: 'open-sesame' }, server: { metrics_public: true } })
    await server.request('/api/v1/backends', { headers: { 'x-api-key': 'open-sesame' } })
    await server.request('/api/v1/backends', { headers: { 'x-api-key': 'open-barley' } })
    const lines = await scrape(server)
    const key = server.access[0]?.key
    expect(lines.filter((line) => line.startsWith('drover_key_requests_total'))).toEqual([
      `drover_key_requests_total{key="${key}"} 1`,
    ])
    expect(lines.join()).not.toMatch(/sesame|barley/)
  })

  it('count invalid HTTP, and nothing stays in progress', async () => {
    const server = await start()
    const raw = await server.connect()
    raw.write('nonsense\r\n\r\n')
    await raw.ended()
    const lines = await scrape(server)
    expect(lines).toContain('drover_requests_refused_total{reason="request_malformed"} 1')
    // The request for the metrics itself.
    expect(lines).toContain('drover_requests_in_flight 1')
  })
})

describe('the metrics of agents', () => {
  const script = (orders: Script) => ({ FAKE_AGENT_SCRIPT: JSON.stringify(orders) })
  const hello = { backend: 'codex', prompt: 'hello' }

  it('are 0 before the first prompt', async () => {
    const lines = await scrape(await start())
    expect(lines).toContain('drover_backend_executions_total{backend="gemini",status="timeout"} 0')
    expect(lines).toContain('drover_tokens_total{backend="claude",kind="reasoning"} 0')
    expect(lines).toContain('drover_sessions_created_total 0')
    expect(lines).toContain('drover_queue_wait_seconds_count 0')
  })

  it('count executions, durations, tokens and sessions', async () => {
    const server = await start({ env: script({ usage: { input: 12, output: 3 } }) })
    await post(server, '/api/v1/prompt', hello)
    await post(server, '/api/v1/prompt', { ...hello, ephemeral: true })
    const lines = await scrape(server)
    expect(lines).toEqual(
      expect.arrayContaining([
        'drover_backend_executions_total{backend="codex",status="success"} 2',
        'drover_backend_execution_duration_seconds_count{backend="codex"} 2',
        'drover_tokens_total{backend="codex",kind="input"} 24',
        'drover_tokens_total{backend="codex",kind="output"} 6',
        'drover_sessions_created_total 1',
        'drover_queue_wait_seconds_count 2',
        'drover_running_agents 0',
        'drover_waiting_turns 0',
        'drover_queue_length 0',
        'drover_active_sessions 0',
      ]),
    )
  })

  it.runIf(IS_FULL)('count agents by outcome', async () => {
    const failing = await start({ env: script({ fail: 500 }) })
    await post(failing, '/api/v1/prompt', hello)
    expect(await scrape(failing)).toContain('drover_backend_executions_total{backend="codex",status="error"} 1')
    const slow = await start({ env: script({ hangAfter: 'start' }) })
    await post(slow, '/api/v1/prompt', { ...hello, timeout_secs: 1 })
    expect(await scrape(slow)).toContain('drover_backend_executions_total{backend="codex",status="timeout"} 1')
  })

  it('count the prompts of batches, with `unknown` for a backend that does not exist', async () => {
    const server = await start()
    const lost = { backend: 'a-name-of-the-client', prompt: 'hello' }
    await post(server, '/api/v1/parallel', { tasks: [hello, lost] })
    await post(server, '/api/v1/chain', { steps: [hello] })
    await post(server, '/api/v1/compare', { prompt: 'hello', backends: ['codex'] })
    const lines = await scrape(server)
    expect(lines).toEqual(
      expect.arrayContaining([
        'drover_parallel_task_executions_total{backend="codex",status="ok"} 1',
        'drover_parallel_task_executions_total{backend="unknown",status="failed"} 1',
        'drover_chain_step_executions_total{backend="codex",status="ok"} 1',
        'drover_compare_backend_duration_seconds_count{backend="codex",status="ok"} 1',
      ]),
    )
    expect(lines.join('\n')).not.toContain('a-name-of-the-client')
  })

  it('count running and queued prompts', async () => {
    const server = await start({
      env: script({ hangAfter: 'word', text: ['Hello'] }),
      server: { max_concurrent_runs: 1 },
    })
    const body = { ...hello, output_format: 'stream-json' }
    const running = await openStream({ port: server.port, path: '/api/v1/prompt', body })
    expect(await running.nextLine()).toContain('"init"')
    const waiting = post(server, '/api/v1/prompt', hello).catch(() => undefined)
    await seen(server, IS_ON_POSTGRES ? 'drover_shared_queue_length 1' : 'drover_queue_length 1')
    const lines = await scrape(server)
    expect(lines).toContain('drover_running_agents 1')
    expect(lines).toContain('drover_active_sessions 1')
    running.hangUp()
    await seen(server, 'drover_backend_executions_total{backend="codex",status="canceled"} 1')
    // The interrupted session is paused, and the queued prompt has started its own.
    await seen(server, 'drover_active_sessions 2')
    server.http.app.server.closeAllConnections()
    await waiting
  })

  it('are still sent if the sessions cannot be counted', async () => {
    const broken = { list: () => Promise.reject(new Error('disk')) } as unknown as SessionStore
    const server = await start({ changeStores: (stores) => ({ ...stores, sessions: broken }) })
    expect(await scrape(server)).toContain('drover_active_sessions Nan')
    expect(server.logged).toContainEqual(expect.objectContaining({ level: 'error', fields: { reason: 'disk' } }))
  })
})

describe('a server without metrics', () => {
  it.runIf(IS_FULL)('does not load prom-client', () => {
    const source = (isEnabled: boolean) => `
      import { withMetrics } from './src/http/meta/metrics.ts'
      import './src/http/server.ts'
      await withMetrics({ config: { backends: {}, server: { metrics_enabled: ${isEnabled} } }, drover: { opened: {}, observe() {} } })
      const { createRequire } = await import('node:module')
      console.log(Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes('prom-client')))`
    const isLoaded = (isEnabled: boolean) =>
      execFileSync(process.execPath, ['--input-type=module', '--eval', source(isEnabled)], {
        cwd: join(import.meta.dirname, '..', '..'),
        encoding: 'utf8',
      }).trim()
    expect([isLoaded(false), isLoaded(true)]).toEqual(['false', 'true'])
  })
})
