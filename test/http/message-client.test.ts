/** Uses the message API through the official `@anthropic-ai/sdk` package. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Anthropic, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import type { Script } from '../fake-agent/script.ts'
import { readPids } from '../support/fake-agent.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { type ServerOptions, startServer } from '../support/start-server.ts'
import { isRunning } from '../support/test-command.ts'
import { until } from '../support/until.ts'

async function open(script: Script = {}, options: ServerOptions & { apiKey?: string; maxRetries?: number } = {}) {
  const { apiKey = 'none', maxRetries = 0, ...rest } = options
  const server = await startServer({ ...rest, env: { FAKE_AGENT_SCRIPT: JSON.stringify(script), ...rest.env } })
  const client = new Anthropic({ baseURL: `${server.url}/anthropic`, apiKey, maxRetries })
  return { server, client }
}

const hello = { model: 'claude', max_tokens: 16, messages: [{ role: 'user' as const, content: 'say hello' }] }

describe('the anthropic package', () => {
  it('creates a message', async () => {
    const { client } = await open({ text: ['Hello', ' there'], usage: { input: 12, output: 3 } })
    expect(await client.messages.create(hello)).toEqual({
      id: expect.stringMatching(/^msg_[0-9a-f]{24}$/),
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Hello there' }],
      model: 'claude',
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 12, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 3 },
    })
  })

  it.each([
    ['claude', 50],
    ['codex', 50],
    ['gemini', 57],
  ])('gets the usage of %s in the meaning of this API', async (model, output) => {
    const { client } = await open({ usage: { input: 1000, cached: 600, output: 50, reasoning: 7 } })
    const usage = {
      input_tokens: 400,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 600,
      output_tokens: output,
    }
    expect((await client.messages.create({ ...hello, model })).usage).toEqual(usage)
    expect((await client.messages.stream({ ...hello, model }).finalMessage()).usage).toEqual(usage)
  })

  it.runIf(IS_FULL)('gets the tokens that claude wrote to its cache', async () => {
    const usage = { input_tokens: 10, cache_creation_input_tokens: 30, cache_read_input_tokens: 20, output_tokens: 5 }
    const replay = join(temporaryDirectory(), 'claude.stdout')
    writeFileSync(replay, `${JSON.stringify({ type: 'result', subtype: 'success', result: 'one', usage })}\n`)
    const { client } = await open({ replay })
    expect((await client.messages.create(hello)).usage).toEqual(usage)
  })

  it.each(firstOf(['claude', 'gpt-5', 'gemini-2.5-pro']))(
    'iterates a stream of %s in the order of the API',
    async (model) => {
      const { client } = await open({ text: ['Hello', ' there'] })
      const events: Anthropic.RawMessageStreamEvent[] = []
      for await (const event of await client.messages.create({ ...hello, model, stream: true })) events.push(event)
      const types = events.map(({ type }) => type)
      expect(types.filter((type, at) => type !== types[at - 1])).toEqual([
        'message_start',
        'content_block_start',
        'content_block_delta',
        'content_block_stop',
        'message_delta',
        'message_stop',
      ])
    },
  )

  it('follows a stream to its final message', async () => {
    const { client } = await open({ text: ['Hello', ' there'], usage: { input: 12, output: 3 } })
    const stream = client.messages.stream(hello)
    const pieces: string[] = []
    stream.on('text', (piece) => void pieces.push(piece))
    const message = await stream.finalMessage()
    expect(message).toMatchObject({ content: [{ type: 'text', text: 'Hello there' }], stop_reason: 'end_turn' })
    expect(message.usage.output_tokens).toBe(3)
    expect(pieces.join('')).toBe('Hello there')
  })

  it('gets an error if the agent answers nothing', async () => {
    const { client } = await open({ text: [''], usage: { output: 3 } })
    const message = expect.stringContaining('gemini ended the turn without an answer')
    await expect(client.messages.create({ ...hello, model: 'gemini' })).rejects.toMatchObject({ status: 500, message })
  })

  it('lists the models, and gets one', async () => {
    const { client, server } = await open({}, { config: { backends: { gemini: { enabled: false } } } })
    const record = (id: string) => ({
      type: 'model',
      id,
      display_name: id,
      created_at: server.context.startedAt.toISOString(),
    })
    const listed: unknown[] = []
    for await (const model of client.models.list()) listed.push(model)
    expect(listed).toEqual(['claude', 'codex'].map(record))
    expect(await client.models.retrieve('codex')).toMatchObject(record('codex'))
    const error = await client.models.retrieve('gemini').catch((reason) => reason)
    expect(error).toBeInstanceOf(NotFoundError)
    expect(error.message).toContain('no model \\"gemini\\"; GET /anthropic/v1/models lists the models')
  })

  it('gets an estimate of the tokens, and is told so', async () => {
    const { client, server } = await open()
    const { data, response } = await client.messages
      .countTokens({ model: 'gpt-5', system: 'be brief', messages: [{ role: 'user', content: 'x'.repeat(40) }] })
      .withResponse()
    expect(data).toEqual({ input_tokens: 12 })
    expect(response.headers.get('x-drover-backend')).toBe('codex')
    expect(response.headers.get('x-drover-warning')).toContain('input_tokens is an estimate')
    const tools = [{ name: 'f', input_schema: { type: 'object' as const } }]
    const more = await client.messages.countTokens({ model: 'claude', messages: hello.messages, tools })
    expect(more.input_tokens).toBe(Math.ceil(('say hello'.length + JSON.stringify(tools[0]).length) / 4))
    expect(server.access.at(-1)).not.toHaveProperty('backend')
    const unsupported = [
      { role: 'user' as const, content: [{ type: 'image' as const, source: { type: 'url' as const, url: 'x' } }] },
    ]
    await expect(client.messages.countTokens({ model: 'claude', messages: unsupported })).rejects.toBeInstanceOf(
      BadRequestError,
    )
  })

  it.runIf(IS_FULL)('works with a base URL that lacks the prefix of the API', async () => {
    const { server } = await open({ text: ['one'] })
    const client = new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0 })
    expect(await client.messages.create(hello)).toMatchObject({ content: [{ type: 'text', text: 'one' }] })
    expect((await client.messages.countTokens({ model: 'claude', messages: hello.messages })).input_tokens).toBe(3)
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['claude', 'codex', 'gemini'])
    expect(await client.models.retrieve('codex')).toMatchObject({ type: 'model', id: 'codex' })
  })

  it('finds the request id of an answer and of an error', async () => {
    const { client, server } = await open({ text: ['one'] })
    const message = await client.messages.create(hello)
    const error = await client.messages.create({ ...hello, messages: [] }).catch((reason) => reason)
    expect([message._request_id, error.requestID]).toEqual(server.access.map(({ request_id }) => request_id))
  })

  it.runIf(IS_FULL)('supports the beta interface', async () => {
    const { client } = await open({ text: ['one'] })
    expect(await client.beta.messages.create(hello)).toMatchObject({ content: [{ type: 'text', text: 'one' }] })
  })

  it('ends the agent when it aborts a stream', async () => {
    const script = (pidFile: string) => JSON.stringify({ text: ['one'], hangAfter: 'word', pidFile })
    const { client, server } = await open(
      {},
      { envIn: (workdir) => ({ FAKE_AGENT_SCRIPT: script(join(workdir, 'pids')) }) },
    )
    const pidFile = join(server.workdir, 'pids')
    const stream = client.messages.stream(hello)
    await new Promise<void>((resolve) => void stream.on('text', () => resolve()))
    stream.abort()
    await stream.done().catch(() => undefined)
    const agent = await until(() => readPids(pidFile).agent)
    await until(() => !isRunning(agent))
    await until(() => server.context.drover.slots.load().running === 0)
  })

  it.runIf(IS_FULL)('may send all fields of the API, and unknown ones', async () => {
    const { client } = await open()
    const everything = {
      ...hello,
      system: [{ type: 'text', text: 'be brief', cache_control: { type: 'ephemeral' } }],
      temperature: 1,
      top_p: 0.5,
      top_k: 5,
      stop_sequences: ['a'],
      metadata: { user_id: 'me' },
      tools: [],
      service_tier: 'auto',
    }
    const message = await client.messages.create(everything as typeof hello)
    expect(message.type).toBe('message')
  })

  it('reports in headers which backend answers and which fields were ignored', async () => {
    const { client } = await open({ text: ['one'] })
    const thinking = { type: 'enabled' as const, budget_tokens: 1024 }
    const asked = { ...hello, model: 'llama-3', thinking, stop_sequences: ['END'], top_k: 4 }
    for (const stream of [false, true]) {
      const { response } = await client.messages.create({ ...asked, stream }).withResponse()
      expect(response.headers.get('x-drover-backend')).toBe('claude')
      expect(response.headers.get('x-drover-warning')).toBe(
        'no rule matches the model "llama-3"; claude answers with its own model; ignored: top_k, stop_sequences, thinking',
      )
    }
    const { response } = await client.messages
      .create({ ...hello, model: 'o3', dry_run: true } as typeof hello)
      .withResponse()
    expect(response.headers.get('x-drover-backend')).toBe('codex')
    expect(response.headers.get('x-drover-warning')).toBeNull()
  })

  it('stores and continues a session by header', async () => {
    const { client, server } = await open({ text: ['one'] })
    const asked = { ...hello, model: 'codex', system: 'be brief' }
    const first = await client.messages.create(asked, { headers: { 'x-drover-session': 'new' } }).asResponse()
    const id = first.headers.get('x-drover-session') ?? ''
    const { backend_session_id: thread } = await server.context.drover.opened.sessions.find(id)
    const messages = [...hello.messages, { role: 'assistant' as const, content: 'one' }, ...hello.messages]
    const again = { ...asked, messages, dry_run: true } as typeof asked
    const { data } = await client.messages.create(again, { headers: { 'x-drover-session': id } }).withResponse()
    // The system prompt is not sent twice: codex has it in front of its first prompt.
    expect(data.content).toMatchObject([
      { text: expect.stringMatching(new RegExp(`resume ${thread}.*<<< 'say hello'$`)) },
    ])
  })

  it('runs no agent for a dry run', async () => {
    const { client } = await open()
    const message = await client.messages.create({ ...hello, system: 'be brief', dry_run: true } as typeof hello)
    expect(message.content).toMatchObject([{ text: expect.stringMatching(/^Would execute: .*be brief/) }])
  })

  it('sends a prompt of 200 KB', async () => {
    const { client } = await open()
    const messages = [{ role: 'user' as const, content: 'word '.repeat(40_000) }]
    expect((await client.messages.create({ ...hello, messages })).type).toBe('message')
  })

  it.runIf(IS_FULL)('makes 50 calls at once', async () => {
    const { client } = await open({ text: ['one'] })
    const messages = await Promise.all(Array.from({ length: 50 }, () => client.messages.create(hello)))
    expect(messages.map(({ content }) => content)).toEqual(Array(50).fill([{ type: 'text', text: 'one' }]))
  })
})

describe('the errors of the anthropic package', () => {
  const thrown = async (work: Promise<unknown>): Promise<APIError> => {
    const error = await work.then(
      () => undefined,
      (reason) => reason,
    )
    expect(error).toBeInstanceOf(APIError)
    return error as APIError
  }

  it('are typed, with the message of the server', async () => {
    const { client } = await open()
    const error = await thrown(client.messages.create({ ...hello, messages: [] }))
    expect(error).toBeInstanceOf(BadRequestError)
    expect(error.message).toContain('must have at least 1 item')
    expect(error.error).toMatchObject({ error: { type: 'invalid_request_error' } })
  })

  it.runIf(IS_FULL)('name the image that is none', async () => {
    const { client } = await open()
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: 'AA==' }
    const messages = [{ role: 'user' as const, content: [{ type: 'image' as const, source }] }]
    const error = await thrown(client.messages.create({ ...hello, messages }))
    expect(error).toMatchObject({ status: 400, message: expect.stringContaining('number 1 is neither a PNG') })
  })

  it('are 401 for a wrong key', async () => {
    const { client } = await open({}, { apiKey: 'wrong', env: { DROVER_API_KEYS: 'right' } })
    const error = await thrown(client.messages.create(hello))
    expect(error).toBeInstanceOf(AuthenticationError)
    expect(error.error).toMatchObject({ error: { type: 'authentication_error' } })
  })

  it('do not occur with the right key', async () => {
    const { client } = await open({}, { apiKey: 'right', env: { DROVER_API_KEYS: 'right' } })
    expect((await client.messages.create(hello)).type).toBe('message')
  })

  it('are 500 with the message of a failed agent, and are not retried', async () => {
    const { client, server } = await open({ fail: 500 }, { maxRetries: 2 })
    const error = await thrown(client.messages.create(hello))
    expect(error).toBeInstanceOf(InternalServerError)
    expect(error.message).toContain('claude failed:')
    expect(server.access).toHaveLength(1)
  })

  it('are 429 if the model service wants fewer requests from the agent, and are retried in time', async () => {
    const { client, server } = await open({ fail: 429, retryAfterSecs: 1 }, { maxRetries: 1 })
    const error = await thrown(client.messages.create(hello))
    expect(error).toBeInstanceOf(RateLimitError)
    expect(error.headers?.get('retry-after')).toBe('1')
    expect(server.access.map(({ status }) => status)).toEqual([429, 429])
  })

  it.runIf(IS_FULL)('are 504 for a timeout', async () => {
    const { client } = await open({ hangAfter: 'init' }, { server: { request_timeout_secs: 1 } })
    expect(await thrown(client.messages.create(hello))).toMatchObject({ status: 504 })
  })

  it.runIf(IS_FULL)('end a stream whose agent fails', async () => {
    const { client } = await open({ text: ['one', 'two'], crashAfter: 'word' })
    const stream = client.messages.stream(hello)
    const pieces: string[] = []
    stream.on('text', (piece) => void pieces.push(piece))
    const error = await thrown(stream.finalMessage())
    expect(pieces.join('')).toBe('one')
    expect(error.message).toContain('claude failed')
  })

  it.runIf(IS_FULL)('are 429 over the rate limit, and are retried in time', async () => {
    const limits = { rate_limit_enabled: true, rate_limit_rps: 2, rate_limit_burst: 1 }
    const once = await open({ text: ['one'] }, { server: limits })
    await once.client.messages.create({ ...hello, dry_run: true } as typeof hello)
    expect(await thrown(once.client.messages.create(hello))).toBeInstanceOf(RateLimitError)
    const again = await open({ text: ['one'] }, { server: limits, maxRetries: 3 })
    await again.client.messages.create({ ...hello, dry_run: true } as typeof hello)
    expect((await again.client.messages.create(hello)).type).toBe('message')
    expect(again.server.access.map(({ status }) => status)).toContain(429)
  })
})

describe('the version header', () => {
  const post = async (headers: Record<string, string>, server = {}) => {
    const { request } = await startServer({ server })
    return await request('/anthropic/v1/messages', { method: 'POST', body: { ...hello, dry_run: true }, headers })
  }

  it.each([
    ['absent', {}, 400],
    ['a date', { 'anthropic-version': '2023-06-01' }, 200],
    ['no date', { 'anthropic-version': 'latest' }, 400],
    ['a date with more behind it', { 'anthropic-version': '2023-06-01x' }, 400],
  ])('%s gives %#', async (_name, headers, status) => {
    const answer = await post(headers as Record<string, string>)
    expect(answer.status).toBe(status)
    if (status === 400) {
      expect(answer.headers['content-type']).toContain('application/problem+json')
      expect(answer.body).toEqual({
        type: 'https://drover.dev/errors/api-version-invalid',
        title: 'Api Version Invalid',
        status: 400,
        detail: expect.stringContaining('2023-06-01'),
        error: {
          type: 'invalid_request_error',
          message: expect.stringContaining('anthropic-version'),
          code: 'api_version_invalid',
        },
      })
    }
  })

  it('may be missing if the config allows it, but must be valid', async () => {
    expect((await post({}, { require_api_version: false })).status).toBe(200)
    expect((await post({ 'anthropic-version': 'x' }, { require_api_version: false })).status).toBe(400)
  })
})

describe('an output format', () => {
  const schema = {
    type: 'object',
    properties: { n: { type: 'integer' } },
    required: ['n'],
    additionalProperties: false,
  }
  const format = { type: 'json_schema', schema } as const

  it.each([
    ['output_format', { output_format: format }],
    ['output_config', { output_config: { format } }],
  ])('is matched by the answer: %s', async (_name, fields) => {
    const { client, server } = await open({ text: ['{"n":', '7}'] })
    const asked = { ...hello, ...fields } as Anthropic.MessageCreateParamsNonStreaming
    const { data, response } = await client.messages.create(asked).withResponse()
    expect(data.content).toEqual([{ type: 'text', text: '{"n":7}' }])
    expect(response.headers.get('x-drover-warning')).toBeNull()
    const streamed = await client.messages.stream(asked).finalMessage()
    expect(streamed.content).toMatchObject([{ type: 'text', text: '{"n":7}' }])
    expect(server.access).toHaveLength(2)
  })

  it('that the answer does not match is an error', async () => {
    const { client } = await open({ text: ['{"n":"seven"}'] })
    const asked = { ...hello, output_format: format } as Anthropic.MessageCreateParamsNonStreaming
    const message = expect.stringContaining('$.n must be of type integer')
    await expect(client.messages.create(asked)).rejects.toMatchObject({ status: 500, message })
  })

  it('is refused on an agent that has no flag for it', async () => {
    const { client } = await open()
    const asked = { ...hello, model: 'gemini', output_format: format } as Anthropic.MessageCreateParamsNonStreaming
    const message = expect.stringContaining('use a model of claude or codex')
    await expect(client.messages.create(asked)).rejects.toMatchObject({ status: 400, message })
  })
})
