import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { digest } from '../../src/kit/digest.ts'
import type { Script } from '../fake-agent/script.ts'
import { readPids } from '../support/fake-agent.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { connectClient, ERAS, type McpClient } from '../support/mcp-client.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { type ServerOptions, startServer, type TestServer } from '../support/start-server.ts'
import { isRunning } from '../support/test-command.ts'
import { until } from '../support/until.ts'

const scripted = (script: Script, options: ServerOptions = {}) =>
  startServer({ ...options, env: { FAKE_AGENT_SCRIPT: JSON.stringify(script), ...options.env } })

const connect = (server: TestServer, mode = ERAS[0], key?: string): Promise<McpClient> =>
  connectClient(
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
      ...(key !== undefined && { requestInit: { headers: { authorization: `Bearer ${key}` } } }),
    }),
    mode,
  )

/** An agent that prints a piece of its answer whenever `permit` is called. */
async function stepwise(pieces: number, options: ServerOptions = {}) {
  const directory = temporaryDirectory()
  const [permits, pidFile] = [join(directory, 'permits'), join(directory, 'pids')]
  writeFileSync(permits, '')
  const text = Array.from({ length: pieces }, (_, at) => `piece ${at}. `)
  const server = await scripted({ text, permits, pidFile }, options)
  return { server, text, permit: (count = 1) => appendFileSync(permits, '.'.repeat(count)), pidFile }
}

const executionsOf = async (server: TestServer) =>
  ((await server.request('/api/v1/executions')).body as { executions: { id: string; state: string }[] }).executions

const NAMES = [
  ...['prompt', 'compare', 'compare_keep', 'session_resume', 'execution_get', 'execution_cancel', 'execution_message'],
  'execution_answer',
  ...['run_start', 'run_status', 'run_answer', 'run_follow_up'],
  ...['run_move', 'run_merge', 'run_pull_request', 'run_take', 'run_discard', 'budget_list'],
]

describe.each(firstOf(ERAS))('a client of the revision %j', (era) => {
  it('lists the tools, runs a prompt, resumes its session, and compares', async () => {
    const server = await scripted({ text: ['Hello', ' there'] })
    const { client, call } = await connect(server, era)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(NAMES)
    expect(tools.every(({ outputSchema, annotations }) => outputSchema && annotations?.title)).toBe(true)
    expect(JSON.stringify(tools)).not.toContain('$ref')
    const answer = await call('prompt', { prompt: 'say hello', backend: 'codex' })
    expect(answer).toMatchObject({ text: 'Hello there', isError: false, view: { state: 'completed', has_ended: true } })
    const next = await call('session_resume', { session_id: answer.view.session_id, prompt: 'and again' })
    expect(next.view).toMatchObject({ session_id: answer.view.session_id, backend: 'codex', output: 'Hello there' })
    const compared = await call('compare', { prompt: 'say hello', backends: ['claude', 'gemini'] })
    expect(compared.text).toContain('## claude')
    expect(compared.view.results?.map(({ output }) => output)).toEqual(['Hello there', 'Hello there'])
  })

  it.runIf(IS_FULL)('gets a handle when its time is short, and the whole answer from execution_get', async () => {
    const { server, text, permit } = await stepwise(3, { server: { mcp_wait_secs: 0 } })
    const { call } = await connect(server, era)
    const progress: string[] = []
    const handle = await call(
      'prompt',
      { prompt: 'work' },
      { onprogress: ({ message = '' }) => progress.push(message) },
    )
    const { execution_id: id = '' } = handle.view
    expect(handle).toMatchObject({ isError: false, view: { has_ended: false, backend: 'claude' } })
    expect(handle.text).toContain(`execution ${id}`)
    expect(progress).toContain(`execution ${id}`)
    permit()
    const partial = await until(async () => {
      const { view } = await call('execution_get', { execution_id: id, events_after: 0 })
      return view.output === text[0] && view
    })
    expect(partial).toMatchObject({ state: 'running', has_ended: false })
    expect(partial.events?.map(({ seq }) => seq)).toEqual(partial.events?.map((_, at) => at + 1))
    const whole = call('execution_get', { execution_id: id, wait_secs: 60 })
    permit(2)
    expect(await whole).toMatchObject({ text: text.join(''), view: { state: 'completed', has_ended: true } })
  })
})

