/** The files of drover hold texts and keys of all callers. Agents under a ceiling are kept from them. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AcpStep } from '../fake-agent/acp-script.ts'
import { installAcpAgent, receivedFrames } from '../support/acp-agent.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { startServer, type TestServer } from '../support/start-server.ts'

const messages = [{ role: 'user', content: 'x' }]

const headers = { 'anthropic-version': '2023-06-01', accept: 'application/json, text/event-stream' }

const post = async (server: TestServer, path: string, body: object) =>
  await server.request(path, { method: 'POST', body, headers })

const callOf = (name: string, given: object) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name, arguments: given },
})

describe('codex under a ceiling', () => {
  const ways: [string, object][] = [
    ['/api/v1/prompt', { backend: 'codex', prompt: 'x' }],
    ['/api/v1/parallel', { tasks: [{ backend: 'codex', prompt: 'x' }] }],
    ['/api/v1/chain', { steps: [{ backend: 'codex', prompt: 'x' }] }],
    ['/api/v1/compare', { backends: ['codex'], prompt: 'x' }],
    ['/openai/v1/chat/completions', { model: 'codex', messages }],
    ['/openai/v1/responses', { model: 'codex', input: 'x' }],
    ['/anthropic/v1/messages', { model: 'codex', max_tokens: 10, messages }],
    ['/mcp', callOf('prompt', { backend: 'codex', prompt: 'x' })],
    ['/mcp', callOf('compare', { backends: ['codex'], prompt: 'x' })],
  ]

  it('gets a profile that closes the files of drover, for every kind of request', async () => {
    const config = { unified_flags: { dry_run: true } }
    const limited = await startServer({ server: { max_sandbox_mode: 'read-only' }, config })
    const free = await startServer({ server: { max_sandbox_mode: 'full' }, config })
    for (const [path, body] of ways) {
      const { text } = await post(limited, path, body)
      expect(text, path).toContain('permissions.drover-read-only={extends=')
      // A client must not learn where they are.
      expect([text.includes(limited.home), / -s /.test(text)], path).toEqual([false, false])
      expect((await post(free, path, body)).text, path).not.toContain('drover-read-only')
    }
  })
})

describe('a working directory with files of drover', () => {
  it.each(['claude', 'gemini'])('is refused under a ceiling for %s, which has no sandbox', async (backend) => {
    const server = await startServer({ server: { max_sandbox_mode: 'workspace' } })
    const ask = async (workdir: string) =>
      (await post(server, '/api/v1/prompt', { backend, prompt: 'x', workdir })).status
    mkdirSync(join(server.home, 'worktrees', 'mine'), { recursive: true })
    const places = [join(server.home, '..'), server.home, join(server.home, 'worktrees', 'mine'), server.workdir]
    expect(await Promise.all(places.map(ask))).toEqual([400, 400, 200, 200])
  })

  it('is not refused without one', async () => {
    const server = await startServer()
    const body = { backend: 'claude', prompt: 'x', workdir: join(server.home, '..') }
    expect((await post(server, '/api/v1/prompt', body)).status).toBe(200)
  })
})

describe('an agent that speaks ACP', () => {
  const OPTIONS = [
    { optionId: 'yes', kind: 'allow_once' },
    { optionId: 'no', kind: 'reject_once' },
  ]

  /** What drover answers to an agent that wants to read its store in several ways. */
  async function answersUnder(mode: string) {
    const directory = temporaryDirectory()
    const command = [installAcpAgent(directory, {}, 'goose')]
    const server = await startServer({
      agents: 'none',
      env: { PATH: process.env['PATH'] ?? '' },
      config: { backends: { goose: { protocol: 'acp', command } } },
      server: { max_sandbox_mode: mode },
    })
    const path = join(server.home, 'sessions.db')
    writeFileSync(join(server.workdir, 'own.txt'), 'own text')
    symlinkSync(path, join(server.workdir, 'link'))
    symlinkSync(server.home, join(server.workdir, 'links'))
    const ask = (toolCall: object): AcpStep => ({ ask: { toolCall, options: OPTIONS } })
    const steps: AcpStep[] = [
      { request: { method: 'fs/read_text_file', params: { path: join(server.workdir, 'own.txt') } } },
      { request: { method: 'fs/read_text_file', params: { path } } },
      ask({ toolCallId: 'a', kind: 'read', rawInput: { path } }),
      ask({ toolCallId: 'b', kind: 'search', locations: [{ path: server.home }] }),
      ask({ toolCallId: 'c', kind: 'read', rawInput: { files: [{ path }] } }),
      ask({ toolCallId: 'd', kind: 'read', rawInput: { path: join(server.workdir, 'link') } }),
      ask({ toolCallId: 'e', kind: 'search', rawInput: { directory: 'links' } }),
      ask({ toolCallId: 'f', kind: 'read', rawInput: { path: 'own.txt' } }),
      { request: { method: 'terminal/create', params: { command: 'cat', args: [path] } } },
      { say: 'done' },
    ]
    installAcpAgent(directory, { steps }, 'goose')
    const body = { backend: 'goose', prompt: 'x', workdir: server.workdir }
    expect(await post(server, '/api/v1/prompt', body)).toMatchObject({ status: 200 })
    const answers = receivedFrames(directory, 'goose') as { result?: object; error?: { message: string } }[]
    return answers.filter(({ result, error }) => result ?? error).map(({ result, error }) => error?.message ?? result)
  }

  it.each(['read-only', 'workspace'])('gets none of them from drover under the ceiling %s', async (mode) => {
    const denied = { outcome: { outcome: 'selected', optionId: 'no' } }
    expect(await answersUnder(mode)).toEqual([
      { content: 'own text' },
      expect.stringContaining('is not in the working directory'),
      ...[denied, denied, denied, denied, denied],
      { outcome: { outcome: 'selected', optionId: 'yes' } },
      expect.stringContaining('not allowed'),
    ])
  })
})
