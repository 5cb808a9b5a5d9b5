/** Every error status of the compatible APIs: media type, headers and the complete body. */

import { describe, expect, it } from 'vitest'
import type { Script } from '../fake-agent/script.ts'
import { firstOf } from '../support/full-counts.ts'
import { type Answer, type ServerOptions, startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

type Api = { path: string; headers: Record<string, string>; body: Record<string, unknown> }

const messages = [{ role: 'user', content: 'say hello' }]

const APIS: Readonly<Record<'chat' | 'message', Api>> = {
  chat: { path: '/openai/v1/chat/completions', headers: {}, body: { model: 'claude', messages } },
  message: {
    path: '/anthropic/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    body: { model: 'claude', max_tokens: 9, messages },
  },
}

type Case = {
  status: number
  name: string
  script?: Script
  options?: ServerOptions
  /** Sent instead of a valid request. */
  ask?: (server: TestServer, api: Api) => Promise<Answer>
  headers?: Record<string, string>
  problem: string
  title: string
  detail: string | RegExp
  chat: { type: string; code: string; param?: string }
  message: string
}

const post = (server: TestServer, api: Api, over: Partial<Api> = {}) => {
  const { path, headers, body } = { ...api, ...over }
  return server.request(path, { method: 'POST', headers, body })
}

/** Repeats until the rate limit is hit, however slow this machine is. */
const postAgain = async (server: TestServer, api: Api) => {
  for (;;) {
    const answer = await post(server, api, { body: {} })
    if (answer.status === 429) return answer
  }
}

/** One prompt runs, and the queue is full. */
const postToFull = async (server: TestServer, api: Api) => {
  const leaving = new AbortController()
  const { path, headers, body } = api
  const first = server.request(path, { method: 'POST', headers, body, signal: leaving.signal })
  await until(() => server.context.drover.slots.load().running === 1)
  const answer = await post(server, api)
  leaving.abort()
  await expect(first).rejects.toThrow()
  await until(() => server.context.drover.slots.load().running === 0)
  return answer
}

/** Another request cancels the prompt. */
const cancelled = async (server: TestServer, api: Api) => {
  const answer = post(server, api)
  const { records } = server.context.drover
  const id = await until(() => records.running()[0]?.id)
  await server.request(`/api/v1/executions/${id}/cancel`, { method: 'POST' })
  return await answer
}

const AGAIN = { 'x-should-retry': 'false' }
const INVALID = { type: 'invalid_request_error', code: 'invalid_request' }

const CASES: readonly Case[] = [
  {
    status: 400,
    name: 'a field of the wrong type',
    ask: (server, api) => post(server, api, { body: { ...api.body, stream: 'yes' } }),
    problem: 'invalid-request',
    title: 'Invalid Request',
    detail: 'the request is not valid: $.stream must be a boolean or null',
    chat: { ...INVALID, param: 'stream' },
    message: 'invalid_request_error',
  },
  {
    status: 400,
    name: 'content that is not text',
    ask: (server, api) =>
      post(server, api, { body: { ...api.body, messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] } }),
    problem: 'unsupported-feature',
    title: 'Unsupported Feature',
    detail: 'messages[0].content[0]: not supported: content of type input_audio; send text, images or PDF documents',
    chat: { type: 'invalid_request_error', code: 'unsupported_feature', param: 'messages[0].content[0]' },
    message: 'invalid_request_error',
  },
  {
    status: 400,
    name: 'no body',
    ask: (server, { path, headers }) => server.request(path, { method: 'POST', headers }),
    problem: 'body-missing',
    title: 'Body Missing',
    detail: 'the request body is missing; send a JSON object',
    chat: { type: 'invalid_request_error', code: 'body_missing' },
    message: 'invalid_request_error',
  },
  {
    status: 400,
    name: 'a prompt that another request cancels',
    script: { hangAfter: 'init' },
    ask: cancelled,
    problem: 'request-cancelled',
    title: 'Request Cancelled',
    detail: 'the prompt was canceled',
    chat: { type: 'invalid_request_error', code: 'request_cancelled' },
    message: 'invalid_request_error',
  },
  {
    status: 400,
    name: 'an agent that is not installed',
    options: { agents: 'none' },
    problem: 'backend-unavailable',
    title: 'Backend Unavailable',
    detail: /claude/,
    chat: { type: 'invalid_request_error', code: 'backend_unavailable' },
    message: 'invalid_request_error',
  },
  {
    status: 401,
    name: 'a missing key',
    options: { env: { DROVER_API_KEYS: 'one' } },
    headers: { 'www-authenticate': 'Bearer realm="drover"' },
    problem: 'unauthorized',
    title: 'Unauthorized',
    detail: 'missing API key; send it as "X-Api-Key: KEY" or "Authorization: Bearer KEY"',
    chat: { type: 'authentication_error', code: 'unauthorized' },
    message: 'authentication_error',
  },
  {
    status: 404,
    name: 'a path that is not there',
    ask: (server, api) => post(server, api, { path: `${api.path}/batches` }),
    problem: 'not-found',
    title: 'Not Found',
    detail: /^no endpoint \/.*\/batches; GET \/docs lists all endpoints$/,
    chat: { type: 'invalid_request_error', code: 'not_found' },
    message: 'not_found_error',
  },
  {
    status: 405,
    name: 'another method',
    ask: (server, { path }) => server.request(path, { method: 'GET' }),
    headers: { allow: 'POST' },
    problem: 'method-not-allowed',
    title: 'Method Not Allowed',
    detail: /^\/.* does not support GET; use POST$/,
    chat: { type: 'invalid_request_error', code: 'method_not_allowed' },
    message: 'invalid_request_error',
  },
  {
    status: 413,
    name: 'a body over the limit',
    options: { server: { max_request_body_bytes: 10 } },
    problem: 'request-too-large',
    title: 'Request Too Large',
    detail: 'the request body exceeds the limit of 10 bytes; send a smaller one',
    chat: { type: 'invalid_request_error', code: 'request_too_large' },
    message: 'request_too_large',
  },
  {
    status: 415,
    name: 'a body that is no JSON',
    ask: (server, api) => post(server, api, { headers: { ...api.headers, 'content-type': 'text/plain' } }),
    problem: 'media-type-unsupported',
    title: 'Media Type Unsupported',
    detail: 'the request body is "text/plain"; send JSON with "Content-Type: application/json"',
    chat: { type: 'invalid_request_error', code: 'media_type_unsupported' },
    message: 'invalid_request_error',
  },
  {
    status: 429,
    name: 'too many requests',
    options: { server: { rate_limit_enabled: true, rate_limit_rps: 1, rate_limit_burst: 1 } },
    ask: postAgain,
    headers: { 'retry-after': '1', 'ratelimit-remaining': '0' },
    problem: 'rate-limited',
    title: 'Rate Limited',
    detail: 'too many requests; retry in 1 second',
    chat: { type: 'rate_limit_error', code: 'too_many_requests' },
    message: 'rate_limit_error',
  },
  {
    status: 400,
    name: 'a prompt that the model service rejects',
    script: { fail: 400 },
    headers: { 'x-drover-error': 'agent_request_rejected', 'x-drover-backend': 'claude' },
    problem: 'upstream-rejected',
    title: 'Upstream Rejected',
    detail: /^claude failed: its model service rejects the request: .*400/,
    chat: { type: 'invalid_request_error', code: 'upstream_rejected' },
    message: 'invalid_request_error',
  },
  {
    status: 404,
    name: 'a model that the model service does not know',
    script: { fail: 404 },
    headers: { 'x-drover-error': 'agent_model_unknown' },
    problem: 'upstream-model-unknown',
    title: 'Upstream Model Unknown',
    detail: /^claude failed: its model service does not know the model.*404.*; send another model/,
    chat: { type: 'invalid_request_error', code: 'upstream_model_unknown' },
    message: 'not_found_error',
  },
  {
    status: 429,
    name: 'a rate limit of the model service',
    script: { fail: 429, retryAfterSecs: 17 },
    headers: { 'retry-after': '17', 'x-drover-error': 'agent_rate_limited' },
    problem: 'upstream-rate-limited',
    title: 'Upstream Rate Limited',
    detail: /^claude failed: its model service allows no more requests for now: .*429/,
    chat: { type: 'rate_limit_error', code: 'upstream_rate_limited' },
    message: 'rate_limit_error',
  },
  {
    status: 429,
    name: 'a usage limit of the plan',
    script: { fail: 429, failText: 'usage limit reached, try again in 3 hours 12 minutes' },
    headers: { ...AGAIN, 'retry-after': '11520', 'x-drover-error': 'agent_usage_limited' },
    problem: 'upstream-usage-limited',
    title: 'Upstream Usage Limited',
    detail: /^claude failed: the plan that the agent uses on the server has reached its usage limit: .*3 hours/,
    chat: { type: 'rate_limit_error', code: 'upstream_usage_limited' },
    message: 'rate_limit_error',
  },
  {
    status: 402,
    name: 'an account without credit',
    script: { fail: 400, failText: 'Your credit balance is too low to access the Anthropic API.' },
    headers: { ...AGAIN, 'x-drover-error': 'agent_out_of_credit' },
    problem: 'upstream-out-of-credit',
    title: 'Upstream Out Of Credit',
    detail: /^claude failed: the account that the agent uses on the server has no credit left: .*credit balance/,
    chat: { type: 'insufficient_quota', code: 'upstream_out_of_credit' },
    message: 'billing_error',
  },
  {
    status: 500,
    name: 'an agent whose model service fails',
    script: { fail: 500 },
    headers: { ...AGAIN, 'x-drover-error': 'agent_service_failed' },
    problem: 'backend-execution-failed',
    title: 'Backend Execution Failed',
    detail: /^claude failed: .*500/,
    chat: { type: 'server_error', code: 'backend_execution_failed' },
    message: 'api_error',
  },
  ...([401, 403] as const).map((fail) => ({
    status: 502,
    name: `an account of the agent that gets ${fail}`,
    script: { fail },
    headers: { ...AGAIN, 'x-drover-error': 'agent_auth_failed' },
    problem: 'upstream-auth',
    title: 'Upstream Auth',
    detail: new RegExp(
      `^claude failed: its model service refuses the account that the agent uses on the server: .*${fail}.*; to log in, run \`claude\` in a terminal and type /login`,
    ),
    chat: { type: 'server_error', code: 'upstream_auth' },
    message: 'api_error',
  })),
  ...([503, 529] as const).map((fail) => ({
    status: 503,
    name: `a model service that says ${fail}`,
    script: { fail },
    headers: { 'retry-after': '5', 'x-drover-error': 'agent_overloaded' },
    problem: 'upstream-overloaded',
    title: 'Upstream Overloaded',
    detail: new RegExp(`^claude failed: its model service is overloaded: .*${fail}`),
    chat: { type: 'server_error', code: 'upstream_overloaded' },
    message: 'overloaded_error',
  })),
  {
    status: 500,
    name: 'an agent that is killed',
    script: { text: ['one', 'two'], crashAfter: 'init' },
    headers: AGAIN,
    problem: 'backend-execution-failed',
    title: 'Backend Execution Failed',
    detail: /^claude failed: .*SIGKILL/,
    chat: { type: 'server_error', code: 'backend_execution_failed' },
    message: 'api_error',
  },
  {
    status: 503,
    name: 'a full queue',
    script: { hangAfter: 'init' },
    options: { server: { max_concurrent_runs: 1, max_queued_runs: 0 } },
    ask: postToFull,
    headers: { 'retry-after': '5' },
    problem: 'queue-full',
    title: 'Queue Full',
    detail: 'the server is full (1 running, 0 waiting); try again later',
    chat: { type: 'server_error', code: 'queue_full' },
    message: 'overloaded_error',
  },
  {
    status: 504,
    name: 'an agent that takes too long',
    script: { hangAfter: 'init' },
    options: { server: { request_timeout_secs: 1 } },
    headers: AGAIN,
    problem: 'backend-timeout',
    title: 'Backend Timeout',
    detail: 'claude did not finish within 1 s and was stopped',
    chat: { type: 'server_error', code: 'backend_timeout' },
    message: 'timeout_error',
  },
]