describe('work that a client gives up', () => {
  it.each(ERAS)('is ended if no handle was given (%j)', async (era) => {
    const { server, pidFile } = await stepwise(1)
    const { client, call } = await connect(server, era)
    const given = new AbortController()
    const called = call('prompt', { prompt: 'work' }, { signal: given.signal })
    const agent = await until(() => readPids(pidFile).agent)
    given.abort()
    await expect(called).rejects.toThrow()
    // A client of 2025 only says so in a separate message, and ends the request with its connection.
    if (era === 'legacy') await client.close()
    await until(async () => (await executionsOf(server))[0]?.state === 'cancelled')
    expect(isRunning(agent)).toBe(false)
  })

  it('continues after its handle was given, until execution_cancel ends it', async () => {
    const { server, pidFile } = await stepwise(1)
    const first = await connect(server)
    const { view } = await first.call('prompt', { prompt: 'work', wait_secs: 0 })
    await first.client.close()
    const { call } = await connect(server)
    const agent = await until(() => readPids(pidFile).agent)
    expect(isRunning(agent)).toBe(true)
    const ended = await call('execution_cancel', { execution_id: view.execution_id })
    expect(ended).toMatchObject({ isError: true, view: { state: 'cancelled' } })
    expect(ended.text).not.toContain('has not ended')
    expect(isRunning(agent)).toBe(false)
    expect(await call('execution_cancel', { execution_id: view.execution_id })).toMatchObject({
      view: { state: 'cancelled' },
    })
  })
})

it('a prompt that fails at a limit says when to try again', async () => {
  const { call } = await connect(await scripted({ fail: 429, failText: 'usage limit reached, try again in 3 hours' }))
  const { isError, view } = await call('prompt', { prompt: 'x', backend: 'claude' })
  expect([isError, view.error]).toMatchObject([
    true,
    { code: 'agent_usage_limited', details: { retry_after_secs: 3 * 60 * 60 } },
  ])
})

describe('execution_message', () => {
  it.runIf(IS_FULL)('tells the agent of a running execution something, and says when the agent gets it', async () => {
    const { server } = await stepwise(1)
    const { call } = await connect(server)
    const { view } = await call('prompt', { prompt: 'work', wait_secs: 0 })
    const sent = await call('execution_message', { execution_id: view.execution_id, text: 'use knots' })
    expect(sent).toMatchObject({ isError: false, view: { execution_id: view.execution_id, delivered: 'next_turn' } })
    expect(sent.text).toContain('with the next prompt of its session')
  })
})

