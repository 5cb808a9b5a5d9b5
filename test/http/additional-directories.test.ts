/** Directories in which an agent works besides its working directory. */
import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import type { AcpScript } from '../fake-agent/acp-script.ts'
import { installAcpAgent, receivedFrames } from '../support/acp-agent.ts'
import { connectClient, ERAS } from '../support/mcp-client.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { type ServerOptions, startServer, type TestServer } from '../support/start-server.ts'

const HELLO = { backend: 'claude', prompt: 'say hello' }

/** A server, and directories beside its working directory. */
async function start(options: ServerOptions = {}) {
  const server = await startServer(options)
  const beside = (name: string) => {
    const path = join(dirname(server.workdir), name)
    mkdirSync(path, { recursive: true })
    return path
  }
  return { server, beside }
}

async function ask(server: TestServer, over: object, path = '/api/v1/prompt') {
  const body = path.endsWith('/prompt') ? { ...HELLO, ...over } : over
  const answer = await server.request(path, { method: 'POST', body })
  return { ...answer, result: answer.body as { output: string; session_id: string; error?: string } }
}

const add = (...paths: string[]) => ({ additional_directories: paths })

describe('additional_directories', () => {
  it('are resolved as the working directory, and named once', async () => {
    const { server, beside } = await start()
    const [one, link] = [beside('one'), join(dirname(server.workdir), 'link')]
    symlinkSync(one, link)
    mkdirSync(join(server.workdir, 'inside'))
    const more = add(one, link, join(server.workdir, 'inside'))
    const { result } = await ask(server, { ...more, dry_run: true })
    expect(result.output.match(/--add-dir \S+/g)).toEqual([`--add-dir ${one}`])
  })

  it.each([
    ['does not exist', '/nowhere', 'does not exist'],
    ['is no absolute path', 'one', 'must be an absolute path'],
    ['is outside of those that the operator allows', '/usr', 'server.allowed_workdir_prefixes'],
    ['is blocked', '/etc', 'is blocked for agents'],
  ])('are refused if one %s', async (_, path, problem) => {
    const prefixes = problem.startsWith('server.') ? [realpathSync(tmpdir())] : []
    const { server } = await start({ server: { allowed_workdir_prefixes: prefixes } })
    const { status, text } = await ask(server, add(path))
    expect([status, text]).toEqual([400, expect.stringContaining(problem)])
  })

  it('are at most 16', async () => {
    const { server, beside } = await start()
    const paths = Array.from({ length: 17 }, (_, at) => beside(`d${at}`))
    expect((await ask(server, { ...add(...paths.slice(1)), dry_run: true })).status).toBe(200)
    const refused = await ask(server, { ...add(...paths), dry_run: true })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('additional_directories')])
  })

  it('stay with the session, until the client names others', async () => {
    const { server, beside } = await start({ env: { FAKE_AGENT_SCRIPT: JSON.stringify({ text: ['hi'] }) } })
    const { result } = await ask(server, add(beside('one')))
    const resume = async (more: object) => {
      const path = `/api/v1/sessions/${result.session_id}/resume`
      return (await ask(server, { prompt: 'say more', dry_run: true, ...more }, path)).result.output
    }
    expect(await resume({})).toContain(`--add-dir ${beside('one')}`)
    const other = await resume(add(beside('two')))
    expect([other.includes(beside('one')), other.includes(beside('two'))]).toEqual([false, true])
    expect(await resume(add())).not.toContain('--add-dir')
    const { body } = await server.request(`/api/v1/sessions/${result.session_id}`)
    expect(body).toMatchObject({ policy: add(beside('one')) })
  })

  it('are closed to agents under a ceiling where files of drover are', async () => {
    const { server, beside } = await start({ server: { max_sandbox_mode: 'workspace' } })
    expect((await ask(server, { ...add(beside('one')), dry_run: true })).status).toBe(200)
    for (const path of [server.home, dirname(server.home)]) {
      const { status, text } = await ask(server, { ...add(path), dry_run: true })
      expect([status, text]).toEqual([400, expect.stringContaining('files of drover')])
    }
  })

  it('are an argument of the MCP tool', async () => {
    const { server, beside } = await start()
    const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`))
    const { call } = await connectClient(transport, ERAS[0])
    const refused = await call('prompt', { ...HELLO, ...add(join(beside('one'), 'missing')) })
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('does not exist') })
    const session = await call('prompt', { ...HELLO, ...add(beside('one')) })
    const { body } = await server.request(`/api/v1/sessions/${session.view.session_id}`)
    expect(body).toMatchObject({ policy: add(beside('one')) })
  })
})

describe('additional directories of an agent that speaks ACP', () => {
  const DECLARED = {
    agentCapabilities: { loadSession: true, sessionCapabilities: { additionalDirectories: {}, resume: {} } },
  }

  async function startAcp(script: AcpScript, warm: object = { enabled: false }) {
    const directory = temporaryDirectory()
    const profile = { resume: 'session/load' }
    const fake = { protocol: 'acp', command: [installAcpAgent(directory, script)], profile }
    const env = { PATH: process.env['PATH'] ?? '' }
    const started = await start({ agents: 'none', env, config: { warm, backends: { fake } } })
    const sent = (method: string) =>
      receivedFrames(directory)
        .filter((frame) => frame.method === method)
        .map(({ params }) => params?.['additionalDirectories'])
    const answers = () =>
      receivedFrames(directory).flatMap(({ id, result }) => (String(id).startsWith('agent-') ? [result] : []))
    return { ...started, sent, answers }
  }

  it.each([{ enabled: false }, { enabled: true, spare_after: 1 }])(
    'are sent with a session that is created or loaded: %j',
    async (warm) => {
      const { server, beside, sent } = await startAcp({ initialize: DECLARED }, warm)
      const [one, two] = [beside('one'), beside('two')]
      const { result } = await ask(server, { backend: 'fake', ...add(one) })
      const path = `/api/v1/sessions/${result.session_id}/resume`
      expect((await ask(server, { prompt: 'say more', ...add(one, two) }, path)).status).toBe(200)
      expect((await ask(server, { backend: 'fake' })).status).toBe(200)
      expect(sent('session/new')).toEqual([[one], undefined])
      expect(sent('session/load')).toEqual([[one, two]])
    },
  )

  it.each([{ enabled: false }, { enabled: true, spare_after: 1 }])(
    'are refused if it does not declare that it takes any: %j',
    async (warm) => {
      const { server, beside, sent } = await startAcp({}, warm)
      const { status, body } = await ask(server, { backend: 'fake', ...add(beside('one')) })
      const message = expect.stringMatching(/fake does not say that .*; use claude or codex or gemini/)
      expect([status, body]).toMatchObject([400, { error: 'directories_unsupported', message }])
      expect(sent('session/new')).toEqual([])
    },
  )

  it('are where it may edit without asking', async () => {
    const directory = temporaryDirectory()
    const paths = ['one', 'two'].map((name) => join(directory, name, 'a'))
    const options = [
      { optionId: 'yes', kind: 'allow_once' },
      { optionId: 'no', kind: 'reject_once' },
    ]
    const steps = paths.map((path) => ({
      ask: { toolCall: { toolCallId: path, kind: 'edit', locations: [{ path }] }, options },
    }))
    mkdirSync(join(directory, 'one'))
    const { server, answers } = await startAcp({ initialize: DECLARED, steps })
    const asked = { backend: 'fake', approval_mode: 'auto', ...add(join(directory, 'one')) }
    expect((await ask(server, asked)).status).toBe(200)
    expect(answers()).toMatchObject([{ outcome: { optionId: 'yes' } }, { outcome: { optionId: 'no' } }])
  })
})
