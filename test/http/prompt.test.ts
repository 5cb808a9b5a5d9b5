import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Backend, NATIVE_BACKENDS } from '../../src/agents/adapter/agent.ts'
import { USER } from '../../src/prompts/caller.ts'
import type { PromptEvent } from '../../src/prompts/prompt-event.ts'
import type { Script } from '../fake-agent/script.ts'
import { installSilentAgent, readPids } from '../support/fake-agent.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { NOWHERE } from '../support/nowhere.ts'
import { openStream } from '../support/read-stream.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { type ServerOptions, startServer } from '../support/start-server.ts'
import { isRunning } from '../support/test-command.ts'
import { until } from '../support/until.ts'

const PROMPT = '/api/v1/prompt'
/** As clients send it whose fields always have a value. */
const EMPTY_STEP = {
  backend: 'claude',
  prompt: 'x',
  model: '',
  workdir: '',
  approval_mode: '',
  sandbox_mode: '',
  max_tokens: 0,
  max_turns: 0,
  system_prompt: '',
  verbose: false,
  extra: null,
  timeout_secs: 0,
}
const EMPTY = { ...EMPTY_STEP, output_format: '', ephemeral: false }
const scripted = (script: Script, options: ServerOptions = {}) =>
  startServer({ ...options, env: { FAKE_AGENT_SCRIPT: JSON.stringify(script), ...options.env } })
const pidsIn = (file: string) => until(() => readPids(file).agent)

