/** What `drover acp` does not do, whatever an editor sends. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type ListSessionsRequest, methods } from '@agentclientprotocol/sdk'
import { describe, expect, it } from 'vitest'
import { createUser, openEditorHere } from '../support/acp-editor.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { newSession, openStore } from '../support/session-store.ts'
import { until } from '../support/until.ts'

type Editor = Awaited<ReturnType<typeof openEditorHere>>

const { session } = methods.agent
const NOT_FOUND = -32_002
const INVALID = -32_602
const INTERNAL = -32_603

const storeOf = ({ home }: { home: string }) => join(home, '.drover', 'sessions.db')

/** The code of the error that a request is refused with. */
async function codeOf(request: Promise<unknown>): Promise<unknown> {
  return await request.then(
    () => 'it was not refused',
    (error) => error.code,
  )
}

const toolOutput = ({ updates }: Editor) =>
  JSON.stringify(updates.findLast(({ sessionUpdate }) => sessionUpdate === 'tool_call_update'))

describe('a question of the agent', () => {
  const deny = async (editor: Editor, sessionId: string, answer: unknown) => {
    editor.answers.push(answer as never)
    await editor.prompt(sessionId, { ask: 'Bash' })
    return toolOutput(editor)
  }

  it.runIf(IS_FULL)('comes from the demo agent too, if the prompt says so', async () => {
    const user = createUser({}, { DEMO_AGENT_WORD_MS: '0', PATH: '/usr/bin:/bin' })
    const { create, prompt, texts, answers, asked } = await openEditorHere(user, ['--demo'])
    const { sessionId } = await create()
    answers.push(
      { outcome: 'selected', optionId: 'allow' } as never,
      { outcome: 'selected', optionId: 'deny' } as never,
    )
    await prompt(sessionId, 'please ask for permission')
    expect(texts()).toContain('The command was permitted')
    await prompt(sessionId, 'please ask for permission')
    expect(texts()).toContain('The command was not permitted')
    expect(asked).toHaveLength(2)
  })

  it('is denied unless the editor selects an option that allows and that it was offered', async () => {
    const editor = await openEditorHere(createUser())
    const { sessionId } = await editor.create()
    for (const answer of [
      { outcome: 'cancelled' },
      { outcome: 'cancelled', optionId: 'allow' },
      { outcome: 'selected', optionId: 'deny' },
      { outcome: 'selected', optionId: 'nonsense' },
      { outcome: 'selected', optionId: 'allow_session' },
      { outcome: 'selected' },
      {},
    ]) {
      expect([answer, await deny(editor, sessionId, answer)]).toEqual([answer, expect.stringMatching(/behavior.*deny/)])
    }
    expect(editor.asked.map(({ options }) => options.map(({ optionId }) => optionId))).toEqual(
      Array.from({ length: 7 }, () => ['allow', 'deny']),
    )
    const noDialog = () => Promise.reject(new Error('no dialog'))
    expect(await deny(editor, sessionId, noDialog)).toMatch(/behavior.*deny.*request_permission with error -32603/)
    expect(await deny(editor, sessionId, { outcome: 'selected', optionId: 'allow' })).toMatch(/behavior.*allow/)
  })

  it('is over when the editor cancels the prompt', async () => {
    const { create, prompt, asked, answers, agent } = await openEditorHere(createUser())
    const { sessionId } = await create()
    const answered = Promise.withResolvers<{ outcome: 'selected'; optionId: string }>()
    answers.push(() => answered.promise)
    const running = prompt(sessionId, { ask: 'Bash' })
    await until(() => asked.length === 1)
    await agent.notify(session.cancel, { sessionId })
    expect(await running).toMatchObject({ stopReason: 'cancelled' })
    answered.resolve({ outcome: 'selected', optionId: 'allow' })
  })

  it('is over when the editor cancels its request', async () => {
    const { create, prompt, asked, answers, agent } = await openEditorHere(createUser())
    const { sessionId } = await create()
    const question = Promise.withResolvers<{ outcome: 'cancelled' }>()
    answers.push(() => question.promise)
    const cancel = new AbortController()
    const text = JSON.stringify({ ask: 'Bash' })
    const running = agent.request(
      session.prompt,
      { sessionId, prompt: [{ type: 'text', text }] },
      { cancellationSignal: cancel.signal },
    )
    await until(() => asked.length === 1)
    cancel.abort()
    expect(await running).toMatchObject({ stopReason: 'cancelled' })
    question.resolve({ outcome: 'cancelled' })
    expect(await prompt(sessionId, { say: 'next' })).toMatchObject({ stopReason: 'end_turn' })
  })

  it.each([
    ['ask', /--permission-mode default/],
    ['edit', /--permission-mode acceptEdits/],
    ['full', /--permission-mode bypassPermissions/],
    ['read-only', /--disallowedTools/],
  ])('comes in the mode that the user has chosen: %s', async (mode, flags) => {
    const { create, agent, prompt, texts } = await openEditorHere(createUser({ unified_flags: { dry_run: true } }))
    const { sessionId } = await create()
    await agent.request(session.setConfigOption, { sessionId, configId: 'mode', value: mode })
    await prompt(sessionId, 'x')
    expect(texts()).toMatch(flags)
    expect(texts()).toContain('--include-partial-messages')
  })
})

