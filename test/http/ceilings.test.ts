/** The highest modes for requests: what is refused, and what is lowered. Dry runs show the command that would run. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { NO_USAGE } from '../../src/agents/adapter/token-usage.ts'
import { type ServerOptions, startServer, type TestServer } from '../support/start-server.ts'

const sha256 = (key: string) => createHash('sha256').update(key).digest('hex')

const CEILINGS = { max_approval_mode: 'auto', max_sandbox_mode: 'workspace' }
const prompt = { backend: 'codex', prompt: 'x', dry_run: true }
const messages = [{ role: 'user', content: 'x' }]

type Sent = { status: number; text: string; body: unknown }

const post = (server: TestServer, path: string, body: unknown, headers = {}): Promise<Sent> =>
  server.request(path, { method: 'POST', body, headers: { 'anthropic-version': '2023-06-01', ...headers } })

/** A session that was started with modes above the ceilings, as on the command line. */
async function storeSession(server: TestServer, extra: string[] = []): Promise<string> {
  const policy = { approval_mode: 'none', sandbox_mode: 'full', extra } as const
  const { id } = await server.context.drover.opened.sessions.create({
    ...{ backend: 'codex', working_dir: server.workdir, initial_prompt: 'x', tags: [], metadata: {}, policy },
  })
  const ownId = '0199a213-81c0-7800-8aa1-bbab2a035a53'
  await server.context.drover.opened.sessions.finishTurn(id, {
    outcome: 'completed',
    usage: NO_USAGE,
    backendSessionId: ownId,
  })
  return id
}

