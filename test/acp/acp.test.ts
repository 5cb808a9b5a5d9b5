/** `drover acp`, driven by the client of the protocol's own SDK. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { client, methods, ndJsonStream } from '@agentclientprotocol/sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DROVER, runAt, temporaryDirectory } from '../support/run-drover.ts'
import { until } from '../support/until.ts'
import { installWarmAgents } from '../support/warm-agents.ts'

type Update = { sessionUpdate: string; [field: string]: unknown }
type Answer = { outcome: 'cancelled' } | { outcome: 'selected'; optionId: string }

/** A user with scripted claude and codex. A prompt is an order for them: `{"say": "text"}`. */
function createUser(config: object = {}, variables: Record<string, string> = {}) {
  const home = temporaryDirectory()
  const work = join(home, 'work')
  mkdirSync(work)
  mkdirSync(join(home, '.drover'))
  writeFileSync(join(home, '.drover', 'config.yaml'), JSON.stringify(config))
  const env = { HOME: home, PATH: `${installWarmAgents(join(home, 'bin'))}:/usr/bin:/bin`, ...variables }
  return { home, work, env }
}

type User = ReturnType<typeof createUser>

/** Starts drover as an editor does, and connects the client of the SDK. */
async function open({ work, env }: User, args: readonly string[] = []) {
  const child = spawn(process.execPath, [DROVER, 'acp', ...args], { cwd: work, env, stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const updates: Update[] = []
  const asked: { toolCall: Update; options: { optionId: string; kind: string }[] }[] = []
  const answers: Answer[] = []
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  )
  const connection = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update as Update))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params as never)
      return { outcome: answers.shift() ?? { outcome: 'cancelled' } }
    })
    .connect(stream)
  onTestFinished(() => endChild(child, ended))
  const { agent } = connection
  const started = await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} })
  const create = () => agent.request(methods.agent.session.new, { cwd: work, mcpServers: [] })
  const prompt = (sessionId: string, order: unknown) =>
    agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: 'text', text: typeof order === 'string' ? order : JSON.stringify(order) }],
    })
  const texts = (kind = 'agent_message_chunk') =>
    updates
      .filter(({ sessionUpdate }) => sessionUpdate === kind)
      .map(({ content }) => (content as { text: string }).text)
      .join('')
  return { child, ended, agent, started, create, prompt, updates, asked, answers, texts, stderr: () => stderr }
}

async function endChild(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.stdin?.end()
  await ended
}