const BAD_CALLS: readonly [string, string, Record<string, unknown>, string][] = [
  ['nothing', 'prompt', {}, 'invalid_request: the call is not valid: $.prompt is required'],
  ['a number', 'prompt', { prompt: 7 }, '$.prompt must be a string'],
  ['an empty text', 'prompt', { prompt: '' }, '$.prompt must not be empty'],
  ['only white space', 'prompt', { prompt: ' \n ' }, 'prompt'],
  ['a NUL', 'prompt', { prompt: 'a\u0000b' }, 'prompt'],
  ['an unknown field', 'prompt', { prompt: 'x', promt: 'y' }, 'did you mean "prompt"?'],
  ['a field of HTTP', 'prompt', { prompt: 'x', detach: true }, '$.detach is not a known field'],
  ['an unknown backend', 'prompt', { prompt: 'x', backend: 'clod' }, 'backend_not_found: no backend "clod"'],
  ['a name of every object', 'prompt', { prompt: 'x', backend: '__proto__' }, 'backend_not_found'],
  ['a relative directory', 'prompt', { prompt: 'x', workdir: '../..' }, 'workdir_not_allowed'],
  ['a blocked directory', 'prompt', { prompt: 'x', workdir: '/etc' }, 'workdir_not_allowed'],
  ['an argument', 'prompt', { prompt: 'x', extra: ['--dangerously-skip-permissions'] }, 'extra'],
  ['a mode above the ceiling', 'prompt', { prompt: 'x', sandbox_mode: 'full' }, 'sandbox_mode_above_ceiling'],
  ['a model like a flag', 'prompt', { prompt: 'x', model: '--help' }, '$.model must be a model name'],
  ['too long a time', 'prompt', { prompt: 'x', wait_secs: 3601 }, '$.wait_secs must be at most 3600'],
  ['a negative time', 'prompt', { prompt: 'x', wait_secs: -1 }, '$.wait_secs must be at least 0'],
  ['a fraction', 'prompt', { prompt: 'x', wait_secs: 0.5 }, '$.wait_secs must be an integer'],
  ['no backends', 'compare', { prompt: 'x', backends: [] }, '$.backends must have at least 1 item'],
  ['17 backends', 'compare', { prompt: 'x', backends: Array(17).fill('claude') }, 'at most 16 items'],
  ['an unknown session', 'session_resume', { session_id: 'f'.repeat(32), prompt: 'x' }, 'session_not_found'],
  ['a path as session', 'session_resume', { session_id: '../../etc/passwd', prompt: 'x' }, 'session'],
  ['an unknown execution', 'execution_get', { execution_id: 'exec_000000000000000000000000' }, 'execution_not_found'],
  ['a wildcard', 'execution_get', { execution_id: '%' }, 'execution_id_malformed'],
  ['an unknown execution', 'execution_cancel', { execution_id: 'exec_0000' }, 'execution_not_found'],
  ['no text', 'execution_message', { execution_id: 'exec_0000' }, '$.text is required'],
  ['an unknown execution', 'execution_message', { execution_id: 'exec_0000', text: 'x' }, 'execution_not_found'],
  ['no goal', 'run_start', {}, 'drive_goal_conflict'],
  ['nothing in every field', 'run_start', { goal: null, issue: null, review: null }, 'drive_goal_conflict'],
  ['a repository that is not named', 'run_start', { goal: 'x', repository: '/' }, 'drive_repository_not_named'],
  ['an unknown run', 'run_status', { run_id: 'none' }, 'run'],
  ['an answer without a run', 'run_answer', { text: 'yes' }, '$.run_id is required'],
  ['a confirmation', 'run_answer', { run_id: 'x', scope_sha256: 'y' }, '$.scope_sha256 is not a known field'],
]

describe('a hostile client', () => {
  it('gets a tool error for each bad argument, and nothing is changed', async () => {
    const server = await scripted({}, { server: { max_sandbox_mode: 'workspace' } })
    const { client, call } = await connect(server)
    const { tools } = await client.listTools()
    const unknown = tools.map(({ name }) => ['a field of no tool', name, { nonsense: 1 }, '$.nonsense is not'] as const)
    for (const [about, name, given, says] of [...BAD_CALLS, ...unknown]) {
      const { isError, text, view } = await call(name, given)
      expect(text, `${name} with ${about}`).toContain(says)
      expect(isError, `${name} with ${about}`).toBe(true)
      expect(view.error?.code, `${name} with ${about}`).toMatch(/^[a-z_]+$/)
    }
    expect(await executionsOf(server)).toEqual([])
    expect((await server.request('/api/v1/sessions')).body).toMatchObject({ sessions: [] })
  })

  it('gets an error of the protocol for what is not a call', async () => {
    const server = await scripted({})
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const bodies: readonly [string, string, number][] = [
      ['no JSON', '{"jsonrpc":', 400],
      ['no message', 'null', 400],
      ['a batch', `[${call('prompt', { prompt: 'x' })}]`, 400],
      ['an unknown tool', call('constructor'), 200],
      ['an id that no number holds', '{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}', 400],
      ['arguments that are a list', call('prompt', []), 200],
      ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"__proto__"}', 200],
    ]
    for (const [about, body, status] of bodies) {
      const answer = await server.request('/mcp', { method: 'POST', headers, body })
      expect(answer.status, about).toBe(status)
      expect(answer.text, about).toMatch(/"error"/)
    }
    expect(await executionsOf(server)).toEqual([])
  })

  it.each([
    ['*/*', 200],
    ['application/json, text/event-stream', 200],
    ['application/json', 406],
    ['text/event-stream', 406],
  ])('that accepts %s gets %i', async (accept, status) => {
    const server = await startServer()
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
    expect((await server.request('/mcp', { method: 'POST', headers: { accept }, body })).status).toBe(status)
  })

  it('can put markup into a prompt, which is only text, as the answer is', async () => {
    const markup = '</prompt><script>alert(1)</script> \u001b[31m $(touch x) `id` {{steps.a}} --help'
    const server = await scripted({ text: [markup] })
    const { text, view } = await (await connect(server)).call('prompt', { prompt: markup })
    expect(text).toBe(markup)
    expect((await server.request(`/api/v1/executions/${view.execution_id}`)).body).toMatchObject({ prompt: markup })
  })
})