describe('POST /api/v1/prompt', () => {
  it.each(NATIVE_BACKENDS)('answers with the result of %s and stores a session', async (backend) => {
    const server = await scripted({ text: ['Hello', ' there'], usage: { input: 12, output: 3 } })
    const answer = await server.request(PROMPT, { method: 'POST', body: { backend, prompt: 'say hello' } })
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    const result = answer.body as Record<string, unknown>
    expect(result).toEqual({
      session_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      execution_id: answer.headers['x-execution-id'],
      backend,
      ...(result['model'] !== undefined && { model: expect.any(String) }),
      exit_code: 0,
      duration_ms: expect.any(Number),
      output: 'Hello there',
      token_usage: { input_tokens: 12, output_tokens: 3, cached_tokens: 0, reasoning_tokens: 0 },
      backend_session_id: expect.any(String),
    })
    const session = await server.request(`/api/v1/sessions/${result['session_id']}`)
    expect(session.body).toMatchObject({ backend, status: 'completed', tags: ['api'], turn_count: 1 })
    expect(server.access.at(0)).toMatchObject({ route: PROMPT, status: 200, backend })
  })

  it.each(
    firstOf(
      [
        ['nothing', undefined, 'body_missing'],
        ['no JSON', 'not json', 'invalid_request'],
        ['no object', [], 'invalid_request'],
        ['no backend', { prompt: 'x' }, 'invalid_request'],
        ['no prompt', { backend: 'claude' }, 'invalid_request'],
        ['an empty prompt', { backend: 'claude', prompt: '' }, 'invalid_request'],
        ['a blank prompt', { backend: 'claude', prompt: ' \n' }, 'prompt_empty'],
        ['a field that is not known', { backend: 'claude', prompt: 'x', sandbox: 'full' }, 'invalid_request'],
        ['an unknown approval mode', { backend: 'claude', prompt: 'x', approval_mode: 'never' }, 'invalid_request'],
        ['an unknown sandbox mode', { backend: 'claude', prompt: 'x', sandbox_mode: 'readonly' }, 'invalid_request'],
        ['a format that is not known', { backend: 'claude', prompt: 'x', output_format: 'xml' }, 'invalid_request'],
        ['a number where a text belongs', { backend: 'claude', prompt: 1 }, 'invalid_request'],
        [
          'a model name that is too long',
          { backend: 'claude', prompt: 'x', model: 'x'.repeat(257) },
          'invalid_request',
        ],
        ['less than no turns', { backend: 'claude', prompt: 'x', max_turns: -1 }, 'invalid_request'],
        ['too many turns', { backend: 'claude', prompt: 'x', max_turns: 10_001 }, 'invalid_request'],
        ['an unknown backend', { backend: 'clod', prompt: 'x' }, 'backend_not_found'],
        ['a relative workdir', { backend: 'claude', prompt: 'x', workdir: 'src' }, 'workdir_not_allowed'],
        ['a blocked workdir', { backend: 'claude', prompt: 'x', workdir: '/etc' }, 'workdir_not_allowed'],
        ['a missing workdir', { backend: 'claude', prompt: 'x', workdir: `${NOWHERE}/place` }, 'workdir_not_allowed'],
        [
          'an argument that is not allowed',
          { backend: 'claude', prompt: 'x', extra: ['--mcp-config=x'] },
          'extra_flag_refused',
        ],
        ['a NUL', { backend: 'claude', prompt: 'a\0b' }, 'prompt_not_text'],
      ],
      11,
    ),
  )('refuses %s with 400, names the problem, and stores nothing', async (_name, body, error) => {
    const server = await startServer()
    const answer = await server.request(PROMPT, { method: 'POST', body })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ error, message: expect.any(String) })
    expect(await server.context.drover.opened.sessions.count()).toBe(0)
  })

  it.each<[string, object]>(
    firstOf(
      [
        ['/api/v1/prompt', { ...EMPTY, metadata: null }],
        ['/api/v1/parallel', { tasks: [{ ...EMPTY, metadata: null }], max_parallel: 0 }],
        ['/api/v1/chain', { steps: [{ ...EMPTY_STEP, name: '' }] }],
        ['/api/v1/compare', { prompt: 'x', backends: ['claude'], model: '', workdir: '', timeout_secs: 0 }],
      ],
      2,
    ),
  )('takes empty fields as not given for %s', async (path, body) => {
    const server = await startServer()
    const answer = await server.request(path, { method: 'POST', body: { ...body, dry_run: true } })
    expect({ status: answer.status, text: answer.text }).toEqual({
      status: 200,
      text: expect.stringContaining('Would execute: claude'),
    })
    expect(answer.text).not.toMatch(/--model|--max-turns/)
  })

  it('takes empty fields of a resumed session as not given', async () => {
    const server = await scripted({ text: ['Hello'] })
    const { body } = await server.request(PROMPT, { method: 'POST', body: { backend: 'claude', prompt: 'x' } })
    const { backend: _, ...fields } = EMPTY
    const path = `/api/v1/sessions/${(body as { session_id: string }).session_id}/resume`
    expect((await server.request(path, { method: 'POST', body: fields })).body).toMatchObject({ exit_code: 0 })
  })

  it.each([['json'], ['stream-json']])('refuses an unknown backend with 400, as %s', async (format) => {
    const server = await startServer({ agents: 'none' })
    const body = { backend: 'claude', prompt: 'x', output_format: format }
    const answer = await server.request(PROMPT, { method: 'POST', body })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ error: 'backend_unavailable' })
  })

  it('checks the workdir against the allowed prefixes, and runs in the first one by default', async () => {
    const root = realpathSync(temporaryDirectory())
    const server = await startServer({ server: { allowed_workdir_prefixes: [root, '/srv/projects'] } })
    const ask = (body: object) =>
      server.request(PROMPT, { method: 'POST', body: { ...body, backend: 'claude', prompt: 'x' } })
    expect(await ask({ dry_run: true })).toMatchObject({ status: 200 })
    expect((await server.request('/api/v1/me')).body).toMatchObject({ workdir: root })
    const answer = await ask({ workdir: server.workdir })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      error: 'workdir_not_allowed',
      message: expect.stringContaining(server.workdir),
    })
  })

  it('blocks a directory and what lies in it, but not the directory around it', async () => {
    const root = realpathSync(temporaryDirectory())
    mkdirSync(join(root, 'secret', 'inner'), { recursive: true })
    const server = await startServer({ server: { blocked_workdir_prefixes: [join(root, 'secret')] } })
    const ask = async (workdir: string) => {
      const body = { backend: 'claude', prompt: 'x', dry_run: true, workdir }
      const answer = await server.request(PROMPT, { method: 'POST', body })
      return [answer.status, (answer.body as { error?: string }).error]
    }
    expect(await ask(root)).toEqual([200, undefined])
    expect(await ask(join(root, 'secret'))).toEqual([400, 'workdir_not_allowed'])
    expect(await ask(join(root, 'secret', 'inner'))).toEqual([400, 'workdir_not_allowed'])
  })

  it('runs the agent in the requested workdir', async () => {
    const server = await startServer()
    const workdir = join(server.workdir, 'inner')
    mkdirSync(workdir)
    const { body } = await server.request(PROMPT, { method: 'POST', body: { backend: 'claude', prompt: 'x', workdir } })
    const { session_id: id } = body as { session_id: string }
    expect(await server.context.drover.opened.sessions.find(id)).toMatchObject({ working_dir: workdir })
  })

  const FAILURES = [
    [429, 'agent_rate_limited'],
    [401, 'agent_auth_failed'],
    [400, 'agent_request_rejected'],
    [403, 'agent_auth_failed'],
    [500, 'agent_service_failed'],
    [503, 'agent_overloaded'],
    [529, 'agent_overloaded'],
  ] as const
  it.each(firstOf(FAILURES, 2))('tells what the model service answered, for every agent: %i', async (status, code) => {
    const isRetried = status === 429 || status === 503
    const server = await scripted({ fail: status, ...(isRetried && { retryAfterSecs: 7 }) })
    const tasks = NATIVE_BACKENDS.map((backend) => ({ backend, prompt: 'x' }))
    const { body } = await server.request('/api/v1/parallel', { method: 'POST', body: { tasks } })
    for (const result of (body as { results: object[] }).results) {
      expect(result).toMatchObject({ error_code: code, error: expect.stringContaining('the script') })
      expect(result).toMatchObject({ upstream_status: status, ...(isRetried && { retry_after_secs: 7 }) })
    }
  })

  it('answers 200 with the exit code and error of a failed agent, and logs it, as every API does', async () => {
    const server = await scripted({ fail: 401 })
    const answer = await server.request(PROMPT, { method: 'POST', body: { backend: 'claude', prompt: 'x' } })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ exit_code: 1, error: expect.any(String), error_code: 'agent_auth_failed' })
    const task = { backend: 'claude', prompt: 'x' }
    await server.request(PROMPT, { method: 'POST', body: { ...task, output_format: 'stream-json' } })
    await server.request(PROMPT, { method: 'POST', body: { ...task, detach: true } })
    await until(() => server.logged.length === 3)
    await server.request('/api/v1/parallel', { method: 'POST', body: { tasks: [task] } })
    const chat = { model: 'claude', messages: [{ role: 'user', content: 'x' }] }
    await server.request('/openai/v1/chat/completions', { method: 'POST', body: chat })
    expect(new Set(server.logged.map(({ fields }) => fields['execution'])).size).toBe(5)
    for (const line of server.logged) {
      expect(line).toMatchObject({ level: 'warn', message: 'agent failed', fields: { error: 'agent_auth_failed' } })
      const execution = await server.context.drover.executions.find(USER, String(line.fields['execution']))
      expect(execution.state).toBe('failed')
    }
  })

  it('answers 200 with exit code 124 after a timeout, and the session can be resumed', async () => {
    const env = { PATH: `${installSilentAgent(temporaryDirectory())}:/usr/bin:/bin` }
    const server = await startServer({ env, server: { request_timeout_secs: 2 } })
    const answer = await server.request(PROMPT, { method: 'POST', body: { backend: 'claude', prompt: 'x' } })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ exit_code: 124, error: expect.stringContaining('2 s') })
    const { session_id: id } = answer.body as { session_id: string }
    expect(await server.context.drover.opened.sessions.find(id)).toMatchObject({ status: 'paused' })
  })

  it.runIf(IS_FULL)('accepts a shorter timeout from the request, but no longer one', async () => {
    const server = await scripted({ hangAfter: 'init' }, { server: { request_timeout_secs: 2 } })
    for (const [asked, held] of [
      [1, '1 s'],
      [60, '2 s'],
    ]) {
      const body = { backend: 'claude', prompt: 'x', timeout_secs: asked }
      const answer = await server.request(PROMPT, { method: 'POST', body })
      expect(answer.body).toMatchObject({ exit_code: 124, error: expect.stringContaining(String(held)) })
    }
  })

  it('stores no session for an ephemeral prompt', async () => {
    const server = await startServer()
    const body = { backend: 'claude', prompt: 'x', ephemeral: true }
    const answer = await server.request(PROMPT, { method: 'POST', body })
    expect(answer.body).toMatchObject({ session_id: '', exit_code: 0 })
    expect(await server.context.drover.opened.sessions.count()).toBe(0)
  })

  it('stores any JSON metadata with the session', async () => {
    const server = await startServer()
    const metadata = { ticket: 'A-1', nested: { list: [1, null, true] } }
    const { body } = await server.request(PROMPT, { method: 'POST', body: { backend: 'codex', prompt: 'x', metadata } })
    const { session_id: id } = body as { session_id: string }
    expect((await server.request(`/api/v1/sessions/${id}`)).body).toMatchObject({ metadata })
  })

  it('returns the command of a dry run, and stores a session for it', async () => {
    const server = await startServer()
    const answer = await server.request(PROMPT, {
      method: 'POST',
      body: { backend: 'codex', prompt: 'x', dry_run: true },
    })
    expect(answer.body).toMatchObject({
      exit_code: 0,
      output: expect.stringMatching(/^Would execute: codex .* <<< 'x'$/),
    })
    const { session_id: id } = answer.body as { session_id: string }
    expect((await server.request(`/api/v1/sessions/${id}`)).body).toMatchObject({ status: 'completed', turn_count: 1 })
  })

  it.each<[string, string[], string]>([
    ['a NUL', ['--flag', 'a\0b'], 'program_argument_invalid'],
    ['more than the system passes on', ['--flag', 'x'.repeat(131_072)], 'program_arguments_too_long'],
  ])('refuses an extra argument of %s with 400, and stores no session', async (_name, extra, code) => {
    const server = await startServer({ server: { allow_unsafe_extra: true } })
    for (const body of [{ extra }, { extra, dry_run: true }]) {
      const answer = await server.request(PROMPT, {
        method: 'POST',
        body: { backend: 'claude', prompt: 'x', ...body },
      })
      expect({ status: answer.status, body: answer.body }).toMatchObject({
        status: 400,
        body: { error: code, details: { program: 'claude' } },
      })
    }
    expect(await server.context.drover.opened.sessions.count()).toBe(0)
  })

  it('does not reveal where the agents are installed', async () => {
    const directory = temporaryDirectory()
    // Found, but not executable: its interpreter is missing.
    writeFileSync(join(directory, 'claude'), `#!${NOWHERE}/interpreter\n`, { mode: 0o755 })
    const config = { backends: { codex: { command: join(directory, 'missing') } } }
    const server = await startServer({ env: { PATH: directory }, config, agents: 'none' })
    const said: string[] = []
    for (const backend of ['claude', 'codex']) {
      const body = { backend, prompt: 'x' }
      for (const more of [{}, { dry_run: true }, { output_format: 'stream-json' }]) {
        said.push((await server.request(PROMPT, { method: 'POST', body: { ...body, ...more } })).text)
      }
      said.push((await server.request('/api/v1/parallel', { method: 'POST', body: { tasks: [body] } })).text)
    }
    said.push((await server.request('/api/v1/sessions')).text, (await server.request('/api/v1/backends')).text)
    expect(said[0]).toContain('program not found: claude, or the interpreter in its first line')
    expect(said.filter((text) => text.includes(directory))).toEqual([])
  })

  it('warns about an option that the agent does not support', async () => {
    const server = await startServer()
    const body = { backend: 'codex', prompt: 'x', max_turns: 3 }
    const answer = await server.request(PROMPT, { method: 'POST', body })
    expect(answer.body).toMatchObject({ exit_code: 0, warnings: [expect.stringContaining('max_turns')] })
  })

  it('accepts max_tokens without a warning', async () => {
    const server = await startServer()
    const answer = await server.request(PROMPT, {
      method: 'POST',
      body: { backend: 'claude', prompt: 'x', max_tokens: 5 },
    })
    expect(answer.body).not.toHaveProperty('warnings')
  })

  it('ends the agent when the client disconnects, and pauses its session', async () => {
    const script = (pidFile: string) => JSON.stringify({ hangAfter: 'init', pidFile })
    const server = await startServer({ envIn: (workdir) => ({ FAKE_AGENT_SCRIPT: script(join(workdir, 'pids')) }) })
    const pidFile = join(server.workdir, 'pids')
    const leaving = new AbortController()
    const gone = server.request(PROMPT, {
      method: 'POST',
      body: { backend: 'claude', prompt: 'x' },
      signal: leaving.signal,
    })
    const agent = await pidsIn(pidFile)
    await until(() => readPids(pidFile).hangs)
    leaving.abort()
    await expect(gone).rejects.toThrow()
    await until(() => !isRunning(agent))
    await until(() => server.access.length === 1)
    expect(server.access[0]).toMatchObject({ status: 499 })
    const status = async () =>
      (await server.context.drover.opened.sessions.list({}, { limit: 1, offset: 0 })).sessions[0]?.status
    // The connection closes before the agent has ended.
    await until(async () => (await status()) !== 'active')
    expect(await status()).toBe('paused')
  })

  it('answers 503 with Retry-After if the queue is full', async () => {
    const server = await scripted({ hangAfter: 'init' }, { server: { max_concurrent_runs: 1, max_queued_runs: 0 } })
    const first = await openStream({
      port: server.port,
      path: PROMPT,
      body: { backend: 'claude', prompt: 'x', output_format: 'stream-json' },
    })
    await first.nextLine()
    const answer = await server.request(PROMPT, { method: 'POST', body: { backend: 'claude', prompt: 'x' } })
    expect(answer.status).toBe(503)
    expect(answer.headers['retry-after']).toMatch(/^\d+$/)
    expect(answer.body).toMatchObject({ error: 'queue_full' })
    first.hangUp()
    await until(() => server.context.drover.slots.load().running === 0)
  })
})