describe('an editor', () => {
  it('opens a session, chooses the agent and its permissions, and gets an answer', async () => {
    const user = createUser()
    const { started, create, prompt, agent, updates, texts } = await open(user)
    expect(started).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'drover' },
      agentCapabilities: { loadSession: true },
    })
    const session = await create()
    expect(session).toMatchObject({ modes: { currentModeId: 'ask' } })
    expect(session.configOptions?.map(({ id, currentValue }) => [id, currentValue])).toEqual([
      ['backend', 'claude'],
      ['mode', 'ask'],
    ])
    const { sessionId } = session
    const set = (configId: string, value: string) =>
      agent.request(methods.agent.session.setConfigOption, { sessionId, configId, value })
    await set('mode', 'edit')
    expect(updates.at(-1)).toEqual({ sessionUpdate: 'current_mode_update', currentModeId: 'edit' })
    await agent.request(methods.agent.session.setMode, { sessionId, modeId: 'full' })
    expect(updates.at(-1)).toMatchObject({ sessionUpdate: 'config_option_update' })
    expect(await prompt(sessionId, { say: 'first answer' })).toMatchObject({
      stopReason: 'end_turn',
      usage: { outputTokens: expect.any(Number) },
    })
    expect(texts()).toContain('first answer')
    // Another agent goes on with the conversation.
    expect(await set('backend', 'codex')).toMatchObject({ configOptions: [{ currentValue: 'codex' }, {}] })
    expect(await prompt(sessionId, { say: 'second answer' })).toMatchObject({ stopReason: 'end_turn' })
    const { stdout } = await runAt(user.work, [process.execPath, DROVER, 'sessions', 'list', '--json'], user.env)
    const { sessions } = JSON.parse(stdout)
    expect(sessions.map(({ backend }: { backend: string }) => backend).sort()).toEqual(['claude', 'codex'])
    expect(sessions.map(({ id }: { id: string }) => id)).toContain(sessionId)
    await expect(set('backend', 'nope')).rejects.toThrow(/choose one of claude, codex/)
    await expect(set('colour', 'red')).rejects.toThrow(/choose one of backend, mode/)
  })

  it('in an agent that is too deep gets an error for its prompt', async () => {
    const { create, prompt } = await open(createUser({}, { DROVER_DEPTH: '2' }))
    await expect(prompt((await create()).sessionId, { say: 'x' })).rejects.toThrow(/drover is called at depth 2/)
  })

  it('decides about what the agent asks for', async () => {
    const { create, prompt, asked, answers, updates } = await open(createUser())
    const { sessionId } = await create()
    answers.push({ outcome: 'selected', optionId: 'allow' }, { outcome: 'selected', optionId: 'deny' })
    const outputs = () => JSON.stringify(updates.filter(({ sessionUpdate }) => sessionUpdate === 'tool_call_update'))
    await prompt(sessionId, { ask: 'Bash' })
    expect(asked[0]).toMatchObject({
      toolCall: { kind: 'execute', status: 'pending', rawInput: { command: 'echo asked' } },
    })
    expect(asked[0]?.options.map(({ kind }) => kind)).toEqual(['allow_once', 'reject_once'])
    expect(outputs()).toMatch(/behavior.*allow/)
    await prompt(sessionId, { ask: 'Bash' })
    expect(outputs()).toMatch(/behavior.*deny/)
    const ids = updates.filter(({ sessionUpdate }) => sessionUpdate === 'tool_call').map(({ toolCallId }) => toolCallId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('cancels a prompt, and sends another one', async () => {
    const { create, prompt, agent, texts } = await open(createUser())
    const { sessionId } = await create()
    const hanging = prompt(sessionId, { say: 'begun', hang: true })
    await until(() => texts().includes('begun'))
    await expect(prompt(sessionId, { say: 'x' })).rejects.toThrow(/still runs/)
    await agent.notify(methods.agent.session.cancel, { sessionId })
    expect(await hanging).toMatchObject({ stopReason: 'cancelled' })
    expect(await prompt(sessionId, { say: 'after it' })).toMatchObject({ stopReason: 'end_turn' })
    expect(texts()).toContain('after it')
  })

  it('loads a session in a new process, with its history, lists, resumes, closes and deletes it', async () => {
    const user = createUser()
    const first = await open(user)
    const { sessionId } = await first.create()
    await first.prompt(sessionId, { say: 'the answer' })
    first.child.stdin.end()
    expect(await first.ended).toBe(0)
    const { agent, updates, texts, prompt } = await open(user)
    const place = { sessionId, cwd: user.work, mcpServers: [] }
    expect(await agent.request(methods.agent.session.load, place)).toMatchObject({ modes: { currentModeId: 'ask' } })
    expect([texts('user_message_chunk'), texts()]).toEqual([
      '{"say":"the answer"}',
      expect.stringContaining('the answer'),
    ])
    const replayed = updates.length
    const listed = await agent.request(methods.agent.session.list, { cwd: user.work })
    expect(listed.sessions).toMatchObject([{ sessionId, cwd: user.work, title: '{"say":"the answer"}' }])
    await agent.request(methods.agent.session.resume, place)
    expect(updates.length).toBe(replayed)
    await prompt(sessionId, { say: 'again' })
    const { stdout } = await runAt(
      user.work,
      [process.execPath, DROVER, 'sessions', 'show', sessionId, '--json'],
      user.env,
    )
    expect(JSON.parse(stdout)).toMatchObject({ id: sessionId, turn_count: 2 })
    await agent.request(methods.agent.session.close, { sessionId })
    await expect(prompt(sessionId, { say: 'x' })).rejects.toThrow(/is not open/)
    await agent.request(methods.agent.session.delete, { sessionId })
    await expect(agent.request(methods.agent.session.load, place)).rejects.toThrow(/no session/)
  })
})

describe('drover acp', () => {
  it('refuses what it cannot do, and goes on', async () => {
    const user = createUser({
      server: { blocked_workdir_prefixes: ['/usr'] },
      backends: { gemini: { enabled: false } },
    })
    const { agent, create, stderr, child } = await open(user)
    const { sessionId } = await create()
    const newIn = (cwd: string, mcpServers: object[] = []) =>
      agent.request(methods.agent.session.new, { cwd, mcpServers: mcpServers as never })
    await expect(newIn('/usr/lib')).rejects.toThrow(/is in \/usr\/lib, which is blocked/)
    await expect(newIn('work')).rejects.toThrow(/absolute/)
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const
    await expect(agent.request(methods.agent.session.prompt, { sessionId, prompt: [image] })).rejects.toThrow(/image/)
    await expect(agent.request('session/no_such_method', {})).rejects.toThrow(/no such method/)
    child.stdin.write('not JSON\n')
    await newIn(user.work, [{ name: 'x', command: '/bin/x', args: [], env: [] }])
    await until(() => stderr().includes('MCP servers of the editor are not passed on'))
    expect(stderr()).toContain('a line that is not a JSON object was skipped')
  })

  it('reports an agent that is missing as an error', async () => {
    const user = createUser({ default_backend: 'gemini' })
    const { create, prompt } = await open(user)
    const { sessionId } = await create()
    await expect(prompt(sessionId, 'hello')).rejects.toThrow(/gemini/)
  })

  it.each(['SIGTERM', 'the end of its input'])('ends on %s with the session stored and the agent gone', async (how) => {
    const user = createUser()
    const { create, prompt, child, ended, texts } = await open(user)
    const { sessionId } = await create()
    const hanging = prompt(sessionId, { say: 'begun', pid: true, hang: true }).catch(() => undefined)
    await until(() => /\d+/.test(texts()))
    if (how === 'SIGTERM') child.kill('SIGTERM')
    else child.stdin.end()
    expect(await ended).toBe(how === 'SIGTERM' ? 143 : 0)
    await hanging
    const { stdout } = await runAt(
      user.work,
      [process.execPath, DROVER, 'sessions', 'show', sessionId, '--json'],
      user.env,
    )
    expect(JSON.parse(stdout)).toMatchObject({ id: sessionId, status: 'paused' })
  })
})
