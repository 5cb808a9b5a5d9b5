/** What agents are told while they work. */
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import type { Execution, ExecutionEvent } from '../../src/executions/store/execution.shape.ts'
import { digest } from '../../src/kit/digest.ts'
import { QUEUED_CHARACTERS } from '../../src/sessions/session-messages.ts'
import type { AcpScript } from '../fake-agent/acp-script.ts'
import { installAcpAgent } from '../support/acp-agent.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { connectClient } from '../support/mcp-client.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { serveRuns } from '../support/served-runs.ts'
import { type ServerOptions, startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const MIB = 1024 * 1024
const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/)

const execution = async (server: TestServer, id: string) =>
  (await server.request(`/api/v1/executions/${id}`)).body as Execution

const ended = (server: TestServer, id: string) =>
  until(async () => {
    const found = await execution(server, id)
    return found.ended_at !== undefined && found
  })

/** Starts a prompt and waits until its agent works. */
async function begin(server: TestServer, body: object): Promise<string> {
  const started = { backend: 'claude', workdir: server.workdir, detach: true, ...body }
  const { body: answer } = await server.request('/api/v1/prompt', { method: 'POST', body: started })
  const { execution_id: id } = answer as { execution_id: string }
  await until(async () => (await execution(server, id)).state === 'running')
  return id
}

const say = (server: TestServer, id: string, text: string) =>
  server.request(`/api/v1/executions/${id}/message`, { method: 'POST', body: { text } })

async function messagesIn(server: TestServer, id: string): Promise<ExecutionEvent['content'][]> {
  const { text } = await server.request(`/api/v1/executions/${id}/events`)
  const events = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as ExecutionEvent]))
  return events.filter(({ type }) => type === 'user_message').map(({ content }) => content)
}

const outputOf = ({ result }: Execution) => (result as { output?: string } | undefined)?.output

/** Agents that stay up, from the first prompt on. */
const WARM: ServerOptions = { agents: 'warm', config: { warm: { enabled: true } } }
const ASKED = { approval_mode: 'always' }

async function startAcp(script: AcpScript) {
  const fake = {
    protocol: 'acp',
    command: [installAcpAgent(temporaryDirectory(), script)],
    profile: { resume: 'session/load' },
  }
  return await startServer({ agents: 'none', env: { PATH: process.env['PATH'] ?? '' }, config: { backends: { fake } } })
}

const STEERABLE = { initialize: { _meta: { steering: { supported: true } } } }

describe('a message to an agent that works', () => {
  it.each([
    ['claude', () => startServer(WARM), { ...ASKED, prompt: '{"listen":"now"}' }],
    ['codex', () => startServer(WARM), { ...ASKED, prompt: '{"listen":true}' }],
    ['fake', () => startAcp({ ...STEERABLE, steps: [{ listen: true }] }), { prompt: 'hello' }],
  ] as const)('reaches %s in the middle of its turn, and is in its events', async (backend, start, body) => {
    const server = await start()
    const id = await begin(server, { backend, ...body })
    const { status, body: answer } = await until(async () => {
      // The agent may not listen yet.
      const sent = await say(server, id, '/knots, not @miles')
      return (sent.body as { delivered: string }).delivered === 'now' && sent
    })
    expect([status, answer]).toEqual([200, { execution_id: id, message_id: UUID, delivered: 'now' }])
    expect(await ended(server, id).then(outputOf)).toBe('/knots, not @miles')
    const { message_id } = answer as { message_id: string }
    expect((await messagesIn(server, id)).at(-1)).toEqual({
      ...{ message_id, text: '/knots, not @miles', delivered: 'now', sent_at: expect.any(String), by: { via: 'none' } },
    })
  })

  it('is answered in the same turn if claude reads it after its first answer, and both count', async () => {
    const server = await startServer(WARM)
    const id = await begin(server, { ...ASKED, prompt: '{"listen":"late","say":"first"}' })
    expect((await say(server, id, '{"say":"second"}')).body).toMatchObject({ delivered: 'now' })
    const { result } = await ended(server, id)
    expect(result).toMatchObject({
      output: 'second',
      token_usage: { input_tokens: 6, output_tokens: 4 },
      cost_usd: 0.5,
    })
    expect((await server.request(`/api/v1/executions/${id}/events`)).text.match(/"type":"init"/g)).toHaveLength(1)
  })

  it('does not outlive a turn that is canceled', async () => {
    const server = await startServer(WARM)
    const id = await begin(server, { ...ASKED, prompt: '{"listen":"never","hang":true}' })
    expect((await say(server, id, 'too late')).body).toMatchObject({ delivered: 'now' })
    await server.request(`/api/v1/executions/${id}/cancel`, { method: 'POST' })
    expect((await ended(server, id)).state).toBe('cancelled')
    expect(server.context.drover.warm?.list()).toEqual([])
  })
})