describe('limits of the settings', () => {
  it('hold for an editor, whatever mode it chooses', async () => {
    const { create, agent, prompt } = await openEditorHere(createUser({ server: { max_approval_mode: 'auto' } }))
    const { sessionId } = await create()
    await agent.request(session.setMode, { sessionId, modeId: 'full' })
    await expect(prompt(sessionId, { say: 'x' })).rejects.toThrow(/server.max_approval_mode allows at most auto/)
    await agent.request(session.setMode, { sessionId, modeId: 'edit' })
    expect(await prompt(sessionId, { say: 'x' })).toMatchObject({ stopReason: 'end_turn' })
  })

  it('hold for a session that was started before them', async () => {
    const user = createUser()
    const first = await openEditorHere(user)
    const { sessionId } = await first.create()
    await first.prompt(sessionId, { say: 'one' })
    first.end()
    await first.ended
    user.configure({ server: { blocked_workdir_prefixes: [user.work] } })
    const { agent } = await openEditorHere(user)
    const elsewhere = { sessionId, cwd: user.home, mcpServers: [] }
    await expect(agent.request(session.load, elsewhere)).rejects.toThrow(/blocked for agents/)
    await expect(agent.request(session.resume, elsewhere)).rejects.toThrow(/blocked for agents/)
    await expect(agent.request(session.list, { cwd: user.work })).rejects.toThrow(/blocked for agents/)
  })

  it.runIf(IS_FULL)('choose the first mode: a user who has chosen one is not asked', async () => {
    const { create } = await openEditorHere(createUser({ unified_flags: { sandbox_mode: 'read-only' } }))
    expect(await create()).toMatchObject({ modes: { currentModeId: 'default' } })
  })
})

