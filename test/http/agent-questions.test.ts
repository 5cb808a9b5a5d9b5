/** What agents ask their user: over HTTP, MCP and ACP, from three kinds of agents. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { NO_ANSWER } from '../../src/agents/adapter/answers.ts'
import { USER } from '../../src/prompts/caller.ts'
import type { AcpStep } from '../fake-agent/acp-script.ts'
import { installAcpAgent, receivedFrames } from '../support/acp-agent.ts'
import { createUser, openEditorHere } from '../support/acp-editor.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { connectClient } from '../support/mcp-client.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const OPTIONS = [{ label: 'SQLite', description: 'one file' }, { label: 'PostgreSQL' }]
const QUESTION = { question: 'Which store?', header: 'Store', options: OPTIONS }
const CLAUDE = { ask: 'AskUserQuestion', input: { questions: [QUESTION] } }
const CODEX = { ask: 'x', questions: [{ ...QUESTION, id: 'db', isOther: false }] }

const start = (config: object = {}) => startServer({ agents: 'warm', config: { warm: { enabled: true }, ...config } })

async function ask(server: TestServer, order: object | string, over: object = {}) {
  const prompt = typeof order === 'string' ? order : JSON.stringify(order)
  const body = { prompt, backend: 'claude', workdir: server.workdir, approval_mode: 'always', detach: true, ...over }
  return ((await server.request('/api/v1/prompt', { method: 'POST', body })).body as { execution_id: string })
    .execution_id
}

const waiting = (server: TestServer) => until(async () => (await server.context.drover.executions.approvals(USER))[0])

async function decide(server: TestServer, body: object) {
  const { execution_id: id, approval_id: approval } = await waiting(server)
  return await server.request(`/api/v1/executions/${id}/approvals/${approval}`, { method: 'POST', body })
}

const outputOf = (server: TestServer, id: string) =>
  until(async () => {
    const { body } = await server.request(`/api/v1/executions/${id}`)
    return (body as { result?: { output: string; approvals?: object[] } }).result
  })

describe('a question of an agent', () => {
  it('waits for an answer over HTTP; what does not fit is refused and changes nothing', async () => {
    const server = await start()
    const id = await ask(server, CLAUDE)
    expect(await waiting(server)).toMatchObject({
      questions: [{ text: 'Which store?', options: OPTIONS, takes_text: true }],
      choices: ['allow', 'deny'],
    })
    for (const bad of [{}, { answers: [] }, { answers: [['a'], ['b']] }, { answers: [['a', 'b']] }]) {
      const { status, body } = await decide(server, { decision: 'allow', ...bad })
      expect([status, body]).toEqual([400, expect.objectContaining({ error: 'answers_invalid' })])
    }
    expect((await decide(server, { decision: 'allow', answers: [['DuckDB']] })).status).toBe(200)
    const { output, approvals } = await outputOf(server, id)
    expect(JSON.parse(output)).toMatchObject({ updatedInput: { answers: { 'Which store?': 'DuckDB' } } })
    expect(approvals).toMatchObject([{ tool_name: 'AskUserQuestion', decision: 'allow', answers: [['DuckDB']] }])
  })

  it('of codex is answered by its id, and takes only its options', async () => {
    const server = await start()
    const id = await ask(server, CODEX, { backend: 'codex' })
    expect((await decide(server, { decision: 'allow', answers: [['DuckDB']] })).status).toBe(400)
    await decide(server, { decision: 'allow', answers: [['SQLite']] })
    expect(JSON.parse((await outputOf(server, id)).output)).toEqual({ answers: { db: { answers: ['SQLite'] } } })
  })

  it.each([
    ['claude', CLAUDE],
    ['codex', CODEX],
  ])('of %s has no answer if no one gives one', async (backend, order) => {
    const server = await start({ warm: { enabled: true, approval_timeout_secs: 1 } })
    const { output } = await outputOf(server, await ask(server, order, { backend }))
    expect(output).toContain('no one decided within 1 s')
    const other = await ask(server, order, { backend })
    await decide(server, { decision: 'deny' })
    expect((await outputOf(server, other)).output).toContain(NO_ANSWER)
  })

  it('about a tool takes no answers', async () => {
    const server = await start()
    const id = await ask(server, { ask: 'Bash' })
    expect((await decide(server, { decision: 'allow', answers: [['SQLite']] })).status).toBe(400)
    await decide(server, { decision: 'allow' })
    await outputOf(server, id)
  })
})

describe('what an agent that speaks ACP takes back', () => {
  const requestedSchema = { properties: { store: { type: 'string' } }, required: ['store'] }
  const question = { mode: 'form', message: 'Where to?', requestedSchema }
  const toolCall = { toolCallId: 't', kind: 'execute', title: 'make', rawInput: { command: 'make' } }

  it.each<[string, AcpStep]>([
    ['a question', { request: { method: 'elicitation/create', params: question } }],
    ['a request for permission', { ask: { toolCall, options: [{ optionId: 'yes', kind: 'allow_once' }] } }],
  ])('no longer waits for its user: %s', async (_name, step) => {
    const directory = temporaryDirectory()
    const takesBackAt = join(directory, 'take-back')
    const command = [installAcpAgent(directory, { steps: [{ ...step, takesBackAt }, { say: 'done' }] })]
    const fake = { protocol: 'acp', command }
    const config = { warm: { enabled: true }, backends: { fake } }
    const server = await startServer({ agents: 'none', env: { PATH: process.env['PATH'] ?? '' }, config })
    const id = await ask(server, 'go', { backend: 'fake' })
    const { approval_id } = await waiting(server)
    writeFileSync(takesBackAt, '')
    const { output, approvals } = await outputOf(server, id)
    expect(output).toBe('done')
    expect(approvals).toMatchObject([{ approval_id, decision: 'deny', by: { via: 'drover' } }])
    expect(await server.context.drover.executions.approvals(USER)).toEqual([])
  })
})

describe('a form of an agent that speaks ACP', () => {
  async function asksForm() {
    const requestedSchema = { properties: { store: { type: 'string', enum: ['SQLite'] } }, required: ['store'] }
    const params = { mode: 'form', message: 'Where to?', requestedSchema }
    const directory = temporaryDirectory()
    const script = { steps: [{ request: { method: 'elicitation/create', params } }, { say: 'done' }] }
    const fake = { protocol: 'acp', command: [installAcpAgent(directory, script)] }
    const server = await startServer({
      agents: 'none',
      env: { PATH: process.env['PATH'] ?? '' },
      config: { warm: { enabled: true }, backends: { fake } },
    })
    const answered = () => receivedFrames(directory).findLast(({ result }) => result !== undefined)?.result
    const offered = () => receivedFrames(directory).find(({ method }) => method === 'initialize')?.params
    return { server, answered, offered }
  }

  it('is filled in by an answer', async () => {
    const { server, answered, offered } = await asksForm()
    const id = await ask(server, 'go', { backend: 'fake' })
    expect(await waiting(server)).toMatchObject({ reason: 'Where to?', questions: [{ text: 'store' }] })
    await decide(server, { decision: 'allow', answers: [['SQLite']] })
    await outputOf(server, id)
    expect(answered()).toEqual({ action: 'accept', content: { store: 'SQLite' } })
    expect(offered()).toMatchObject({ clientCapabilities: { elicitation: { form: {} } } })
  })

  it('is declined at once where no one is asked', async () => {
    const { server, answered } = await asksForm()
    await outputOf(server, await ask(server, 'go', { backend: 'fake', approval_mode: 'auto' }))
    expect(answered()).toEqual({ action: 'decline' })
  })
})

describe('a client of MCP', () => {
  it('learns what the agent asks, and answers it; it allows nothing', async () => {
    const server = await start()
    const { call } = await connectClient(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)))
    const prompt = { backend: 'claude', workdir: server.workdir, approval_mode: 'always' }
    const { text, view } = await call('prompt', { ...prompt, prompt: JSON.stringify(CLAUDE) })
    expect(text).toContain('1. Which store?\n   1) SQLite: one file\n   2) PostgreSQL')
    const [asked] = view.waits_for as unknown as { approval_id: string }[]
    const given = { execution_id: view.execution_id, approval_id: asked?.approval_id }
    expect(await call('execution_answer', { ...given, answers: [['a'], ['b']] })).toMatchObject({ isError: true })
    expect(await call('execution_answer', { ...given, answers: [['SQLite']] })).toMatchObject({
      isError: false,
      view: { decision: 'allow' },
    })
    const ended = await call('execution_get', { execution_id: view.execution_id })
    expect(ended.text).toContain('"answers":{"Which store?":"SQLite"}')

    const tool = await call('prompt', { ...prompt, prompt: '{"ask":"Bash"}', wait_secs: 0 })
    const { execution_id, approval_id } = await waiting(server)
    expect(tool.view.waits_for).toBeUndefined()
    const refused = await call('execution_answer', { execution_id, approval_id, answers: [['yes']] })
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('approval_not_found') })
    await decide(server, { decision: 'deny' })
  })
})

describe('an editor', () => {
  it.runIf(IS_FULL)('shows a form, whose values are the answers', async () => {
    const forms: unknown[] = []
    const editor = await openEditorHere(createUser(), [], (form) => {
      forms.push(form)
      return { action: 'accept', content: { answer_1: 'SQLite' } }
    })
    const { sessionId } = await editor.create()
    await editor.prompt(sessionId, CLAUDE)
    expect(editor.texts()).toContain('"answers":{"Which store?":"SQLite"}')
    expect(forms).toMatchObject([{ sessionId, mode: 'form', message: 'Which store?' }])
    expect(editor.asked).toEqual([])
  })

  it('without forms has no answer', async () => {
    const editor = await openEditorHere(createUser())
    const { sessionId } = await editor.create()
    await editor.prompt(sessionId, CLAUDE)
    expect(editor.texts()).toContain(NO_ANSWER)
  })
})