describe.each(CASES)('$status for $name', (refused) => {
  const { script = {}, options = {}, ask = post, detail, problem, title, status } = refused

  it.each(['chat', 'message'] as const)(
    'is a problem in the format of the %s API, also if a stream was requested',
    async (name) => {
      for (const stream of firstOf(name === 'chat' ? [true, false] : [false, true])) {
        const env = { FAKE_AGENT_SCRIPT: JSON.stringify(script), ...options.env }
        const server = await startServer({ ...options, env })
        const api = APIS[name]
        const answer = await ask(server, { ...api, body: { ...api.body, stream } })
        expect(answer.headers).toMatchObject({
          'content-type': 'application/problem+json; charset=utf-8',
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          'x-request-id': expect.stringMatching(/^[0-9a-f]{32}$/),
          ...refused.headers,
        })
        const said = typeof detail === 'string' ? detail : expect.stringMatching(detail)
        const agentCode = answer.headers['x-drover-error']
        const error = {
          ...(name === 'chat' ? { param: null, ...refused.chat } : { type: refused.message, code: refused.chat.code }),
          ...(agentCode !== undefined && { agent_error: agentCode }),
        }
        expect({ status: answer.status, body: answer.body }).toEqual({
          status,
          body: {
            type: `https://drover.dev/errors/${problem}`,
            title,
            status,
            detail: said,
            error: { ...error, message: (answer.body as { detail: string }).detail },
          },
        })
      }
    },
  )
})