describe('output_schema', () => {
  const output_schema = {
    type: 'object',
    properties: { verdict: { enum: ['pass', 'fail'] }, count: { type: 'integer' } },
    required: ['verdict', 'count'],
    additionalProperties: false,
  }
  const answerOf = async (script: Script, prompt: object) => {
    const server = await scripted(script)
    const body = { prompt: 'x', output_schema, ...prompt }
    return (await server.request(PROMPT, { method: 'POST', body })) as { status: number; body: Record<string, unknown> }
  }

  it.each(['claude', 'codex'])('is matched by the answer of %s', async (backend) => {
    const text = '{"verdict":"pass","count":3}'
    const { body } = await answerOf({ text: [text] }, { backend })
    expect(body).toMatchObject({ exit_code: 0, output: text })
  })

  it.each(
    firstOf(
      [
        ['claude', '{"verdict":"maybe","count":3}', '$.verdict must be one of "pass","fail"'],
        ['codex', '{"verdict":"pass","count":"three"}', '$.count must be of type integer'],
        ['claude', 'This is not JSON.', 'it is not JSON'],
        ['codex', '```json\n{"verdict":"pass","count":3}\n```', 'it is not JSON'],
      ],
      2,
    ),
  )('fails an answer of %s that does not match: %s', async (backend, text, problem) => {
    const { status, body } = await answerOf({ text: [text] }, { backend })
    expect(status).toBe(200)
    expect(body).toMatchObject({ exit_code: 1, error_code: 'agent_output_invalid', output: text })
    expect(body['error']).toBe(`the answer does not match the schema of the request: ${problem}`)
  })

  it.each([
    ['on an agent that takes none', { backend: 'gemini' }, 'output_schema_unsupported'],
    ['that is not valid', { backend: 'claude', output_schema: { type: 'x' } }, 'output_schema_invalid'],
    ['that is no object', { backend: 'claude', output_schema: [] }, 'invalid_request'],
  ])('is refused %s', async (_name, prompt, error) => {
    expect(await answerOf({}, prompt)).toMatchObject({ status: 400, body: { error } })
  })
})