describe('a server with ceilings', () => {
  it.each<[string, string, object, Record<string, string>]>([
    [
      'a prompt',
      'prompt',
      { ...prompt, sandbox_mode: 'full' },
      { code: 'sandbox', field: '$.sandbox_mode', mode: 'full', ceiling: 'workspace' },
    ],
    [
      'a prompt',
      'prompt',
      { ...prompt, approval_mode: 'none' },
      { code: 'approval', field: '$.approval_mode', mode: 'none', ceiling: 'auto' },
    ],
    [
      'a task',
      'parallel',
      { tasks: [prompt, { ...prompt, approval_mode: 'none' }] },
      { code: 'approval', field: '$.tasks[1].approval_mode', mode: 'none', ceiling: 'auto' },
    ],
    [
      'a step',
      'chain',
      { steps: [{ backend: 'claude', prompt: 'x', sandbox_mode: 'full' }], dry_run: true },
      { code: 'sandbox', field: '$.steps[0].sandbox_mode', mode: 'full', ceiling: 'workspace' },
    ],
  ])('refuses %s above them (%s)', async (_name, path, body, { code, ...details }) => {
    const server = await startServer({ server: CEILINGS })
    const answer = await post(server, `/api/v1/${path}`, body)
    const setting = `server.max_${code}_mode`
    expect([answer.status, answer.body]).toMatchObject([
      400,
      { error: `${code}_mode_above_ceiling`, details: { ...details, setting } },
    ])
    expect(await server.context.drover.opened.sessions.count()).toBe(0)
  })

  it('refuses a prompt that is not a dry run, too', async () => {
    const server = await startServer({ server: CEILINGS })
    const answer = await post(server, '/api/v1/prompt', { ...prompt, dry_run: false, sandbox_mode: 'full' })
    expect(answer.body).toMatchObject({ error: 'sandbox_mode_above_ceiling' })
  })

  it.each<[string, string, Record<string, string>]>([
    ['prompt that is detached', 'prompt', { prefer: 'respond-async' }],
    ['prompt with an idempotency key', 'prompt', { 'idempotency-key': 'one' }],
    ['batch with an idempotency key', 'parallel', { 'idempotency-key': 'one' }],
  ])('refuses a %s at once', async (_name, path, headers) => {
    const server = await startServer({ server: CEILINGS })
    const above = { ...prompt, dry_run: false, sandbox_mode: 'full' }
    const answer = await post(server, `/api/v1/${path}`, path === 'prompt' ? above : { tasks: [above] }, headers)
    expect([answer.status, answer.body]).toMatchObject([400, { error: 'sandbox_mode_above_ceiling' }])
  })

  it('runs a prompt at the ceilings', async () => {
    const server = await startServer({ server: CEILINGS })
    const answer = await post(server, '/api/v1/prompt', { ...prompt, approval_mode: 'auto', sandbox_mode: 'workspace' })
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('permissions.drover-workspace=')])
  })

  it('refuses a resumed session above them, and lowers the modes that it was started with', async () => {
    const server = await startServer({ server: CEILINGS })
    const resume = `/api/v1/sessions/${await storeSession(server)}/resume`
    for (const fork of [false, true]) {
      const above = await post(server, resume, { prompt: 'x', fork, dry_run: true, sandbox_mode: 'full' })
      expect([above.status, above.body]).toMatchObject([400, { error: 'sandbox_mode_above_ceiling' }])
      const { body } = await post(server, resume, { prompt: 'x', fork, dry_run: true })
      expect(body).toMatchObject({
        output: expect.stringContaining('permissions.drover-workspace='),
        warnings: expect.arrayContaining([
          'approval_mode is auto for this turn; the session was started with none',
          'sandbox_mode is workspace for this turn; the session was started with full',
        ]),
      })
    }
  })

  it.each<[string, string, (body: unknown) => string, object]>([
    ['prompt', '/api/v1/prompt', (body) => (body as { output: string }).output, { backend: 'codex', prompt: 'x' }],
    [
      'comparison',
      '/api/v1/compare',
      (body) => (body as { results: { output: string }[] }).results[0]?.output ?? '',
      { backends: ['codex'], prompt: 'x' },
    ],
    [
      'chat completion',
      '/openai/v1/chat/completions',
      (body) => (body as { choices: { message: { content: string } }[] }).choices[0]?.message.content ?? '',
      { model: 'codex', messages },
    ],
    [
      'message',
      '/anthropic/v1/messages',
      (body) => (body as { content: { text: string }[] }).content[0]?.text ?? '',
      { model: 'codex', max_tokens: 9, messages },
    ],
    [
      'chat completion without a prefix',
      '/v1/chat/completions',
      (body) => (body as { choices: { message: { content: string } }[] }).choices[0]?.message.content ?? '',
      { model: 'codex', messages },
    ],
  ])('lowers the configured modes of a %s', async (_name, path, outputOf, body) => {
    const flags = { dry_run: true, approval_mode: 'none', sandbox_mode: 'full' }
    const lowered = await startServer({ server: CEILINGS, config: { unified_flags: flags } })
    expect(outputOf((await post(lowered, path, body)).body)).toContain('permissions.drover-workspace=')
    const free = await startServer({ config: { unified_flags: flags } })
    expect(outputOf((await post(free, path, body)).body)).toContain('-s danger-full-access')
  })

  it.each([
    ['chat completion', '/openai/v1/chat/completions', { model: 'codex', messages }],
    ['message', '/anthropic/v1/messages', { model: 'codex', max_tokens: 9, messages }],
  ])('lowers the modes of a session that a %s continues', async (_name, path, body) => {
    const server = await startServer({ server: CEILINGS, config: { unified_flags: { dry_run: true } } })
    const headers = { 'x-drover-session': await storeSession(server) }
    expect((await post(server, path, body, headers)).text).toContain('permissions.drover-workspace=')
  })

  it.each([
    ['chat completion', '/openai/v1/chat/completions', { model: 'codex', messages }],
    ['message', '/anthropic/v1/messages', { model: 'codex', max_tokens: 9, messages }],
  ])('refuses the unsafe arguments of a session that a %s continues', async (_name, path, body) => {
    const server = await startServer({ server: { ...CEILINGS, allow_unsafe_extra: true } })
    const headers = { 'x-drover-session': await storeSession(server, ['--yolo']) }
    const answer = await post(server, path, body, headers)
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(/extra.above.ceiling/)])
  })

  it('refuses unsafe arguments although server.allow_unsafe_extra is set', async () => {
    const unsafe = { ...prompt, extra: ['--dangerously-bypass-approvals-and-sandbox'] }
    const server = await startServer({ server: { ...CEILINGS, allow_unsafe_extra: true } })
    const alone = await post(server, '/api/v1/prompt', unsafe)
    const details = { field: '$.extra', setting: 'server.max_sandbox_mode' }
    expect([alone.status, alone.body]).toMatchObject([400, { error: 'extra_above_ceiling', details }])
    const batch = await post(server, '/api/v1/parallel', { tasks: [prompt, unsafe] })
    expect([batch.status, batch.body]).toMatchObject([400, { details: { field: '$.tasks[1].extra' } }])
    const free = await startServer({ server: { allow_unsafe_extra: true } })
    expect((await post(free, '/api/v1/prompt', unsafe)).status).toBe(200)
  })

  it('starts the agents of every request without the settings of the project', async () => {
    const ways: [string, object][] = [
      ['/api/v1/prompt', { backend: 'claude', prompt: 'x' }],
      ['/api/v1/parallel', { tasks: [{ backend: 'claude', prompt: 'x' }] }],
      ['/api/v1/chain', { steps: [{ backend: 'claude', prompt: 'x' }] }],
      ['/api/v1/compare', { backends: ['claude'], prompt: 'x' }],
      ['/openai/v1/chat/completions', { model: 'claude', messages }],
      ['/openai/v1/responses', { model: 'claude', input: 'x' }],
      ['/anthropic/v1/messages', { model: 'claude', max_tokens: 9, messages }],
    ]
    const config = { unified_flags: { dry_run: true } }
    const limited = await startServer({ server: { max_approval_mode: 'auto' }, config })
    const free = await startServer({ server: { max_approval_mode: 'none', max_sandbox_mode: 'full' }, config })
    for (const [path, body] of ways) {
      expect((await post(limited, path, body)).text, path).toContain('--setting-sources= --settings')
      expect((await post(free, path, body)).text, path).toMatch(/claude -p (?!.*--setting-sources)/)
    }
  })

  it('leaves out configured flags that would override them', async () => {
    const config = { backends: { codex: { extra_flags: ['--yolo', '--strict-config'] } } }
    const server = await startServer({ server: CEILINGS, config })
    const { text } = await post(server, '/api/v1/prompt', prompt)
    expect([text.includes('--yolo'), text.includes('--strict-config')]).toEqual([false, true])
  })
})