describe('a session', () => {
  it('stays in its directory, wherever an editor opens it', async () => {
    const user = createUser()
    const editor = await openEditorHere(user)
    const { sessionId } = await editor.create()
    await editor.prompt(sessionId, { say: 'one' })
    mkdirSync(join(user.home, 'other'))
    await editor.agent.request(session.resume, { sessionId, cwd: join(user.home, 'other'), mcpServers: [] })
    const file = join(user.home, 'where')
    await editor.prompt(sessionId, { spawn: `pwd > ${file}.new; mv ${file}.new ${file}` })
    expect(await until(() => readIfThere(file))).toBe(`${user.work}\n`)
  })

  it('is known by its whole id only, and by no other name', async () => {
    const { agent, create, prompt } = await openEditorHere(createUser())
    const { sessionId } = await create()
    await prompt(sessionId, { say: 'one' })
    const place = { cwd: '/', mcpServers: [] }
    for (const id of [sessionId.slice(0, 8), '0'.repeat(32)]) {
      expect(await codeOf(agent.request(session.load, { sessionId: id, ...place }))).toBe(NOT_FOUND)
      expect(await codeOf(prompt(id, { say: 'x' }))).toBe(NOT_FOUND)
      expect(await codeOf(agent.request(session.setMode, { sessionId: id, modeId: 'full' }))).toBe(NOT_FOUND)
      await agent.request(session.delete, { sessionId: id })
    }
    const { sessions } = await agent.request(session.list, {})
    expect(sessions.map((each) => each.sessionId)).toEqual([sessionId])
  })

  it.runIf(IS_FULL)('is found once, whatever session is said to continue it', async () => {
    const user = createUser()
    const { agent, create, prompt } = await openEditorHere(user)
    const { sessionId } = await create()
    for (const text of ['one', 'two']) await prompt(sessionId, { say: text })
    const store = (await openStore({ path: storeOf(user) })).seenBy(undefined)
    expect((await store.find(sessionId)).metadata).toEqual({})
    for (const next of [sessionId, '0'.repeat(32)]) {
      await store.edit(sessionId, { metadata: { acp_continued_by: next } })
      await agent.request(session.load, { sessionId, cwd: user.work, mcpServers: [] })
    }
    await agent.request(session.delete, { sessionId })
    expect((await agent.request(session.list, {})).sessions).toEqual([])
  })

  it('that cannot be read is not one that does not exist', async () => {
    const user = createUser()
    const { agent, create, prompt } = await openEditorHere(user)
    const { sessionId } = await create()
    await prompt(sessionId, { say: 'one' })
    const database = new DatabaseSync(storeOf(user))
    database.exec('ALTER TABLE sessions RENAME TO lost')
    expect(await codeOf(agent.request(session.load, { sessionId, cwd: '/', mcpServers: [] }))).toBe(INTERNAL)
    database.exec('ALTER TABLE lost RENAME TO sessions')
    database.close()
  })

  it('has ended, and its turn is stored, when the editor is gone', async () => {
    const user = createUser()
    const { create, prompt, texts, end, ended } = await openEditorHere(user)
    const { sessionId } = await create()
    prompt(sessionId, { say: 'begun', hang: true }).catch(() => undefined)
    await until(() => texts().includes('begun'))
    end()
    await ended
    const store = await openStore({ path: storeOf(user) })
    expect(await store.find(sessionId)).toMatchObject({ status: 'paused', error_message: 'the run was canceled' })
  })

  it.each(firstOf(['load', 'resume', 'close', 'delete'] as const))('has no prompt running after %s', async (word) => {
    const { create, prompt, agent, texts } = await openEditorHere(createUser())
    const { sessionId } = await create()
    const hanging = prompt(sessionId, { say: 'begun', hang: true })
    await until(() => texts().includes('begun'))
    const place = { sessionId, cwd: '/', mcpServers: [] }
    await (word === 'load' || word === 'resume'
      ? agent.request(session[word], place)
      : agent.request(session[word], { sessionId }))
    expect(await hanging).toMatchObject({ stopReason: 'cancelled' })
    const isOpen = word === 'load' || word === 'resume'
    if (isOpen) expect(await prompt(sessionId, { say: 'again' })).toMatchObject({ stopReason: 'end_turn' })
    else expect(await codeOf(prompt(sessionId, { say: 'again' }))).toBe(NOT_FOUND)
  })

  it.runIf(IS_FULL)('of several agents is told to each of them, replayed in order and deleted as one', async () => {
    const user = createUser({}, { DEMO_AGENT_WORD_MS: '0', PATH: '/usr/bin:/bin' })
    const first = await openEditorHere(user, ['--demo'])
    const { sessionId } = await first.create()
    await first.prompt(sessionId, 'the first question')
    const choose = (value: string) =>
      first.agent.request(session.setConfigOption, { sessionId, configId: 'backend', value })
    await choose('codex')
    await first.prompt(sessionId, 'the second question')
    expect(first.texts()).toContain('is the record of an')
    await first.prompt(sessionId, 'the third question')
    first.end()
    await first.ended
    const { agent, updates, texts } = await openEditorHere(user, ['--demo'])
    const opened = await agent.request(session.load, { sessionId, cwd: user.work, mcpServers: [] })
    expect(opened.configOptions?.[0]).toMatchObject({ id: 'backend', currentValue: 'codex' })
    const kinds = updates.map(({ sessionUpdate }) => sessionUpdate)
    expect(kinds.filter((kind) => kind !== 'tool_call')).toEqual(
      Array.from({ length: 3 }, () => ['user_message_chunk', 'agent_message_chunk']).flat(),
    )
    expect(texts('user_message_chunk')).toBe('the first questionthe second questionthe third question')
    expect((await agent.request(session.list, {})).sessions).toHaveLength(2)
    await agent.request(session.delete, { sessionId })
    expect((await agent.request(session.list, {})).sessions).toEqual([])
  })

  it.runIf(IS_FULL)('of which nothing is kept is continued by another agent without it', async () => {
    const user = createUser({ executions: { keep: 'none' } }, { DEMO_AGENT_WORD_MS: '0', PATH: '/usr/bin:/bin' })
    const { agent, create, prompt, texts } = await openEditorHere(user, ['--demo'])
    const { sessionId } = await create()
    await prompt(sessionId, 'the first question')
    await agent.request(session.setConfigOption, { sessionId, configId: 'backend', value: 'codex' })
    expect(await prompt(sessionId, 'the second question')).toMatchObject({ stopReason: 'end_turn' })
    expect(texts()).not.toContain('is the record of an')
  })

  it.runIf(IS_FULL)('shows its earlier tool calls with different ids', async () => {
    const user = createUser()
    const first = await openEditorHere(user)
    const { sessionId } = await first.create()
    await first.prompt(sessionId, { use: '/a.ts' })
    await first.prompt(sessionId, { use: '/a.ts' })
    first.end()
    await first.ended
    const { agent, updates } = await openEditorHere(user)
    await agent.request(session.load, { sessionId, cwd: user.work, mcpServers: [] })
    const calls = updates.filter(({ sessionUpdate }) => sessionUpdate === 'tool_call')
    expect(calls).toMatchObject([{ title: 'Read: /a.ts', kind: 'read', status: 'completed' }, { title: 'Read: /a.ts' }])
    expect(calls[0]?.['toolCallId']).not.toBe(calls[1]?.['toolCallId'])
  })
})

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