describe('an error outside of both prefixes', () => {
  const VERSION = { 'anthropic-version': '2023-06-01' }

  it.each(
    firstOf(
      [
        ['POST', '/v1/chat/completions', {}, 400, 'chat'],
        ['GET', '/v1/models/nothing', {}, 404, 'chat'],
        ['GET', '/v1/models/nothing', VERSION, 404, 'message'],
        ['POST', '/v1/messages', VERSION, 400, 'message'],
        ['POST', '/v1/messages', {}, 400, 'message'],
        ['POST', '/v1/messages/count_tokens', VERSION, 400, 'message'],
        ['POST', '/v1/embeddings', {}, 404, 'chat'],
        ['POST', '/v1/responses', {}, 400, 'chat'],
        ['GET', '/v1/responses/x', {}, 404, 'chat'],
        ['DELETE', '/v1/chat/completions', {}, 405, 'chat'],
        ['POST', '/chat/completions', {}, 404, 'chat'],
        ['POST', '/messages', {}, 404, 'message'],
        ['GET', '/nothing', {}, 404, 'native'],
      ] as const,
      7,
    ),
  )('is in the format that was meant: %s %s %j', async (method, path, headers, status, style) => {
    const server = await startServer()
    const body = method === 'POST' ? {} : undefined
    const answer = await server.request(path, { method, headers, body })
    const { error } = answer.body as { error: unknown }
    expect(answer.status).toBe(status)
    if (style === 'native') expect(error).toBe('not_found')
    else {
      expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8')
      expect(Object.keys(error as object).sort()).toEqual(
        style === 'chat' ? ['code', 'message', 'param', 'type'] : ['code', 'message', 'type'],
      )
    }
    expect(answer.headers['request-id']).toBe(style === 'native' ? undefined : answer.headers['x-request-id'])
  })

  it.each(
    firstOf(
      [
        ['/chat/completions', '/openai/v1/chat/completions'],
        ['/messages', '/anthropic/v1/messages'],
        ['/openai/chat/completions', '/openai/v1/chat/completions'],
        ['/anthropic/v1/v1/messages', '/anthropic/v1/messages'],
        ['/anthropic/models', '/anthropic/v1/models'],
      ],
      3,
    ),
  )('names the endpoint that was meant by %s', async (path, meant) => {
    const server = await startServer()
    const { body } = await server.request(path, { method: 'POST', body: {} })
    expect(body).toMatchObject({ detail: expect.stringContaining(`did you mean ${meant}?`) })
  })
})