describe('a stream of POST /api/v1/prompt', () => {
  const body = (backend: string, over = {}) => ({ backend, prompt: 'say hello', output_format: 'stream-json', ...over })

  it.each(NATIVE_BACKENDS)('sends one event of %s per line, init first and done last', async (backend) => {
    const listed = { cors_allowed_origins: ['http://localhost:3000'] }
    const server = await scripted({ text: ['Hello', ' there'] }, { server: listed })
    const stream = await openStream({
      port: server.port,
      path: PROMPT,
      body: body(backend),
      headers: { origin: 'http://localhost:3000', 'x-request-id': 'mine' },
    })
    expect(stream.status).toBe(200)
    expect(stream.headers).toMatchObject({
      'content-type': 'application/x-ndjson',
      'cache-control': 'no-cache',
      'x-request-id': 'mine',
      'access-control-allow-origin': 'http://localhost:3000',
    })
    const events = (await stream.rest()).map((line) => JSON.parse(line) as PromptEvent)
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1))
    const [first] = events
    expect(first).toEqual({
      type: 'init',
      backend,
      session_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      sequence: 1,
      content: expect.objectContaining({ backend_session_id: expect.any(String) }),
    })
    expect(events.filter(({ type }) => type === 'done')).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({ type: 'done', session_id: first?.session_id, content: { exit_code: 0 } })
    const text = events.flatMap((event) => (event.type === 'message' ? [event.content.text] : [])).join('')
    expect(text).toBe('Hello there')
  })

  it('names the model that codex is configured with, in its first event and its result', async () => {
    const server = await scripted({ text: ['x'] })
    const home = dirname(server.workdir)
    mkdirSync(join(home, '.codex'))
    writeFileSync(join(home, '.codex', 'config.toml'), 'model = "gpt-5.5"\n')
    const stream = await openStream({ port: server.port, path: PROMPT, body: body('codex') })
    const [init] = (await stream.rest()).map((line) => JSON.parse(line) as PromptEvent)
    expect(init).toMatchObject({ type: 'init', content: { model: 'gpt-5.5' } })
    const answer = await server.request(PROMPT, { method: 'POST', body: { backend: 'codex', prompt: 'x' } })
    expect(answer.body).toMatchObject({ model: 'gpt-5.5' })
  })

  it('is sent if the config says so and the request has no format', async () => {
    const server = await startServer({ config: { output: { format: 'stream-json' } } })
    const stream = await openStream({ port: server.port, path: PROMPT, body: { backend: 'claude', prompt: 'x' } })
    expect(stream.headers['content-type']).toBe('application/x-ndjson')
    await stream.rest()
  })

  it('sends an event before the agent prints the next', async () => {
    const server = await scripted({ text: ['one'], hangAfter: 'word' })
    const stream = await openStream({ port: server.port, path: PROMPT, body: body('claude') })
    const seen: string[] = []
    while (!seen.includes('message')) seen.push(JSON.parse((await stream.nextLine()) ?? '').type)
    stream.hangUp()
    await until(() => server.context.drover.slots.load().running === 0)
  })

  it.each([
    ['fails', { fail: 500 }, 'agent_service_failed'],
    ['is killed in mid-stream', { text: ['a'], crashAfter: 'word' }, 'agent_ended_early'],
    ['stops in the middle of a line', { halfLine: true }, undefined],
  ] as const)('ends with done when the agent %s', async (_name, script, code) => {
    const server = await scripted(script as Script)
    const stream = await openStream({ port: server.port, path: PROMPT, body: body('claude') })
    const events = (await stream.rest()).map((line) => JSON.parse(line) as PromptEvent)
    expect(events[0]?.type).toBe('init')
    expect(events.at(-1)?.type).toBe('done')
    if (code !== undefined) expect(events.at(-2)).toMatchObject({ type: 'error', content: { code } })
  })

  it.runIf(IS_FULL)('ends with an error and done with exit code 124 after a timeout', async () => {
    const server = await scripted({ hangAfter: 'init' }, { server: { request_timeout_secs: 1 } })
    const stream = await openStream({ port: server.port, path: PROMPT, body: body('claude') })
    const events = (await stream.rest()).map((line) => JSON.parse(line) as PromptEvent)
    expect(events.at(-2)).toMatchObject({ type: 'error', content: { code: 'agent_timeout' } })
    expect(events.at(-1)).toMatchObject({ type: 'done', content: { exit_code: 124 } })
  })

  it.runIf(IS_FULL)('ends every agent that only retries, after server.first_event_timeout_secs', async () => {
    const server = await scripted({ retryForever: true, chunkMs: 100 }, { server: { first_event_timeout_secs: 3 } })
    const ended = async (backend: Backend) => {
      const stream = await openStream({ port: server.port, path: PROMPT, body: body(backend) })
      const events = (await stream.rest()).map((line) => JSON.parse(line) as PromptEvent)
      const [retry] = events.filter((event) => event.type === 'progress' && event.content.stage === 'retry')
      return [retry, ...events.slice(-2)].map((event) => event?.content)
    }
    const expected = (notice: string, code: string) => [
      { stage: 'retry', message: expect.stringContaining(notice) },
      {
        code,
        message: expect.stringMatching(/did not begin its answer within 3 s and was stopped; it was retrying after: ./),
      },
      { exit_code: 124 },
    ]
    expect(await Promise.all(NATIVE_BACKENDS.map(ended))).toMatchObject([
      expected('retry ', 'agent_service_failed'),
      expected('Reconnecting... ', 'agent_unreachable'),
      expected('retry ', 'agent_service_failed'),
    ])
  })

  it.each([
    ['is silent', { hangAfter: 'init' }, 'claude did not begin its answer within 1 s and was stopped'],
    ['hangs later', { text: ['a'], hangAfter: 'word' }, 'claude did not finish within 2 s and was stopped'],
  ] as const)('ends an agent that %s', async (_name, script, error) => {
    const server = await scripted(script as Script, {
      server: { first_event_timeout_secs: 1, request_timeout_secs: 2 },
    })
    const prompt = { backend: 'claude', prompt: 'x', output_format: 'json' }
    const answer = await server.request(PROMPT, { method: 'POST', body: prompt })
    expect(answer.body).toMatchObject({ exit_code: 124, error_code: 'agent_timeout', error })
  })

  it.runIf(IS_FULL)('sends heartbeats while the agent is silent', async () => {
    const server = await scripted({ hangAfter: 'init' }, { context: { heartbeatMs: 50 } })
    const stream = await openStream({ port: server.port, path: PROMPT, body: body('claude') })
    const init = JSON.parse((await stream.nextLine()) ?? '{}') as PromptEvent
    const beats = [await stream.nextLine(), await stream.nextLine()].map((line) => JSON.parse(line ?? '{}'))
    const beat = {
      type: 'progress',
      backend: 'claude',
      session_id: init.session_id,
      timestamp: expect.any(String),
      content: { stage: 'waiting' },
    }
    expect(beats).toEqual([beat, beat])
    stream.hangUp()
    await until(() => server.context.drover.slots.load().running === 0)
  })

  it.runIf(IS_FULL)('slows the agent down if the client does not read, and stays complete', async () => {
    const server = await scripted({ lines: IS_FULL ? 30_000 : 10_000 })
    const stream = await openStream({ port: server.port, path: PROMPT, body: body('claude') })
    await stream.nextLine()
    stream.pause()
    const events = await stream.rest()
    expect(JSON.parse(events.at(-1) ?? '{}')).toMatchObject({ type: 'done', content: { exit_code: 0 } })
  })

  it.runIf(IS_FULL)(
    'is closed after the write timeout if the client does not read, and the agent is ended',
    async () => {
      const server = await scripted({ lines: 5_000_000 }, { server: { write_timeout_secs: 1 } })
      const connection = await server.connect()
      const text = JSON.stringify(body('claude'))
      connection.socket.pause()
      connection.write(
        `POST ${PROMPT} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
      )
      await until(() => server.access.length === 1)
      await until(() => server.context.drover.slots.load().running === 0)
      const { sessions } = await server.context.drover.opened.sessions.list({}, { limit: 1, offset: 0 })
      expect(sessions[0]?.status).not.toBe('active')
    },
  )

  it.runIf(IS_FULL)('works with metrics enabled', async () => {
    const server = await scripted({ text: ['one'], hangAfter: 'word' }, { server: { metrics_enabled: true } })
    const stream = await openStream({ port: server.port, path: PROMPT, body: body('claude') })
    expect(JSON.parse((await stream.nextLine()) ?? '{}')).toMatchObject({ type: 'init' })
    stream.hangUp()
    await until(() => server.context.drover.slots.load().running === 0)
  })
})