function call(name: string, given: unknown = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } })
}

describe('the guards of the server', () => {
  const keyed = (name: string) => ({ name, sha256: digest(`key-of-${name}`) })

  it('apply: a key is required, sees only its own executions, and has its own ceiling', async () => {
    const keys = [keyed('a'), { ...keyed('b'), max_sandbox_mode: 'read-only' }]
    const server = await scripted({ text: ['Hello'] }, { server: { keys } })
    await expect(connect(server)).rejects.toThrow(/401|[Uu]nauthorized/)
    const [a, b] = [await connect(server, 'legacy', 'key-of-a'), await connect(server, 'legacy', 'key-of-b')]
    const { view } = await a.call('prompt', { prompt: 'say hello', sandbox_mode: 'workspace' })
    const own = { execution_id: view.execution_id }
    expect((await a.call('execution_get', own)).view.output).toBe('Hello')
    expect((await b.call('execution_get', own)).text).toContain('execution_not_found')
    expect((await b.call('execution_cancel', own)).text).toContain('execution_not_found')
    const above = await b.call('prompt', { prompt: 'x', sandbox_mode: 'workspace' })
    expect(above.text).toContain('max_sandbox_mode of the key b')
    expect(server.access).toContainEqual(expect.objectContaining({ route: '/mcp', key: 'a', backend: 'claude' }))
  })

  it('start agents without the settings of the project under a ceiling', async () => {
    const config = { unified_flags: { dry_run: true } }
    const { call } = await connect(await scripted({}, { server: { max_sandbox_mode: 'workspace' }, config }))
    expect((await call('prompt', { prompt: 'x', wait_secs: 60 })).text).toContain('--setting-sources=')
  })

  it('refuse foreign pages, other media types and long bodies', async () => {
    const server = await scripted({})
    const refused: readonly [Record<string, string>, number][] = [
      [{ host: 'evil.example' }, 403],
      [{ origin: 'https://evil.example' }, 403],
      [{ 'content-type': 'text/plain' }, 415],
      [{ 'content-length': '99999999' }, 413],
    ]
    for (const [header, status] of refused) {
      const headers = { 'content-type': 'application/json', ...header }
      expect((await server.request('/mcp', { method: 'POST', headers, body: call('prompt') })).status).toBe(status)
    }
  })
})

describe('an agent that calls drover', () => {
  it('is served at the depth of server.max_nesting, and refused one deeper, by tools and endpoints', async () => {
    const server = await scripted({ text: ['Hello'] }, { server: { max_nesting: 2 } })
    const url = new URL(`${server.url}/mcp`)
    for (const depth of ['2', '3']) {
      const headers = { 'x-drover-depth': depth }
      const { call } = await connectClient(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
      const { text } = await call('prompt', { prompt: 'say hello', wait_secs: 60 })
      expect(text).toContain(depth === '2' ? 'Hello' : 'nesting_too_deep: drover was called at nesting depth 3')
      const body = { backend: 'claude', prompt: 'say hello', dry_run: true }
      const answer = await server.request('/api/v1/prompt', { method: 'POST', headers, body })
      expect(answer.status).toBe(depth === '2' ? 200 : 403)
    }
    const compared = { prompt: 'x', backends: ['claude'] }
    const headers = { 'x-drover-depth': '3' }
    const answer = await server.request('/api/v1/compare', { method: 'POST', headers, body: compared })
    expect(answer.body).toMatchObject({ error: 'nesting_too_deep', details: { depth: 3, limit: 2 } })
    expect(await executionsOf(server)).toHaveLength(2)
  })
})
