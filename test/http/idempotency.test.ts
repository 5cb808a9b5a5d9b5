import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import type { ExecutionPage } from '../../src/executions/store/execution.shape.ts'
import type { Script } from '../fake-agent/script.ts'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { openStream } from '../support/read-stream.ts'
import { type ServerOptions, startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const scripted = (script: Script, options: ServerOptions = {}) =>
  startServer({ ...options, env: { FAKE_AGENT_SCRIPT: JSON.stringify(script), ...options.env } })

async function executionsIn(server: TestServer): Promise<ExecutionPage['executions']> {
  await server.context.drover.records.save()
  return (await server.context.drover.opened.executions.list({}, { limit: 100 })).executions
}

const native = { backend: 'claude', prompt: 'say hello' }
const chat = { model: 'claude', messages: [{ role: 'user', content: 'say hello' }] }

const MESSAGES = '/anthropic/v1/messages'
const message = { ...chat, max_tokens: 9 }

const REQUESTS: [string, string, object][] = [
  ['a prompt', '/api/v1/prompt', native],
  ['a prompt as a stream', '/api/v1/prompt', { ...native, output_format: 'stream-json' }],
  ['parallel prompts', '/api/v1/parallel', { tasks: [native, native] }],
  ['a chat completion', '/openai/v1/chat/completions', chat],
  ['a message as a stream', MESSAGES, { ...message, stream: true }],
  ['a dry run', '/api/v1/prompt', { ...native, dry_run: true }],
  ['a chain', '/api/v1/chain', { steps: [native] }],
  ['a comparison', '/api/v1/compare', { prompt: 'x', backends: ['claude', 'codex'] }],
  ['a chat completion as a stream', '/openai/v1/chat/completions', { ...chat, stream: true }],
  ['a message', MESSAGES, message],
  ['a chat completion at the root', '/v1/chat/completions', chat],
]

describe.each(firstOf(REQUESTS, 3))('%s with an Idempotency-Key', (_name, path, body) => {
  const open = async (script: Script = { text: ['Hello', ' there'] }, options: ServerOptions = {}) => {
    const server = await scripted(script, options)
    const post = (key: string, change: object = {}) =>
      server.request(path, {
        method: 'POST',
        body: { ...body, ...change },
        headers: { 'idempotency-key': key, 'anthropic-version': '2023-06-01' },
      })
    return { server, post }
  }

  it('runs once, and a repeated request gets the same answer', async () => {
    const { server, post } = await open()
    const first = await post('k-1')
    const count = (await executionsIn(server)).length
    const second = await post('k-1')
    expect(first.status).toBe(200)
    expect(first.headers).not.toHaveProperty('idempotency-replayed')
    expect(second.headers).toMatchObject({
      'idempotency-replayed': 'true',
      'x-execution-id': first.headers['x-execution-id'],
    })
    expect([second.status, second.text]).toEqual([first.status, first.text])
    expect(await executionsIn(server)).toHaveLength(count)
  })

  it('starts one execution for two requests at once', async () => {
    const { server, post } = await open({ text: ['Hello', ' there'], chunkMs: 20 })
    const answers = await Promise.all([post('k-1'), post('k-1'), post('k-1')])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(new Set(answers.map(({ headers }) => headers['x-execution-id'])).size).toBe(1)
    expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1)
    expect((await executionsIn(server)).filter(({ parent_id: parent }) => parent === undefined)).toHaveLength(1)
  })

  it('is refused with 422 for another body, and runs with another key', async () => {
    const { post } = await open()
    await post('k-1')
    const other = { ...('model' in body ? { messages: [{ role: 'user', content: 'other' }] } : { workdir: '/tmp' }) }
    const changed = 'backend' in body || 'model' in body ? other : { dry_run: true }
    const refused = await post('k-1', changed)
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('was used for another request')
    expect((await post('k-2', changed)).headers).not.toHaveProperty('idempotency-replayed')
  })
})

