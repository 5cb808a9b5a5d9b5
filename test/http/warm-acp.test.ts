/** Prompts over HTTP to a server that keeps agents that speak ACP running. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AcpScript } from '../fake-agent/acp-script.ts'
import { installAcpAgent, receivedFrames } from '../support/acp-agent.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { startServer, type TestServer } from '../support/start-server.ts'
import { isRunning } from '../support/test-command.ts'
import { until } from '../support/until.ts'

type Result = { output: string; session_id: string; exit_code: number; warnings?: string[] }

type Over = { profile?: Record<string, string>; program?: string; server?: Record<string, unknown> }

async function start(script: AcpScript = {}, { profile = {}, program = 'fake-acp', server: settings = {} }: Over = {}) {
  const directory = temporaryDirectory()
  const fake = { protocol: 'acp', command: [installAcpAgent(directory, script, program)], profile }
  const warm = { enabled: true, spare_after: 1 }
  const server = await startServer({
    agents: 'none',
    env: { PATH: process.env['PATH'] ?? '' },
    config: { warm, backends: { fake } },
    server: settings,
  })
  return { server, directory }
}

async function ask(server: TestServer, over: object, path = '/api/v1/prompt'): Promise<Result> {
  const { status, body, text } = await server.request(path, { method: 'POST', body: over })
  expect([status, text]).toEqual([200, text])
  return body as Result
}

const prompt = (server: TestServer, text: string, over: object = {}) =>
  ask(server, { backend: 'fake', prompt: text, workdir: server.workdir, ...over })

const idle = (server: TestServer) =>
  until(() => server.context.drover.warm?.list().some(({ state }) => state === 'idle') === true)

const OPTIONS = [
  { optionId: 'yes', kind: 'allow_once' },
  { optionId: 'no', kind: 'reject_once' },
]

describe('a warm agent that speaks ACP', () => {
  it('gives the same result as one that was started for the prompt', async () => {
    const { server } = await start()
    const cold = await prompt(server, 'hello')
    await idle(server)
    const warm = await prompt(server, 'hello')
    const ids = ['session_id', 'duration_ms', 'execution_id']
    const facts = (answer: object) => Object.entries(answer).filter(([name]) => !ids.includes(name))
    expect(facts(warm)).toEqual(facts(cold))
    expect(server.context.drover.warm?.list()).toMatchObject([{ backend: 'fake', turns: 1 }])
  })

  it('answers several prompts in one process, each in a separate session', async () => {
    const { server, directory } = await start()
    await prompt(server, 'hello')
    await idle(server)
    const pids = [await prompt(server, 'pid'), await prompt(server, 'pid', { ephemeral: true })]
    expect(pids[1]?.output).toBe(pids[0]?.output)
    const frames = receivedFrames(directory).map(({ method }) => method)
    expect(frames.slice(-5)).toEqual([
      'session/new',
      'session/prompt',
      'session/new',
      'session/prompt',
      'session/delete',
    ])
  })

  it('gets the trace of each prompt in the prompt', async () => {
    const { server, directory } = await start()
    await prompt(server, 'hello')
    await idle(server)
    const traced = async (traceparent: string, more: Record<string, string> = {}) => {
      const body = { backend: 'fake', prompt: 'pid', workdir: server.workdir }
      const headers = { traceparent, ...more }
      return (await server.request('/api/v1/prompt', { method: 'POST', body, headers })).body as Result
    }
    const [one, two] = ['1', '2'].map((digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`) as [string, string]
    const pids = [await traced(one, { tracestate: 'rojo=1' }), await traced(two), await prompt(server, 'pid')]
    expect(new Set(pids.map(({ output }) => output)).size).toBe(1)
    const sent = receivedFrames(directory).filter(({ method }) => method === 'session/prompt')
    expect(sent.map(({ params }) => params?.['_meta'])).toEqual([
      undefined,
      { traceparent: one, tracestate: 'rojo=1' },
      { traceparent: two },
      undefined,
    ])
  })

  it('continues a session in the process that has it, without loading it', async () => {
    const { server, directory } = await start({}, { profile: { resume: 'session/load' } })
    await prompt(server, 'hello')
    await idle(server)
    const first = await prompt(server, 'pid')
    const second = await ask(server, { prompt: 'pid' }, `/api/v1/sessions/${first.session_id}/resume`)
    expect(second.output).toBe(first.output)
    expect(receivedFrames(directory).some(({ method }) => method === 'session/load')).toBe(false)
  })

  it('is not used again after a turn that failed', async () => {
    const { server } = await start({ turns: [[{ say: 'fine' }], [{ fails: { code: -32603, message: 'broken' } }]] })
    await prompt(server, 'hello')
    await idle(server)
    expect((await prompt(server, 'one')).output).toBe('fine')
    const failed = await prompt(server, 'two')
    expect(failed).toMatchObject({ exit_code: 1, error: 'broken' })
    expect((await prompt(server, 'three')).output).toBe('fine')
  })

  it.runIf(IS_FULL)('is replaced by a separate process if it dies before it answers', async () => {
    const { server } = await start()
    await prompt(server, 'hello')
    await idle(server)
    const pid = Number((await prompt(server, 'pid')).output)
    process.kill(pid, 'SIGKILL')
    await until(() => !isRunning(pid))
    expect(await prompt(server, 'hello')).toMatchObject({ exit_code: 0, output: 'You said: hello' })
  })
})

describe('a server with a backend that speaks ACP', () => {
  const messages = [{ role: 'user', content: 'hello there' }]

  it('has it in all APIs, and in everything that lists backends', async () => {
    const { server } = await start({}, { server: { metrics_enabled: true } })
    const headers = { 'anthropic-version': '2023-06-01' }
    const post = async (path: string, body: object) =>
      (await server.request(path, { method: 'POST', body, headers })).text
    const chat = { model: 'fake/some/model', messages }
    expect(await post('/openai/v1/chat/completions', chat)).toContain('hello there')
    expect(await post('/openai/v1/chat/completions', { ...chat, stream: true })).toContain('hello there')
    expect(await post('/anthropic/v1/messages', { model: 'fake', max_tokens: 9, messages })).toContain('hello there')
    expect(await post('/api/v1/prompt', { backend: 'fake', prompt: 'hi' })).toContain('You said: hi')
    for (const path of ['/openai/v1/models', '/anthropic/v1/models', '/api/v1/backends', '/metrics']) {
      expect((await server.request(path, { headers })).text).toContain('"fake"')
    }
    expect((await server.request('/openapi.json')).text).not.toContain('fake')
    const { body } = await server.request('/api/v1/usage?group_by=backend')
    expect(body).toMatchObject({ rows: [{ backend: 'fake', executions: 4, completed: 4 }] })
  })

  it('runs a prompt with an Idempotency-Key once', async () => {
    const { server, directory } = await start()
    const send = () =>
      server.request('/api/v1/prompt', {
        method: 'POST',
        body: { backend: 'fake', prompt: 'hi' },
        headers: { 'idempotency-key': 'k-1' },
      })
    const [first, second] = [await send(), await send()]
    expect([first.text, second.headers['idempotency-replayed']]).toEqual([second.text, 'true'])
    expect(receivedFrames(directory).filter(({ method }) => method === 'session/prompt')).toHaveLength(1)
  })

  const asking = (kind: string) => [{ ask: { toolCall: { toolCallId: 't', kind }, options: OPTIONS } }, { say: 'done' }]
  const lastAnswer = (directory: string) => receivedFrames(directory).findLast(({ id }) => id === 'agent-1')?.result

  it.each([
    ['read-only', 'edit', 'no'],
    ['workspace', 'edit', 'yes'],
    ['workspace', 'execute', 'no'],
  ])(
    'keeps it within the ceiling %s: %s → %s, and says who enforces that',
    async (max_sandbox_mode, kind, optionId) => {
      const { server, directory } = await start({ steps: asking(kind) }, { server: { max_sandbox_mode } })
      const { warnings } = await prompt(server, 'go')
      expect(warnings).toContain(
        `sandbox_mode ${max_sandbox_mode} is enforced by fake itself, not by an operating system sandbox`,
      )
      expect(lastAnswer(directory)).toMatchObject({ outcome: { optionId } })
      const above = { backend: 'fake', prompt: 'x', sandbox_mode: 'full' }
      expect((await server.request('/api/v1/prompt', { method: 'POST', body: above })).status).toBe(400)
    },
  )

  it('lets it do no more than a request wants, although the ceiling is higher', async () => {
    const { server, directory } = await start({ steps: asking('edit') }, { server: { max_approval_mode: 'auto' } })
    await prompt(server, 'go')
    expect(lastAnswer(directory)).toMatchObject({ outcome: { optionId: 'yes' } })
    await prompt(server, 'go', { approval_mode: 'always' })
    expect(lastAnswer(directory)).toMatchObject({ outcome: { optionId: 'no' } })
  })
})

describe('a question of an agent that lets drover run its commands', () => {
  const toolCall = { toolCallId: 't', kind: 'execute', rawInput: { command: 'touch a' } }
  const ask = { ask: { toolCall, options: OPTIONS } }

  /** Runs the steps as goose; answers each question with the next decision. */
  async function decideAll(steps: AcpScript['steps'], decisions: string[]) {
    const { server } = await start({ steps: [...(steps ?? []), { say: 'done' }] }, { program: 'goose' })
    const body = { backend: 'fake', prompt: 'go', workdir: server.workdir, approval_mode: 'always', detach: true }
    const { execution_id: id } = (await server.request('/api/v1/prompt', { method: 'POST', body })).body as {
      execution_id: string
    }
    const commands: unknown[] = []
    let warnings: unknown
    const { signal } = new AbortController()
    for await (const events of server.context.drover.records.follow(id, { after: 0, signal })) {
      for (const { type, content } of events) {
        if (type === 'done') warnings = content['warnings']
        if (type !== 'approval_request') continue
        commands.push(content['command'] ?? content['tool_name'])
        const path = `/api/v1/executions/${id}/approvals/${content['approval_id']}`
        await server.request(path, { method: 'POST', body: { decision: decisions.shift() } })
      }
    }
    return { commands, warnings, has: (name: string) => existsSync(join(server.workdir, name)) }
  }

  it('covers the command that follows, and no other', async () => {
    const steps = [ask, { terminal: { command: 'touch a' } }, { terminal: { command: 'touch b' } }]
    const { commands, has } = await decideAll(steps, ['allow', 'deny'])
    expect(commands).toEqual(['touch a', 'touch b'])
    expect([has('a'), has('b')]).toEqual([true, false])
  })

  it('can be answered for all that follow', async () => {
    const steps = [ask, { terminal: { command: 'touch a' } }, { terminal: { command: 'touch b' } }]
    const { commands, has } = await decideAll(steps, ['allow_session'])
    expect([commands, has('a'), has('b')]).toEqual([['touch a'], true, true])
  })
})
