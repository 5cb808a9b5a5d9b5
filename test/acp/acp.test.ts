/** `drover acp`, driven by the client of the protocol's own SDK. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { methods } from '@agentclientprotocol/sdk'
import { describe, expect, it } from 'vitest'
import type { AcpStep } from '../fake-agent/acp-script.ts'
import { installAcpAgent } from '../support/acp-agent.ts'
import { createUser, openEditor, openEditorHere } from '../support/acp-editor.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { DROVER, runAt, temporaryDirectory } from '../support/run-drover.ts'
import { isRunning } from '../support/test-command.ts'
import { until } from '../support/until.ts'

describe('an editor', () => {
  it('opens a session, chooses the agent and its permissions, and gets an answer', async () => {
    const user = createUser()
    const { started, create, prompt, agent, updates, texts } = await openEditor(user)
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
    // Another agent continues the conversation.
    expect(await set('backend', 'codex')).toMatchObject({ configOptions: [{ currentValue: 'codex' }, {}] })
    expect(await prompt(sessionId, { say: 'second answer' })).toMatchObject({ stopReason: 'end_turn' })
    const { stdout } = await runAt(user.work, [process.execPath, DROVER, 'sessions', 'list', '--json'], user.env)
    const { sessions } = JSON.parse(stdout)
    expect(sessions.map(({ backend }: { backend: string }) => backend).sort()).toEqual(['claude', 'codex'])
    expect(sessions.map(({ id }: { id: string }) => id)).toContain(sessionId)
    await expect(set('backend', 'nope')).rejects.toThrow(/choose one of claude, codex/)
    await expect(set('colour', 'red')).rejects.toThrow(/choose one of backend, mode/)
  })

  it('gets an agent without the settings of the project under a ceiling', async () => {
    const config = { server: { max_sandbox_mode: 'workspace' }, unified_flags: { dry_run: true } }
    const { create, prompt, texts } = await openEditor(createUser(config))
    await prompt((await create()).sessionId, 'x')
    expect(texts()).toContain('--setting-sources=')
  })

  it('gets an agent that cannot read the files of drover under a ceiling', async () => {
    const config = {
      default_backend: 'codex',
      server: { max_sandbox_mode: 'read-only' },
      unified_flags: { dry_run: true },
    }
    const { create, prompt, texts } = await openEditor(createUser(config))
    await prompt((await create()).sessionId, 'x')
    expect(texts()).toContain('permissions.drover-read-only={extends=')
  })

  it('names further directories, which replace those of before when it opens a session again', async () => {
    const user = createUser()
    const directories = ['one', 'two'].map((name) => join(user.home, name))
    for (const directory of directories) mkdirSync(directory)
    const first = await openEditorHere(user)
    const capabilities = first.started.agentCapabilities?.sessionCapabilities
    expect(capabilities).toMatchObject({ additionalDirectories: {} })
    const place = { cwd: user.work, mcpServers: [] }
    const create = (additionalDirectories: string[]) =>
      first.agent.request(methods.agent.session.new, { ...place, additionalDirectories })
    await expect(create([join(user.home, 'three')])).rejects.toThrow(/does not exist/)
    const { sessionId } = await create(directories.slice(0, 1))
    await first.prompt(sessionId, { say: 'hello' })
    const { sessions } = await first.agent.request(methods.agent.session.list, {})
    expect(sessions.map(({ additionalDirectories }) => additionalDirectories)).toEqual([directories.slice(0, 1)])
    first.end()
    await first.ended
    user.configure({ unified_flags: { dry_run: true } })
    const { agent, prompt, updates, texts } = await openEditorHere(user)
    const added = async () => {
      updates.length = 0
      await prompt(sessionId, 'x')
      return texts().match(/--add-dir \S+/g) ?? []
    }
    await agent.request(methods.agent.session.load, { ...place, sessionId, additionalDirectories: directories })
    expect(await added()).toEqual(directories.map((each) => `--add-dir ${each}`))
    await agent.request(methods.agent.session.resume, { ...place, sessionId })
    expect(await added()).toEqual([])
  })

  it.runIf(IS_FULL)('reads the same warning on standard error once, and in each answer', async () => {
    const user = createUser()
    const { create, prompt, stderr, child, ended } = await openEditor(user, ['--demo', '-b', 'gemini'])
    const { sessionId } = await create()
    const warned = { _meta: { drover: { warnings: [expect.stringContaining('approval_mode')] } } }
    expect(await prompt(sessionId, 'one')).toMatchObject(warned)
    expect(await prompt(sessionId, 'two')).toMatchObject(warned)
    child.stdin?.end()
    await ended
    expect(stderr().match(/approval_mode/g)).toHaveLength(1)
  })

  it('in an agent that is too deep gets an error for its prompt', async () => {
    const { create, prompt } = await openEditor(createUser({}, { DROVER_DEPTH: '2' }))
    await expect(prompt((await create()).sessionId, { say: 'x' })).rejects.toThrow(
      /drover was called at nesting depth 2/,
    )
  })

  it('decides about what the agent asks for, and the record says so', async () => {
    const user = createUser({ executions: { keep: 'events' } })
    const { create, prompt, asked, answers, updates } = await openEditor(user)
    const { sessionId } = await create()
    answers.push({ outcome: 'selected', optionId: 'allow' }, { outcome: 'selected', optionId: 'deny' })
    const outputs = () => JSON.stringify(updates.filter(({ sessionUpdate }) => sessionUpdate === 'tool_call_update'))
    await prompt(sessionId, { ask: 'Bash' })
    expect(asked[0]).toMatchObject({
      toolCall: { kind: 'execute', status: 'pending', rawInput: { command: 'echo asked' } },
    })
    expect(asked[0]?.options.map(({ kind }) => kind)).toEqual(['allow_once', 'reject_once'])
    expect(outputs()).toMatch(/behavior.*allow/)
    const command = `${'x '.repeat(5000)}\u202e LAST`
    await prompt(sessionId, { ask: 'Bash', input: { command, host: 'prod' } })
    expect(outputs()).toMatch(/behavior.*deny/)
    // The editor gets all of it, in what it shows too.
    const shown = ['title', 'content'].map((field) => JSON.stringify(asked[1]?.toolCall[field]))
    expect(shown.map((text) => [text.includes('LAST'), text.includes('\\\\u202e')])).toEqual([
      [true, true],
      [true, true],
    ])
    expect(shown[1]).toContain('prod')
    const ids = updates.filter(({ sessionUpdate }) => sessionUpdate === 'tool_call').map(({ toolCallId }) => toolCallId)
    expect(new Set(ids).size).toBe(ids.length)
    const { stdout } = await runAt(user.work, [process.execPath, DROVER, 'sessions', 'export', sessionId], user.env)
    const by = { via: 'editor', name: userInfo().username }
    const { turns } = JSON.parse(stdout).sessions[0]
    expect(turns).toMatchObject([
      { approvals: [{ command: 'echo asked', decision: 'allow', by }] },
      { approvals: [{ decision: 'deny', by }] },
    ])
  })

  it.runIf(IS_FULL)('cancels a prompt, and sends another one', async () => {
    const { create, prompt, agent, texts } = await openEditor(createUser())
    const { sessionId } = await create()
    const hanging = prompt(sessionId, { say: 'begun', hang: true })
    await until(() => texts().includes('begun'))
    await expect(prompt(sessionId, { say: 'x' })).rejects.toThrow(/still running/)
    await agent.notify(methods.agent.session.cancel, { sessionId })
    expect(await hanging).toMatchObject({ stopReason: 'cancelled' })
    expect(await prompt(sessionId, { say: 'after it' })).toMatchObject({ stopReason: 'end_turn' })
    expect(texts()).toContain('after it')
  })

  it('loads a session in a new process, with its history, lists, resumes, closes and deletes it', async () => {
    const user = createUser()
    const first = await openEditor(user)
    const { sessionId } = await first.create()
    await first.prompt(sessionId, { say: 'the answer' })
    first.child.stdin.end()
    expect(await first.ended).toBe(0)
    const { agent, updates, texts, prompt } = await openEditor(user)
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
    expect(await agent.request(methods.agent.session.delete, { sessionId })).toEqual({})
  })
})

describe('an editor of an agent that speaks ACP', () => {
  async function openFake(steps: readonly AcpStep[]) {
    const fake = { protocol: 'acp', command: [installAcpAgent(temporaryDirectory(), { steps: [...steps] })] }
    const editor = await openEditorHere(createUser({ backends: { fake } }))
    const { sessionId } = await editor.create()
    await editor.agent.request(methods.agent.session.setConfigOption, { sessionId, configId: 'backend', value: 'fake' })
    return { ...editor, sessionId }
  }

  it.runIf(IS_FULL)('learns how full the context is, and what all turns of the session cost', async () => {
    const cost = { amount: 0.2, currency: 'USD' }
    const usage = { sessionUpdate: 'usage_update', used: 900, size: 1000, cost }
    const { prompt, sessionId, updates } = await openFake([{ update: usage }, { say: 'done' }])
    for (const amount of [0.2, 0.4]) {
      await prompt(sessionId, 'go')
      expect(updates.at(-1)).toEqual({ ...usage, cost: { ...cost, amount } })
    }
  })

  it.runIf(IS_FULL)('closes the dialog about what the agent takes back', async () => {
    const takesBackAt = join(temporaryDirectory(), 'take-back')
    const toolCall = { toolCallId: 't', kind: 'execute', title: 'make', rawInput: { command: 'make' } }
    const options = [{ optionId: 'yes', kind: 'allow_once' }]
    const { prompt, sessionId, answers, texts } = await openFake([
      { ask: { toolCall, options }, takesBackAt },
      { say: 'done' },
    ])
    const closed = Promise.withResolvers<{ outcome: 'cancelled' }>()
    answers.push((isOver) => {
      isOver.addEventListener('abort', () => closed.resolve({ outcome: 'cancelled' }))
      writeFileSync(takesBackAt, '')
      return closed.promise
    })
    await prompt(sessionId, 'go')
    await closed.promise
    expect(texts()).toContain('done')
  })
})

describe('drover acp', () => {
  it('refuses what it cannot do, and continues', async () => {
    const user = createUser({
      server: { blocked_workdir_prefixes: ['/usr'] },
      backends: { gemini: { enabled: false } },
    })
    const { agent, create, stderr, child } = await openEditor(user)
    const { sessionId } = await create()
    // A session without a prompt is not stored, but open.
    const place = { sessionId, cwd: user.work, mcpServers: [] }
    expect(await agent.request(methods.agent.session.load, place)).toMatchObject({ modes: { currentModeId: 'ask' } })
    const invalid = agent.request('session/prompt', { sessionId, content: [] })
    await expect(invalid).rejects.toThrow(/\$\.prompt is required/)
    const newIn = (cwd: string, mcpServers: object[] = []) =>
      agent.request(methods.agent.session.new, { cwd, mcpServers: mcpServers as never })
    await expect(newIn('/usr/lib')).rejects.toThrow(/\/usr\/lib is blocked for agents/)
    await expect(newIn('work')).rejects.toThrow(/absolute/)
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const
    const sendImage = agent.request(methods.agent.session.prompt, { sessionId, prompt: [image] })
    await expect(sendImage).rejects.toThrow(/number 1 is neither a PNG/)
    const sound = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' } as const
    const sendSound = agent.request(methods.agent.session.prompt, { sessionId, prompt: [sound] })
    await expect(sendSound).rejects.toThrow(/does not accept content of type audio/)
    await expect(agent.request('session/no_such_method', {})).rejects.toThrow(/no such method/)
    child.stdin.write('not JSON\n')
    await newIn(user.work, [{ name: 'x', command: '/bin/x', args: [], env: [] }])
    await until(() => stderr().includes('MCP servers of the editor are not passed on'))
    expect(stderr()).toContain('a line that is not a JSON object was skipped')
  })

  it.runIf(IS_FULL)('is a backend of another drover', async () => {
    const user = createUser({ backends: { inner: { protocol: 'acp', command: [process.execPath, DROVER, 'acp'] } } })
    const prompt = ['prompt', '-b', 'inner', JSON.stringify({ say: 'from inside' }), '-o', 'json']
    const { code, stdout, stderr } = await runAt(user.work, [process.execPath, DROVER, ...prompt], user.env)
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ backend: 'inner', output: 'from inside' })
  })

  it.runIf(IS_FULL)('reports an agent that is missing as an error', async () => {
    const user = createUser({ default_backend: 'gemini' })
    const { create, prompt } = await openEditor(user)
    const { sessionId } = await create()
    await expect(prompt(sessionId, 'hello')).rejects.toThrow(/gemini/)
  })

  it.each(firstOf(['SIGTERM', 'the end of its input']))(
    'ends on %s with the session stored and the agent gone',
    async (how) => {
      const user = createUser()
      const { create, prompt, child, ended, texts } = await openEditor(user)
      const { sessionId } = await create()
      const hanging = prompt(sessionId, { say: 'begun', pid: true, hang: true }).catch(() => undefined)
      await until(() => /\d+/.test(texts()))
      const pid = Number(texts())
      expect(isRunning(pid)).toBe(true)
      if (how === 'SIGTERM') child.kill('SIGTERM')
      else child.stdin.end()
      expect(await ended).toBe(how === 'SIGTERM' ? 143 : 0)
      await hanging
      expect(isRunning(pid)).toBe(false)
      const { stdout } = await runAt(
        user.work,
        [process.execPath, DROVER, 'sessions', 'show', sessionId, '--json'],
        user.env,
      )
      expect(JSON.parse(stdout)).toMatchObject({ id: sessionId, status: 'paused' })
    },
  )
})