describe('an Idempotency-Key', () => {
  const post = (server: TestServer, key: string, headers: Record<string, string> = {}, body: object = native) =>
    server.request('/api/v1/prompt', { method: 'POST', body, headers: { 'idempotency-key': key, ...headers } })

  it.each([
    ['255 characters', 'k'.repeat(255), 200],
    ['256 characters', 'k'.repeat(256), 400],
    ['a control character', 'a\tb', 400],
    ['nothing', '', 400],
  ] as const)('of %s (%j) gets %i', async (_name, key, status) => {
    const server = await scripted({})
    expect((await post(server, key)).status).toBe(status)
  })

  it('belongs to its API key', async () => {
    const server = await scripted({}, { env: { DROVER_API_KEYS: 'one,two' } })
    const first = await post(server, 'k', { 'x-api-key': 'one' })
    const other = await post(server, 'k', { 'x-api-key': 'two' })
    expect(other.headers['x-execution-id']).not.toBe(first.headers['x-execution-id'])
    const again = await post(server, 'k', { 'x-api-key': 'one' })
    expect(again.headers['x-execution-id']).toBe(first.headers['x-execution-id'])
  })

  it('is free again after a request that could not be run', async () => {
    const server = await scripted({ hangAfter: 'init' }, { server: { max_concurrent_runs: 1, max_queued_runs: 0 } })
    const busy = await post(server, 'busy', {}, { ...native, detach: true })
    const { execution_id: id } = busy.body as { execution_id: string }
    await until(() => server.context.drover.records.find(id)?.state === 'running')
    expect((await post(server, 'k')).status).toBe(503)
    await server.request(`/api/v1/executions/${id}/cancel`, { method: 'POST' })
    await until(() => server.context.drover.records.find(id) === undefined)
    const again = await post(server, 'k', {}, { ...native, detach: true })
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([202, undefined])
  })

  it.runIf(IS_FULL)(
    'lets the agent keep running when its client disconnects, and the next request gets the whole answer',
    async () => {
      const server = await scripted({ text: ['one ', 'two ', 'three'], chunkMs: 50 })
      const body = { ...native, output_format: 'stream-json' }
      const headers = { 'idempotency-key': 'k' }
      const stream = await openStream({ port: server.port, path: '/api/v1/prompt', body, headers })
      await stream.nextLine()
      stream.hangUp()
      const answer = await post(server, 'k', {}, body)
      const lines = answer.text.trim().split('\n')
      const events = lines.map((line) => JSON.parse(line))
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1))
      expect(events[0]).toMatchObject({ type: 'init', backend: 'claude' })
      expect(events.at(-1)).toMatchObject({ type: 'done', content: { exit_code: 0 } })
      expect(await executionsIn(server)).toHaveLength(1)
    },
  )

  it('gives the answer from the result if no events are kept', async () => {
    const server = await scripted({ text: ['Hello', ' there'] }, { config: { executions: { keep: 'results' } } })
    const body = { ...chat, stream: true }
    const ask = () =>
      server.request('/openai/v1/chat/completions', { method: 'POST', body, headers: { 'idempotency-key': 'k' } })
    await ask()
    const second = await ask()
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(second.text).toContain('"delta":{"content":"Hello there"}')
    expect(second.text.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  it.each([
    ['an ephemeral prompt', { ephemeral: true }, {}],
    ['a server that keeps nothing', {}, { executions: { keep: 'none' } }],
  ])('does not run %s again, but cannot give its answer', async (_name, wishes, config) => {
    const server = await scripted({ text: ['a'] }, { config })
    expect((await post(server, 'k', {}, { ...native, ...wishes })).status).toBe(200)
    const again = await post(server, 'k', {}, { ...native, ...wishes })
    expect([again.status, again.body]).toEqual([409, expect.objectContaining({ error: 'execution_lost' })])
  })

  it.each([429, 529] as const)('is free again after a transient failure of the model service: %i', async (fail) => {
    const server = await scripted({ fail })
    const ask = () => post(server, 'k', {}, native)
    const first = await ask()
    const second = await ask()
    expect(second.headers).not.toHaveProperty('idempotency-replayed')
    expect(second.headers['x-execution-id']).not.toBe(first.headers['x-execution-id'])
  })

  it.each([
    ['/api/v1/prompt', { ...native, output_format: 'stream-json' }],
    ['/openai/v1/chat/completions', { ...chat, stream: true }],
    ['/anthropic/v1/messages', { ...message, stream: true }],
  ])('never gets a part of a lost answer as if it were the whole: %s', async (path, body) => {
    const server = await scripted({ text: ['one ', 'two '], hangAfter: 'word' })
    const headers = { 'idempotency-key': 'k', 'anthropic-version': '2023-06-01' }
    const stream = await openStream({ port: server.port, path, body, headers })
    const id = String(stream.headers['x-execution-id'])
    await stream.nextLine()
    await server.context.drover.records.save()
    await server.context.drover.opened.executions.loseAllOf(server.context.drover.records.owner)
    const other = await startServer({
      changeStores: (stores) => ({ ...stores, executions: server.context.drover.opened.executions }),
    })
    const again = await other.request(path, { method: 'POST', body, headers })
    expect([again.status, again.headers['x-execution-id']]).toEqual([409, id])
    stream.hangUp()
  })

  it('of an execution that was lost is refused, so that nothing runs twice in silence', async () => {
    const server = await scripted({ hangAfter: 'init' })
    const { body } = await post(server, 'k', {}, { ...native, detach: true })
    const { execution_id: id } = body as { execution_id: string }
    await until(() => server.context.drover.records.find(id)?.state === 'running')
    await server.context.drover.records.save()
    // As the next server does when this one was killed.
    await server.context.drover.opened.executions.loseAllOf(server.context.drover.records.owner)
    const other = await startServer({
      changeStores: (stores) => ({ ...stores, executions: server.context.drover.opened.executions }),
    })
    const again = await post(other, 'k', {}, { ...native, detach: true })
    expect([again.status, again.body]).toMatchObject([202, { execution_id: id, state: 'lost' }])
  })
})

describe('a client whose connection is cut', () => {
  const CUTS = [
    ['after its request', 0],
    ['in the middle of the headers', 20],
  ] as const

  it.each(firstOf(CUTS, 2))('%s: the openai package retries and gets the one answer', async (_name, afterBytes) => {
    const server = await scripted({ text: ['Hello', ' there'], chunkMs: 30 })
    const proxy = await startCuttingProxy(server.port, { cuts: 2, afterBytes })
    const client = new OpenAI({ baseURL: `${proxy.url}/openai/v1`, apiKey: 'none', maxRetries: 4 })
    const headers = { 'Idempotency-Key': 'openai-1' }
    const messages = [{ role: 'user' as const, content: 'say hello' }]
    const completion = await client.chat.completions.create({ model: 'claude', messages }, { headers })
    expect(completion.choices[0]?.message.content).toBe('Hello there')
    expect(proxy.connections()).toBe(3)
    expect(await executionsIn(server)).toHaveLength(1)
  })

  it.each(firstOf(CUTS))('%s: the anthropic package retries and gets the one answer', async (_name, afterBytes) => {
    const server = await scripted({ text: ['Hello', ' there'], chunkMs: 30 })
    const proxy = await startCuttingProxy(server.port, { cuts: 2, afterBytes })
    const client = new Anthropic({ baseURL: `${proxy.url}/anthropic`, apiKey: 'none', maxRetries: 4 })
    const headers = { 'Idempotency-Key': 'anthropic-1' }
    const messages = [{ role: 'user' as const, content: 'say hello' }]
    const message = await client.messages.create({ model: 'claude', max_tokens: 9, messages }, { headers })
    expect(message.content).toEqual([{ type: 'text', text: 'Hello there' }])
    expect(proxy.connections()).toBe(3)
    expect(await executionsIn(server)).toHaveLength(1)
  })
})
