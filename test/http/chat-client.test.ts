/** Uses the chat completion API through the official `openai` package. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from 'openai'
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
  const client = new OpenAI({ baseURL: `${server.url}/openai/v1`, apiKey, maxRetries })
  return { server, client }
}

const hello = { model: 'gpt-5', messages: [{ role: 'user' as const, content: 'say hello' }] }

describe('the openai package', () => {
  it('lists the models, and gets one', async () => {
    const { client, server } = await open()
    const models = await client.models.list()
    const created = Math.floor(server.context.startedAt.getTime() / 1000)
    const record = (id: string) => ({ id, object: 'model', created, owned_by: 'drover' })
    expect(models.data).toEqual(['claude', 'codex', 'gemini'].map(record))
    expect(await client.models.retrieve('codex')).toEqual(record('codex'))
    await expect(client.models.retrieve('gpt-5')).rejects.toBeInstanceOf(NotFoundError)
  })

  it.runIf(IS_FULL)('does not list a backend that is disabled', async () => {
    const { client } = await open({}, { config: { backends: { codex: { enabled: false } } } })
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['claude', 'gemini'])
  })

  it('creates a completion', async () => {
    const { client } = await open({ text: ['Hello', ' there'], usage: { input: 12, output: 3 } })
    expect(await client.chat.completions.create(hello)).toEqual({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f]{24}$/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'gpt-5',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello there' }, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: 12,
        completion_tokens: 3,
        total_tokens: 15,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    })
  })

  it.each([
    ['claude', 50, 0],
    ['codex', 50, 7],
    ['gemini', 57, 7],
  ])('gets the usage of %s in the meaning of this API', async (model, output, reasoning) => {
    const { client } = await open({ usage: { input: 1000, cached: 600, output: 50, reasoning: 7 } })
    const usage = {
      prompt_tokens: 1000,
      completion_tokens: output,
      total_tokens: 1000 + output,
      prompt_tokens_details: { cached_tokens: 600 },
      completion_tokens_details: { reasoning_tokens: reasoning },
    }
    expect((await client.chat.completions.create({ ...hello, model })).usage).toEqual(usage)
    const stream_options = { include_usage: true }
    const stream = await client.chat.completions.create({ ...hello, model, stream: true, stream_options })
    let last: OpenAI.CompletionUsage | null | undefined
    for await (const chunk of stream) last = chunk.usage
    expect(last).toEqual(usage)
  })

  it.each(firstOf(['claude', 'codex', 'gemini']))('iterates a stream of %s', async (model) => {
    const { client } = await open({ text: ['Hello', ' there'] })
    const stream = await client.chat.completions.create({ ...hello, model, stream: true })
    const chunks: OpenAI.ChatCompletionChunk[] = []
    for await (const chunk of stream) chunks.push(chunk)
    expect(chunks[0]?.choices).toEqual([{ index: 0, delta: { role: 'assistant' }, finish_reason: null }])
    expect(chunks.at(-1)?.choices).toEqual([{ index: 0, delta: {}, finish_reason: 'stop' }])
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Hello there')
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
    for (const chunk of chunks) expect(chunk).not.toHaveProperty('usage')
  })

  it.runIf(IS_FULL)('reports the usage of a stream on request', async () => {
    const { client } = await open({ usage: { input: 12, output: 3 } })
    const stream = await client.chat.completions.create({
      ...hello,
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks: OpenAI.ChatCompletionChunk[] = []
    for await (const chunk of stream) chunks.push(chunk)
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
    })
    for (const chunk of chunks.slice(0, -1)) expect(chunk.usage).toBeNull()
  })

  it('follows a stream to its final completion', async () => {
    const { client } = await open({ text: ['Hello', ' there'] })
    const runner = client.chat.completions.stream(hello)
    const pieces: string[] = []
    runner.on('content', (piece) => void pieces.push(piece))
    const completion = await runner.finalChatCompletion()
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { role: 'assistant', content: 'Hello there' },
    })
    expect(pieces.join('')).toBe('Hello there')
  })

  it('ends the agent when it aborts a stream', async () => {
    const script = (pidFile: string) => JSON.stringify({ text: ['one'], hangAfter: 'word', pidFile })
    const { client, server } = await open(
      {},
      { envIn: (workdir) => ({ FAKE_AGENT_SCRIPT: script(join(workdir, 'pids')) }) },
    )
    const pidFile = join(server.workdir, 'pids')
    const stream = await client.chat.completions.create({ ...hello, model: 'claude', stream: true })
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break
    stream.controller.abort()
    const agent = await until(() => readPids(pidFile).agent)
    await until(() => !isRunning(agent))
    await until(() => server.context.drover.slots.load().running === 0)
  })

  it('runs no agent for a dry run', async () => {
    const { client } = await open()
    const completion = await client.chat.completions.create({ ...hello, dry_run: true } as typeof hello)
    expect(completion.choices[0]?.message.content).toMatch(/^Would execute: .*codex.*--model gpt-5/)
  })

  it('may send all fields of the API, and unknown ones', async () => {
    const { client } = await open()
    const completion = await client.chat.completions.create({
      ...hello,
      max_tokens: 5,
      max_completion_tokens: 5,
      temperature: 2,
      top_p: 0.5,
      n: 3,
      stop: ['a', 'b'],
      presence_penalty: 1,
      frequency_penalty: -1,
      logit_bias: { 50256: -100 },
      user: 'me',
      seed: 7,
      response_format: { type: 'text' },
      tools: [],
      metadata: { a: 'b' },
    })
    expect(completion.choices).toHaveLength(1)
    for (const stop of ['a', null])
      expect((await client.chat.completions.create({ ...hello, stop })).choices).toHaveLength(1)
  })

  it.each(
    firstOf(
      [
        ['codex-mini-latest', 'codex', 'codex-mini-latest'],
        ['o3', 'codex', 'o3'],
        ['o4-mini', 'codex', 'o4-mini'],
        ['openai/codex', 'codex', undefined],
        ['openai/gpt-5', 'codex', 'gpt-5'],
        ['sonnet', 'claude', 'sonnet'],
        ['anthropic/claude-opus-4-5', 'claude', 'claude-opus-4-5'],
      ],
      4,
    ),
  )('runs %s on %s', async (model, backend, passed) => {
    const { client } = await open()
    const asked = { ...hello, model, dry_run: true }
    const { data, response } = await client.chat.completions.create(asked as typeof hello).withResponse()
    const command = data.choices[0]?.message.content ?? ''
    expect(/ --model ('?)(\S+?)\1 /.exec(command)?.[2]).toBe(passed)
    expect(command).toMatch(new RegExp(`^Would execute: .*\\b${backend}\\b`))
    expect(response.headers.get('x-drover-backend')).toBe(backend)
    expect(response.headers.get('x-drover-warning')).toBeNull()
    expect(data.model).toBe(model)
  })

  it.runIf(IS_FULL)('reports in a header that no rule matches the model', async () => {
    for (const stream of [false, true]) {
      const { client } = await open({ text: ['one'] })
      const { response } = await client.chat.completions.create({ ...hello, model: 'ünknown', stream }).withResponse()
      expect(response.headers.get('x-drover-backend')).toBe('claude')
      expect(response.headers.get('x-drover-warning')).toBe(
        'no rule matches the model "\\u00fcnknown"; claude answers with its own model',
      )
    }
  })

  it.runIf(IS_FULL)(
    'is told that there is no such model, if the server refuses models that no rule matches',
    async () => {
      const { client, server } = await open({ text: ['one'] }, { server: { unknown_models: 'refuse' } })
      const error = await client.chat.completions
        .create({ ...hello, model: 'clude' })
        .catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(NotFoundError)
      expect(error).toMatchObject({ code: 'model_not_found', type: 'invalid_request_error' })
      expect(String(error)).toContain('no model "clude"; GET /openai/v1/models lists the models')
      const response = await client.responses.create({ model: 'clude', input: 'x' }).catch((reason: unknown) => reason)
      expect(response).toMatchObject({ status: 404, code: 'model_not_found' })
      for (const path of ['/anthropic/v1/messages', '/anthropic/v1/messages/count_tokens']) {
        const body = { model: 'clude', max_tokens: 1, messages: hello.messages }
        const answer = await server.request(path, {
          method: 'POST',
          headers: { 'anthropic-version': '2023-06-01' },
          body,
        })
        expect(answer).toMatchObject({
          status: 404,
          body: {
            detail: 'no model "clude"; GET /anthropic/v1/models lists the models',
            error: { type: 'not_found_error', code: 'model_not_found' },
          },
        })
      }
      for (const model of ['codex', 'gpt-5', 'sonnet'])
        await expect(client.chat.completions.create({ ...hello, model })).resolves.toMatchObject({ model })
    },
  )

  it('follows the rules of the configuration instead of the default ones', async () => {
    const { client } = await open({}, { server: { model_rules: ['llama*=gemini'] } })
    const backendFor = async (model: string) => {
      const asked = { ...hello, model, dry_run: true } as typeof hello
      return (await client.chat.completions.create(asked).asResponse()).headers.get('x-drover-backend')
    }
    expect([await backendFor('llama-3'), await backendFor('o3')]).toEqual(['gemini', 'claude'])
    const { client: bare } = await open({}, { server: { model_rules: [] } })
    const { response } = await bare.chat.completions
      .create({ ...hello, model: 'codex-mini-latest', dry_run: true } as typeof hello)
      .withResponse()
    expect(response.headers.get('x-drover-warning')).toContain('no rule matches')
  })

  it('reports in a header which fields were ignored', async () => {
    const { client } = await open({ text: ['one'] })
    const asked = { ...hello, n: 2, stop: ['END'], temperature: 0.2, logprobs: true, user: 'me' }
    for (const stream of [false, true]) {
      const { response } = await client.chat.completions.create({ ...asked, stream }).withResponse()
      expect(response.headers.get('x-drover-warning')).toBe('ignored: temperature, n, stop, logprobs')
    }
    const native = { ...hello, approval_mode: 'none' } as typeof hello
    const { response: other } = await client.chat.completions.create(native).withResponse()
    expect(other.headers.get('x-drover-warning')).toBe('ignored: approval_mode')
    const { response } = await client.chat.completions.create({ ...hello, n: 1, temperature: 1 }).withResponse()
    expect(response.headers.get('x-drover-warning')).toBeNull()
  })

  it.runIf(IS_FULL)('works with a base URL that lacks the prefix of the API', async () => {
    const { server } = await open({ text: ['one'] })
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 })
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['claude', 'codex', 'gemini'])
    expect(await client.models.retrieve('codex')).toMatchObject({ id: 'codex', object: 'model' })
    const { data, response } = await client.chat.completions.create(hello).withResponse()
    expect(data.choices[0]?.message.content).toBe('one')
    expect(response.headers.get('x-drover-backend')).toBe('codex')
  })

  it('is told where the endpoint is if the base URL lacks the version', async () => {
    const { server } = await open()
    const client = new OpenAI({ baseURL: server.url, apiKey: 'none', maxRetries: 0 })
    const error = await client.responses.create({ model: 'codex', input: 'x' }).catch((reason) => reason)
    expect(error).toBeInstanceOf(NotFoundError)
    expect(error).toMatchObject({ code: 'not_found', type: 'invalid_request_error' })
    expect(error.message).toMatch(/no endpoint \/responses; did you mean \/(?:openai\/)?v1\/responses\?/)
  })

  it('sends a prompt of 200 KB', async () => {
    const { client } = await open()
    const content = 'word '.repeat(40_000)
    const completion = await client.chat.completions.create({ model: 'claude', messages: [{ role: 'user', content }] })
    expect(completion.choices[0]?.message.content).toContain('word')
  })

  it.runIf(IS_FULL)('makes many calls at once', async () => {
    const { client } = await open({ text: ['one'] })
    const count = IS_FULL ? 50 : 15
    const completions = await Promise.all(Array.from({ length: count }, () => client.chat.completions.create(hello)))
    expect(completions.map(({ choices }) => choices[0]?.message.content)).toEqual(Array(count).fill('one'))
    expect(new Set(completions.map(({ id }) => id)).size).toBe(count)
  })
})

describe('a session of the openai package', () => {
  const say = (content: string) => ({ role: 'user' as const, content })
  const system = { role: 'system' as const, content: 'be brief' }

  it.each(firstOf([false, true]))('is stored and continued by header, as a stream: %s', async (stream) => {
    const { client, server } = await open({ text: ['first answer'] })
    const first = { model: 'claude', messages: [system, say('first question')] }
    const ask = async (body: object, session: string) => {
      const asked = { ...first, ...body, stream } as OpenAI.ChatCompletionCreateParamsNonStreaming
      const response = await client.chat.completions
        .create(asked, { headers: { 'x-drover-session': session } })
        .asResponse()
      return { id: response.headers.get('x-drover-session') ?? '', text: await response.text() }
    }
    const { id } = await ask({}, 'new')
    const session = await server.context.drover.opened.sessions.find(id)
    expect(session).toMatchObject({ initial_prompt: 'first question', system_prompt: 'be brief', status: 'completed' })
    // The client sends the whole conversation again; the agent gets only what is new.
    const messages = [...first.messages, { role: 'assistant', content: 'first answer' }, say('second question')]
    const again = await ask({ messages, dry_run: true }, id)
    expect(again.text).toMatch(new RegExp(`--resume ${session.backend_session_id}\\b.*<<< 'second question'`))
    expect((await ask({ model: 'llama', messages }, id.slice(0, 12))).id).toBe(id)
    expect(await server.context.drover.opened.sessions.find(id)).toMatchObject({
      backend: 'claude',
      status: 'completed',
    })
  })

  it.runIf(IS_FULL)('is not stored without the header', async () => {
    const { client, server } = await open({ text: ['one'] })
    const { response } = await client.chat.completions.create(hello).withResponse()
    expect(response.headers.get('x-drover-session')).toBeNull()
    expect((await server.context.drover.opened.sessions.list({}, { limit: 1, offset: 0 })).total).toBe(0)
  })

  it('works in the directory of the header, if the operator allows it', async () => {
    const directory = join(temporaryDirectory(), 'päth')
    mkdirSync(directory)
    const { client, server } = await open({ text: ['one'] }, { server: { allowed_workdir_prefixes: [directory] } })
    const ask = (workdir: string) =>
      client.chat.completions.create(hello, {
        headers: { 'x-drover-session': 'new', 'x-drover-workdir': Buffer.from(workdir).toString('latin1') },
      })
    const id = (await ask(directory).asResponse()).headers.get('x-drover-session') ?? ''
    expect(await server.context.drover.opened.sessions.find(id)).toMatchObject({ working_dir: directory })
    for (const refused of [temporaryDirectory(), '/etc', 'relative', join(directory, 'nothing')]) {
      const error = await ask(refused).catch((reason) => reason)
      expect(error).toMatchObject({ status: 400, code: 'workdir_not_allowed' })
    }
  })

  it.each<[string, string, object, object]>(
    firstOf(
      [
        ['no such session', '0'.repeat(32), {}, { status: 404, code: 'session_not_found' }],
        ['no id', 'New!', {}, { status: 400, code: 'session_id_malformed' }],
        ['another backend', 'KNOWN', { model: 'gpt-5' }, { status: 400, code: 'session_backend_differs' }],
        [
          'nothing new to say',
          'KNOWN',
          { messages: [say('a'), { role: 'assistant', content: 'b' }] },
          { status: 400, code: 'invalid_request', param: 'messages' },
        ],
      ],
      2,
    ),
  )('is refused: %s', async (_name, wanted, over, refusal) => {
    const { client, server } = await open({ text: ['one'] })
    const first = await client.chat.completions
      .create({ ...hello, model: 'claude' }, { headers: { 'x-drover-session': 'new' } })
      .asResponse()
    const id = wanted === 'KNOWN' ? (first.headers.get('x-drover-session') ?? '') : wanted
    const asked = { ...hello, model: 'claude', ...over }
    const refused = client.chat.completions.create(asked, { headers: { 'x-drover-session': id } })
    expect(await refused.catch((reason) => reason)).toMatchObject(refusal)
    expect((await server.context.drover.opened.sessions.list({}, { limit: 9, offset: 0 })).total).toBe(1)
  })
})

describe('the errors of the openai package', () => {
  const thrown = async (work: Promise<unknown>): Promise<APIError> => {
    const error = await work.then(
      () => undefined,
      (reason) => reason,
    )
    expect(error).toBeInstanceOf(APIError)
    return error as APIError
  }

  it('are typed, with message, code and field', async () => {
    const { client } = await open()
    const error = await thrown(client.chat.completions.create({ model: 'claude', messages: [] }))
    expect(error).toBeInstanceOf(BadRequestError)
    expect(error.message).toContain('must have at least 1 item')
    expect(error).toMatchObject({
      status: 400,
      code: 'invalid_request',
      type: 'invalid_request_error',
      param: 'messages',
    })
  })

  it.each([
    ['a sound', { content: [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }] }, 'input_audio'],
    ['a tool result', { role: 'tool', tool_call_id: 'x', content: 'y' }, 'the role tool'],
  ])('name the unsupported feature: %s', async (_name, message, feature) => {
    const { client } = await open({}, { server: { client_tools: 'refuse' } })
    const messages = [
      { role: 'user' as const, content: 'x' },
      { role: 'user' as const, ...message },
    ] as OpenAI.ChatCompletionMessageParam[]
    const error = await thrown(client.chat.completions.create({ model: 'claude', messages }))
    expect(error).toMatchObject({ status: 400, code: 'unsupported_feature', message: expect.stringContaining(feature) })
  })

  it('name the field that offers tools, if the operator refuses them', async () => {
    const { client } = await open({}, { server: { client_tools: 'refuse' } })
    const tools = [{ type: 'function' as const, function: { name: 'f' } }]
    const error = await thrown(client.chat.completions.create({ ...hello, tools }))
    expect(error).toMatchObject({ code: 'unsupported_feature' })
    expect(error.headers?.get('x-drover-backend')).toBe('codex')
  })

  it.runIf(IS_FULL)('are 400 for a backend that is not installed', async () => {
    const { client } = await open({}, { agents: 'none' })
    for (const stream of [false, true]) {
      const error = await thrown(client.chat.completions.create({ ...hello, stream }))
      expect(error).toBeInstanceOf(BadRequestError)
      expect(error.code).toBe('backend_unavailable')
      expect(error.message).toContain('npm install --global ')
    }
  })

  it('are 401 for a wrong key', async () => {
    const { client } = await open({}, { apiKey: 'wrong', env: { DROVER_API_KEYS: 'right' } })
    const error = await thrown(client.chat.completions.create(hello))
    expect(error).toBeInstanceOf(AuthenticationError)
    expect(error.message).toContain('invalid API key')
  })

  it('do not occur with the right key', async () => {
    const { client } = await open({}, { apiKey: 'right', env: { DROVER_API_KEYS: 'right' } })
    expect((await client.chat.completions.create(hello)).object).toBe('chat.completion')
  })

  it.each([
    [500, 500, InternalServerError, 'backend_execution_failed'],
    [401, 502, InternalServerError, 'upstream_auth'],
    [400, 400, BadRequestError, 'upstream_rejected'],
  ] as const)('are not retried if the model service answers %i to the agent', async (fail, status, type, code) => {
    const { client, server } = await open({ fail }, { maxRetries: 2 })
    const error = await thrown(client.chat.completions.create({ ...hello, model: 'codex' }))
    expect(error).toBeInstanceOf(type)
    expect(error).toMatchObject({ status, code, message: expect.stringContaining('codex failed:') })
    expect(server.access).toHaveLength(1)
  })

  it.each([
    [429, 429, RateLimitError, 'upstream_rate_limited'],
    [529, 503, InternalServerError, 'upstream_overloaded'],
  ] as const)('tell when to retry if the model service answers %i to the agent', async (fail, status, type, code) => {
    const { client } = await open({ fail, retryAfterSecs: 30 })
    for (const stream of [false, true]) {
      const error = await thrown(client.chat.completions.create({ ...hello, model: 'claude', stream }))
      expect(error).toBeInstanceOf(type)
      expect(error).toMatchObject({ status, code })
      expect(error.headers?.get('retry-after')).toBe('30')
    }
  })

  it.runIf(IS_FULL)('are 504 for a timeout', async () => {
    const { client } = await open({ hangAfter: 'init' }, { server: { request_timeout_secs: 1 } })
    expect(await thrown(client.chat.completions.create(hello))).toMatchObject({ status: 504, code: 'backend_timeout' })
  })

  it('end a stream whose agent fails', async () => {
    const { client } = await open({ text: ['one', 'two'], crashAfter: 'word' })
    const stream = await client.chat.completions.create({ ...hello, model: 'claude', stream: true })
    const pieces: string[] = []
    const error = await thrown(
      (async () => {
        for await (const chunk of stream) pieces.push(chunk.choices[0]?.delta.content ?? '')
      })(),
    )
    expect(pieces.join('')).toBe('one')
    expect(error.message).toContain('claude failed')
  })

  it.runIf(IS_FULL)('are 429 over the rate limit, and are retried in time', async () => {
    const limits = { rate_limit_enabled: true, rate_limit_rps: 2, rate_limit_burst: 1 }
    const once = await open({ text: ['one'] }, { server: limits })
    // A dry run is quick enough that the bucket is still empty after it.
    await once.client.chat.completions.create({ ...hello, dry_run: true } as typeof hello)
    const error = await thrown(once.client.models.list() as unknown as Promise<unknown>)
    expect(error).toBeInstanceOf(RateLimitError)
    const again = await open({ text: ['one'] }, { server: limits, maxRetries: 3 })
    const lists = await Promise.all([again.client.models.list(), again.client.models.list()])
    expect(lists.map(({ data }) => data.length)).toEqual([3, 3])
    expect(again.server.access.map(({ status }) => status)).toContain(429)
  })
})

describe('a response format', () => {
  const schema = {
    type: 'object',
    properties: { verdict: { enum: ['pass', 'fail'] } },
    required: ['verdict'],
    additionalProperties: false,
  }
  const json_schema = { name: 'verdict', strict: true, schema }
  const response_format = { type: 'json_schema' as const, json_schema }

  it.each(['claude', 'codex'])('with a schema is matched by the answer of %s', async (model) => {
    const { client } = await open({ text: ['{"verdict":', '"pass"}'] })
    const completion = await client.chat.completions.parse({ ...hello, model, response_format })
    expect(completion.choices[0]?.message.parsed).toEqual({ verdict: 'pass' })
  })

  it.each(['claude', 'codex'])('without a schema is a JSON object of %s', async (model) => {
    const { client } = await open({ text: ['{"any":[1]}'] })
    const asked = { ...hello, model, response_format: { type: 'json_object' as const } }
    expect((await client.chat.completions.create(asked)).choices[0]?.message.content).toBe('{"any":[1]}')
  })

  it('is checked before anything is streamed', async () => {
    const { client } = await open({ text: ['{"verdict":', '"pass"}'] })
    const stream = await client.chat.completions.create({ ...hello, model: 'claude', response_format, stream: true })
    const texts: string[] = []
    for await (const { choices } of stream) texts.push(choices[0]?.delta.content ?? '')
    expect(texts.filter((text) => text !== '')).toEqual(['{"verdict":"pass"}'])
    const bad = await open({ text: ['{"verdict":', '"maybe"}'] })
    const failing = bad.client.chat.completions.create({ ...hello, model: 'claude', response_format, stream: true })
    await expect(failing).rejects.toMatchObject({ status: 500, message: expect.stringContaining('$.verdict must be') })
  })

  it('that the answer does not match is an error', async () => {
    const { client } = await open({ text: ['Sure! {"verdict":"pass"}'] })
    const failing = client.chat.completions.create({ ...hello, response_format })
    await expect(failing).rejects.toMatchObject({ status: 500, message: expect.stringContaining('it is not JSON') })
  })

  it.each([
    ['gemini', response_format],
    ['gemini', { type: 'json_object' as const }],
    ['claude', { type: 'grammar' as 'text' }],
  ])('that %s has no flag for is refused: %j', async (model, format) => {
    const { client } = await open()
    await expect(client.chat.completions.create({ ...hello, model, response_format: format })).rejects.toMatchObject({
      status: 400,
      code: 'unsupported_feature',
    })
  })
})

it('gets the warning about a denied tool call in a header', async () => {
  const { client } = await open({ text: ['Done.'], tool: 'touch x', toolDenied: true })
  const { response } = await client.chat.completions.create({ ...hello, model: 'claude' }).withResponse()
  const warning = '1 tool call was denied: Bash (touch x); allow with the approval mode none (--approval none)'
  expect(response.headers.get('x-drover-warning')).toBe(warning)
})