describe('ceilings of keys', () => {
  it('replace those of the server', async () => {
    const keys = [
      { name: 'plain', sha256: sha256('plain') },
      { name: 'low', sha256: sha256('low'), max_sandbox_mode: 'read-only' },
      { name: 'high', sha256: sha256('high'), max_approval_mode: 'none', max_sandbox_mode: 'full' },
    ]
    const server = await startServer({ server: { ...CEILINGS, keys } })
    const ask = async (key: string, mode: string) =>
      await post(server, '/api/v1/prompt', { ...prompt, sandbox_mode: mode }, { 'x-api-key': key })
    const statuses = async (key: string) => [
      (await ask(key, 'read-only')).status,
      (await ask(key, 'workspace')).status,
      (await ask(key, 'full')).status,
    ]
    expect(await statuses('plain')).toEqual([200, 200, 400])
    expect(await statuses('low')).toEqual([200, 400, 400])
    expect(await statuses('high')).toEqual([200, 200, 200])
    expect((await ask('low', 'full')).body).toMatchObject({
      message:
        '$.sandbox_mode is full, but max_sandbox_mode of the key low allows at most read-only; ask for less, or remove the field',
    })
  })
})

describe('a server that others can reach', () => {
  it.each<[string, ServerOptions, number, string]>([
    ['refuses to write without keys', {}, 400, 'permissions.drover-read-only='],
    ['writes without keys if the config says so', { server: { max_sandbox_mode: 'full' } }, 200, '-s workspace-write'],
    ['writes with keys', { env: { DROVER_API_KEYS: 'secret' } }, 200, '-s workspace-write'],
  ])('%s', async (_name, options, status, byDefault) => {
    const config = { unified_flags: { approval_mode: 'auto' } }
    const server = await startServer({ ...options, config, host: '0.0.0.0' })
    const headers = { 'x-api-key': 'secret' }
    expect((await post(server, '/api/v1/prompt', { ...prompt, sandbox_mode: 'full' }, headers)).status).toBe(status)
    expect((await post(server, '/api/v1/prompt', prompt, headers)).text).toContain(byDefault)
  })

  it('is not one on a Unix socket', async () => {
    const server = await startServer({ isOnSocket: true })
    expect((await post(server, '/api/v1/prompt', { ...prompt, sandbox_mode: 'full' })).status).toBe(200)
  })
})