describe('a message to an agent that takes none while it works', () => {
  /** An agent that ends its turn when `permit` is called. */
  async function stepwise(section: object = {}) {
    const permits = join(temporaryDirectory(), 'permits')
    writeFileSync(permits, '')
    const server = await startServer({
      server: { ...section },
      env: { FAKE_AGENT_SCRIPT: JSON.stringify({ permits }) },
    })
    return { server, permit: () => appendFileSync(permits, '.'.repeat(1000)) }
  }

  async function endTurn({ server, permit }: Awaited<ReturnType<typeof stepwise>>, id: string): Promise<string> {
    permit()
    return (await ended(server, id)).session_id ?? ''
  }

  const resume = async (server: TestServer, session: string, prompt: string) => {
    const answer = await server.request(`/api/v1/sessions/${session}/resume`, { method: 'POST', body: { prompt } })
    return answer.body as { output: string; execution_id: string }
  }

  it('waits for the next prompt of its session, and the agent gets it once', async () => {
    const agent = await stepwise()
    const { server } = agent
    const id = await begin(server, { prompt: 'hello' })
    expect((await say(server, id, 'knots')).body).toMatchObject({ delivered: 'next_turn' })
    expect((await say(server, id, 'feet')).body).toMatchObject({ delivered: 'next_turn' })
    const session = await endTurn(agent, id)
    const next = await resume(server, session, 'say more')
    expect(next.output).toContain('say more')
    expect(next.output).toMatch(/knots feet/)
    const texts = (content: ExecutionEvent['content']) => [content['text'], content['delivered']]
    expect((await messagesIn(server, id)).map(texts)).toEqual([
      ['knots', 'next_turn'],
      ['feet', 'next_turn'],
    ])
    const delivered = [
      ['knots', 'now'],
      ['feet', 'now'],
    ]
    expect((await messagesIn(server, next.execution_id)).map(texts)).toEqual(delivered)
    expect((await execution(server, next.execution_id)).prompt).toBe('say more')
    expect((await resume(server, session, 'more')).output).not.toContain('knots')
  })

  it('is refused if there will be no next turn', async () => {
    const { server } = await stepwise()
    const id = await begin(server, { prompt: 'hello', ephemeral: true })
    expect(await say(server, id, 'knots')).toMatchObject({ status: 409, body: { error: 'message_impossible' } })
  })

  it('is refused, over MCP too, if the execution does not have the limits of its sender', async () => {
    const secret = (name: string) => `key-of-${name}-for-the-test`
    const keyOf = (name: string, more: object) => ({ name, sha256: digest(secret(name)).slice(7), ...more })
    const owner = keyOf('ada', { max_approval_mode: 'none' })
    const { server } = await stepwise({ keys: [owner], max_sandbox_mode: 'workspace' })
    const as = (name: string) => ({ authorization: `Bearer ${secret(name)}` })
    const asOwner = { method: 'POST', headers: as('ada') }
    const body = { backend: 'claude', prompt: 'hello', workdir: server.workdir, detach: true }
    const { body: answer } = await server.request('/api/v1/prompt', { ...asOwner, body })
    const { execution_id: id } = answer as { execution_id: string }
    const state = async () => (await server.request(`/api/v1/executions/${id}`, { headers: as('ada') })).body
    await until(async () => ((await state()) as Execution).state === 'running')
    const tell = (name: string) =>
      server.request(`/api/v1/executions/${id}/message`, { method: 'POST', headers: as(name), body: { text: 'knots' } })
    const limits: [object, string | undefined][] = [
      [{ max_sandbox_mode: 'read-only' }, 'message_not_allowed'],
      [{ max_approval_mode: 'auto' }, 'message_not_allowed'],
      [{ requires_sandbox: true }, 'message_not_allowed'],
      [{ backends: ['codex'] }, 'backend_not_allowed'],
      [{ backends: ['claude'] }, undefined],
    ]
    for (const [limit, error] of limits) {
      await server.changeKeys([owner, keyOf('desk', { role: 'operator', ...limit })])
      const { call } = await connectClient(
        new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers: as('desk') } }),
      )
      const told = await call('execution_message', { execution_id: id, text: 'knots' })
      expect([limit, told]).toMatchObject([limit, { isError: error !== undefined }])
      const sent = await tell('desk')
      if (error === undefined) expect(sent.status).toBe(200)
      else expect([limit, sent.status, sent.body]).toMatchObject([limit, 403, { error }])
    }
    expect((await tell('ada')).status).toBe(200)
  })

  it('is refused if too much waits already', async () => {
    const { server } = await stepwise()
    const id = await begin(server, { prompt: 'hello' })
    expect((await say(server, id, 'x'.repeat(QUEUED_CHARACTERS - 1))).status).toBe(200)
    expect(await say(server, id, 'yy')).toMatchObject({ status: 409, body: { error: 'message_queue_full' } })
    expect((await say(server, id, 'y')).status).toBe(200)
  })

  it('is deleted with its session', async () => {
    const agent = await stepwise()
    const { server } = agent
    const id = await begin(server, { prompt: 'hello' })
    await say(server, id, 'knots')
    const session = await endTurn(agent, id)
    const { messages } = server.context.drover.opened.sessions
    expect(await messages.list(session)).toMatchObject([{ text: 'knots', by: { via: 'none' } }])
    await server.request(`/api/v1/sessions/${session}`, { method: 'DELETE' })
    expect(await messages.list(session)).toEqual([])
  })
})