describe('a list of sessions', () => {
  it.runIf(IS_FULL)('has pages, and only sessions of the directory that is asked for', async () => {
    const user = createUser()
    const store = await openStore({ path: storeOf(user) })
    const other = join(user.home, 'other')
    mkdirSync(other)
    for (let count = 0; count < 51; count += 1) await store.create(newSession({ working_dir: user.work }))
    await store.create(newSession({ working_dir: other, initial_prompt: 'first line\nsecond' }))
    const { agent } = await openEditorHere(user)
    const list = (params: ListSessionsRequest) => agent.request(methods.agent.session.list, params)
    const first = await list({ cwd: user.work })
    expect([first.sessions.length, first.nextCursor]).toEqual([50, '50'])
    const second = await list({ cwd: user.work, cursor: '50' })
    expect([second.sessions.length, second.nextCursor]).toEqual([1, undefined])
    const ids = [...first.sessions, ...second.sessions].map(({ sessionId }) => sessionId)
    expect(new Set(ids).size).toBe(51)
    expect((await list({ cwd: other })).sessions).toMatchObject([{ cwd: other, title: 'first line' }])
    expect((await list({ cwd: null, cursor: '50' })).sessions).toHaveLength(2)
    for (const cursor of ['x', '-1', '1e9', '']) expect(await codeOf(list({ cursor }))).toBe(INVALID)
  })
})

describe('the protocol', () => {
  it('has no methods but its own', async () => {
    const { agent, create, prompt, asked, answers } = await openEditorHere(createUser())
    for (const method of ['constructor', 'toString', '__proto__', 'session/fork']) {
      await expect(agent.request(method, {})).rejects.toThrow(/no such method/)
    }
    const { sessionId } = await create()
    const answered = Promise.withResolvers<{ outcome: 'selected'; optionId: string }>()
    answers.push(() => answered.promise)
    const running = prompt(sessionId, { ask: 'Bash' })
    await until(() => asked.length === 1)
    await agent.notify('session/other', { sessionId })
    await agent.notify(session.cancel, { sessionId: 'nonsense' })
    expect(await codeOf(prompt(sessionId, { say: 'x' }))).toBe(INTERNAL)
    answered.resolve({ outcome: 'selected', optionId: 'allow' })
    expect(await running).toMatchObject({ stopReason: 'end_turn' })
  })

  it('is spoken in version 1, whatever the editor speaks', async () => {
    const { agent } = await openEditorHere(createUser())
    for (const protocolVersion of [0, 1, 2, 99]) {
      const started = await agent.request(methods.agent.initialize, { protocolVersion, clientCapabilities: {} })
      expect(started.protocolVersion).toBe(1)
    }
    expect(await codeOf(agent.request('initialize', { protocolVersion: 'x' }))).toBe(INVALID)
  })

  it('has an error for a failure of the agent, which no editor takes for an answer', async () => {
    const { create, prompt, agent, updates } = await openEditorHere(createUser())
    const failing = async (fields: object) => {
      const { sessionId } = await create()
      return prompt(sessionId, { result: { is_error: true, ...fields } })
    }
    expect(await codeOf(failing({ result: 'Invalid API key · Please run /login' }))).toBe(-32_000)
    expect(await codeOf(failing({ result: 'API Error: 500 broken' }))).toBe(INTERNAL)
    expect(await failing({ subtype: 'error_max_turns' })).toMatchObject({ stopReason: 'max_turn_requests' })
    await expect(failing({ result: 'API Error: Request rejected (429) · try again in 5h' })).rejects.toMatchObject({
      data: { retry_after_secs: 5 * 60 * 60 },
    })
    const { sessionId } = await create()
    expect(await codeOf(prompt(sessionId, ' '))).toBe(INVALID)
    for (const [configId, value] of [
      ['mode', 'nonsense'],
      ['backend', 'nonsense'],
      ['nonsense', 'x'],
    ] as const) {
      expect(await codeOf(agent.request(session.setConfigOption, { sessionId, configId, value }))).toBe(INVALID)
    }
    expect(await codeOf(agent.request(session.setMode, { sessionId, modeId: 'nonsense' }))).toBe(INVALID)
    const seen = updates.length
    await agent.request(session.setConfigOption, { sessionId, configId: 'mode', value: 'ask' })
    expect(updates).toHaveLength(seen)
  })
})