describe('with server.vendor_errors', () => {
  it('the body of an error is exactly that of the vendor', async () => {
    const server = await startServer({ server: { vendor_errors: true } })
    const ask = async (api: Api) => await post(server, api, { body: { ...api.body, stream: 'yes' } })
    const message = 'the request is not valid: $.stream must be a boolean or null'
    const [chat, sent] = [await ask(APIS.chat), await ask(APIS.message)]
    expect(chat.body).toEqual({
      error: { message, type: 'invalid_request_error', code: 'invalid_request', param: 'stream' },
    })
    expect(sent.body).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message },
      request_id: sent.headers['request-id'],
    })
    for (const answer of [chat, sent]) {
      expect(answer.status).toBe(400)
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    }
    expect((await server.request('/api/v1/nothing')).body).toMatchObject({ error: 'not_found' })
  })

  it('so is that of a response in the background', async () => {
    const env = { FAKE_AGENT_SCRIPT: JSON.stringify({ fail: 529 }) }
    const server = await startServer({ env, server: { vendor_errors: true } })
    const path = '/openai/v1/responses'
    const asked = { model: 'claude', input: 'x', background: true }
    const { id } = (await server.request(path, { method: 'POST', body: asked })).body as { id: string }
    const failed = await until(async () => {
      const { status, error } = (await server.request(`${path}/${id}`)).body as { status: string; error: object }
      return status === 'failed' && error
    })
    expect(failed).toEqual({ code: 'server_error', message: expect.any(String) })
  })
})