describe('a message', () => {
  it.each([
    [{}, 400, 'invalid_request'],
    [{ text: '' }, 400, 'invalid_request'],
    [{ text: ' \n' }, 400, 'prompt_empty'],
    [{ text: 'x', extra: 1 }, 400, 'invalid_request'],
  ])('is refused if it is %j', async (body, status, error) => {
    const server = await startServer({ env: { FAKE_AGENT_SCRIPT: '{"hangAfter":"init"}' } })
    const id = await begin(server, { prompt: 'hello' })
    const answer = await server.request(`/api/v1/executions/${id}/message`, { method: 'POST', body })
    expect(answer).toMatchObject({ status, body: { error } })
  })

  it('may be as long as a prompt', async () => {
    const server = await startServer(WARM)
    const id = await begin(server, { ...ASKED, backend: 'codex', prompt: '{"listen":true}' })
    expect(await say(server, id, 'x'.repeat(MIB + 1))).toMatchObject({
      status: 400,
      body: { error: 'prompt_too_large' },
    })
    await until(async () => (await say(server, id, 'x'.repeat(MIB))).status === 200)
    expect(outputOf(await ended(server, id))).toHaveLength(MIB)
  })

  it('is refused by an execution that has ended, waits, or is a batch', async () => {
    const server = await startServer({
      env: { FAKE_AGENT_SCRIPT: '{"hangAfter":"init"}' },
      server: { max_concurrent_runs: 1 },
    })
    const id = await begin(server, { prompt: 'hello' })
    const queued = { backend: 'claude', prompt: 'hello', workdir: server.workdir, detach: true }
    const { body } = await server.request('/api/v1/prompt', { method: 'POST', body: queued })
    const waiting = (body as { execution_id: string }).execution_id
    expect(await say(server, waiting, 'hi')).toMatchObject({ status: 409, body: { error: 'execution_not_started' } })
    const tasks = [{ backend: 'claude', prompt: 'hello' }]
    const headers = { prefer: 'respond-async' }
    const batch = await server.request('/api/v1/parallel', { method: 'POST', body: { tasks }, headers })
    const { execution_id: parent } = batch.body as { execution_id: string }
    expect(await say(server, parent, 'hi')).toMatchObject({ status: 409, body: { error: 'execution_without_agent' } })
    await server.request(`/api/v1/executions/${id}/cancel`, { method: 'POST' })
    await ended(server, id)
    expect(await say(server, id, 'hi')).toMatchObject({ status: 409, body: { error: 'execution_ended' } })
  })
})

describe('a message to an agent of a driven run', () => {
  it.runIf(IS_FULL)(
    'is a decision of the user: in the record, the view and the report of the run, and for agents that come later',
    async () => {
      const gate = join(temporaryDirectory(), 'gate')
      const waits = { runs: [`until [ -e ${gate} ]; do sleep 0.05; done`] }
      const { server, driving, start, show, events, reaches } = await serveRuns({ orient: [waits] })
      const { id } = await start({ review: true })
      const attempt = await until(async () => (await show(id)).attempts?.[0]?.execution_id)
      await until(async () => (await execution(server, attempt)).state === 'running')
      const { body } = await say(server, attempt, 'Round *down*.')
      expect(body).toMatchObject({ delivered: 'next_turn' })
      writeFileSync(gate, '')
      const { messages, report } = await reaches(id, 'ended')
      expect(messages).toMatchObject([{ text: 'Round *down*.', delivered: 'now', by: { via: 'none' } }])
      expect(report).toMatch(
        /## Decisions\s+Message to the agent, [^,]+, from a client without a key:\s+> Round \\?\*down/,
      )
      const recorded = (await events(id)).filter(({ type }) => type === 'user_message').map(({ data }) => data)
      expect(recorded).toMatchObject([
        { attempt: 1, delivered: 'next_turn' },
        { attempt: 2, delivered: 'now' },
      ])
      const told = driving.calls().map(({ prompt }) => prompt.split('Round *down*.').length - 1)
      expect(told).toEqual([0, 1, 1, 0])
      expect(driving.calls().at(2)?.prompt).toContain('## What the user has said in this run\n\n- Round *down*.')
    },
  )
})
