import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { installFakeAgent, readPids, transcriptsIn } from '../../test/support/fake-agent.ts'
import { firstOf } from '../../test/support/full-counts.ts'
import { NOWHERE } from '../../test/support/nowhere.ts'
import { createPromptFixture, finishPrompt } from '../../test/support/prompt-fixture.ts'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { until } from '../../test/support/until.ts'
import { NATIVE_BACKENDS } from '../agents/adapter/agent.ts'
import type { WarmPool } from '../agents/pool/warm-pool.ts'
import { mergeLayers } from '../config/layers.ts'
import { identifyProcess, isAlive } from '../kit/process/process-tree.ts'
import type { SessionStore } from '../sessions/session-store.ts'
import { sessionStoreUnavailable } from '../store/faults.ts'
import { USER } from './caller.ts'
import { createSlots } from './concurrency-slots.ts'
import { runPrompt } from './run-prompt.ts'

const HELLO = { backend: 'claude', prompt: 'say hello' }
const never = new AbortController().signal

describe('an agent that is kept running', () => {
  it.each([
    ['a real agent', false, 1],
    ['the demo agent', true, 0],
  ])('is looked for, but not in place of the demo agent: %s', async (_, isDemo, count) => {
    const { context } = await createPromptFixture({ claude: { text: ['Hello'] } })
    let asked = 0
    const take = async () => {
      asked += 1
    }
    const locate: typeof context.locate = (backend) => {
      const found = context.locate(backend)
      return found && { ...found, isDemo }
    }
    const { result } = await finishPrompt(HELLO, { ...context, locate, warm: { take } as unknown as WarmPool })
    expect([result.output, asked]).toEqual(['Hello', count])
  })
})

describe.each(firstOf(NATIVE_BACKENDS))('runPrompt on %s', (backend) => {
  it('runs the agent in a session that is stored before the last event', async () => {
    const { context, store, work } = await createPromptFixture({ [backend]: { text: ['Hello', ' there'] } })
    let statusAtDone: string | undefined
    const { events, result } = await finishPrompt({ backend, prompt: 'say hello' }, context, {
      onEvent: async ({ type, session_id: id }) => {
        if (type === 'done') statusAtDone = (await store.find(id)).status
      },
    })
    expect(result).toMatchObject({ backend, exit_code: 0, output: 'Hello there' })
    expect(result.session_id).toMatch(/^[0-9a-f]{32}$/)
    expect(events.at(0)?.type).toBe('init')
    expect(events.at(-1)?.type).toBe('done')
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1))
    expect(new Set(events.map((event) => event.session_id))).toEqual(new Set([result.session_id]))
    expect(statusAtDone).toBe('completed')
    expect(await store.find(result.session_id)).toMatchObject({
      backend,
      status: 'completed',
      working_dir: work,
      initial_prompt: 'say hello',
      turn_count: 1,
      token_usage: result.token_usage,
      backend_session_id: result.backend_session_id,
      tags: ['api'],
      policy: { approval_mode: 'default', sandbox_mode: 'default', extra: [] },
    })
  })

  it('continues a session, and adds the usage of this turn only', async () => {
    const usage = { input: 100, output: 10 }
    const { context, store } = await createPromptFixture({ [backend]: { usage } })
    const first = await finishPrompt({ backend, prompt: 'one' }, context)
    const resumes = await store.find(first.result.session_id)
    const second = await finishPrompt({ backend, prompt: 'two', resumes }, context)
    expect(second.result).toMatchObject({ exit_code: 0, session_id: resumes.id })
    expect(second.result.token_usage).toEqual(first.result.token_usage)
    expect(second.result.backend_session_id).toBe(first.result.backend_session_id)
    expect(second.result.warnings).toEqual(first.result.warnings)
    const session = await store.find(resumes.id)
    expect(session).toMatchObject({ status: 'completed', turn_count: 2, initial_prompt: 'one' })
    expect(session.token_usage.output_tokens).toBe(2 * first.result.token_usage.output_tokens)
  })

  it('reports that the agent has lost the session, and offers a new one', async () => {
    const { context, store, directory } = await createPromptFixture()
    const first = await finishPrompt({ backend, prompt: 'one' }, context)
    rmSync(join(directory, 'agent-sessions'), { recursive: true })
    const resumes = await store.find(first.result.session_id)
    const { events, result } = await finishPrompt({ backend, prompt: 'two', resumes }, context)
    expect(result.exit_code).not.toBe(0)
    expect(result).toMatchObject({ error_code: 'session_expired', error: expect.stringContaining('--fork') })
    expect(events.find(({ type }) => type === 'error')?.content).toMatchObject({ code: 'session_expired' })
    const forgotten = await store.find(resumes.id)
    expect(forgotten).toMatchObject({ status: 'error', error_message: result.error })
    expect(forgotten).not.toHaveProperty('backend_session_id')
    expect((await store.list({ isResumable: true }, { limit: 1, offset: 0 })).total).toBe(0)
  })

  it('forks a session with its settings and a link to it', async () => {
    const { context, store } = await createPromptFixture()
    const request = { backend, prompt: 'one', approval_mode: 'auto', model: 'm-1', metadata: { a: 1 } } as const
    const first = await finishPrompt(request, context)
    const forks = await store.edit(first.result.session_id, { addTags: ['kept'] })
    const second = await finishPrompt({ backend, prompt: 'two', forks }, context)
    expect(second.result.session_id).not.toBe(forks.id)
    expect(second.result.backend_session_id).not.toBe(forks.backend_session_id)
    expect(await store.find(second.result.session_id)).toMatchObject({
      parent_id: forks.id,
      initial_prompt: 'two',
      turn_count: 1,
      policy: forks.policy,
      metadata: { a: 1 },
      tags: expect.arrayContaining(['api', 'kept']),
    })
  })
})

/** How a turn may end, and what becomes of its session. */
describe('the session of a prompt', () => {
  const hangs = (directory: string) => readPids(join(directory, 'pids'))

  it.each([
    ['completed', 'an answer', {}, {}, { exit_code: 0 }],
    ['error', 'a failure of the agent', { fail: 401 }, {}, { error_code: 'agent_auth_failed' }],
    ['error', 'a crash', { crashAfter: 'start' }, {}, { error_code: 'agent_ended_early' }],
    [
      'paused',
      'a timeout after the agent named its session',
      { hangAfter: 'init' },
      { longestRunMs: 1500 },
      { exit_code: 124 },
    ],
    ['error', 'a timeout before that', { hangAfter: 'start' }, { longestRunMs: 1500 }, { exit_code: 124 }],
  ] as const)('is %s after %s', async (status, _name, script, over, expected) => {
    const { context, store } = await createPromptFixture({ claude: script }, over)
    const { result } = await finishPrompt(HELLO, context)
    expect(result).toMatchObject(expected)
    expect((await store.find(result.session_id)).status).toBe(status)
  })

  it.each([
    ['paused', 'init'],
    ['error', 'start'],
  ] as const)('is %s when it is cancelled after %s, and the agent is gone', async (status, point) => {
    const { context, store, directory } = await createPromptFixture({})
    const pidFile = join(directory, 'pids')
    const cancel = new AbortController()
    installFakeAgent(directory, 'claude', { script: { hangAfter: point, pidFile } })
    const running = finishPrompt(HELLO, context, { signal: cancel.signal })
    await until(() => hangs(directory).hangs)
    cancel.abort()
    const { result } = await running
    expect(result).toMatchObject({ exit_code: 130, error_code: 'agent_cancelled' })
    expect((await store.find(result.session_id)).status).toBe(status)
    expect(() => process.kill(hangs(directory).agent ?? 0, 0)).toThrow()
  })

  it('is paused when the caller stops reading events', async () => {
    const { context, store } = await createPromptFixture({ claude: { hangAfter: 'word' } })
    const run = runPrompt({ ...HELLO, wantsDeltas: true }, context, { signal: never })
    const first = await run.next()
    const { session_id: id } = first.value as { session_id: string }
    expect((await store.find(id)).status).toBe('active')
    await run.return(undefined as never)
    expect((await store.find(id)).status).toBe('paused')
    expect(context.slots.load()).toEqual({ running: 0, queued: 0 })
  })

  it('is error, and the fault is thrown, when the agent cannot be started', async () => {
    const { context, store, directory, work } = await createPromptFixture()
    writeFileSync(join(directory, 'claude'), `#!${NOWHERE}/interpreter\n`)
    chmodSync(join(directory, 'claude'), 0o755)
    await expect(finishPrompt(HELLO, context)).rejects.toMatchObject({ name: 'Fault' })
    const { sessions } = await store.list({ workdir: work }, { limit: 10, offset: 0 })
    expect(sessions.map(({ status }) => status)).toEqual(['error'])
  })

  it('is not stored for an ephemeral prompt, which needs no store', async () => {
    const openStore = () => Promise.reject(sessionStoreUnavailable({ path: 'sessions.db', reason: 'it is gone' }))
    const { context } = await createPromptFixture({}, { openStore, by: { is: 'user' } })
    const { result } = await finishPrompt({ ...HELLO, ephemeral: true }, context)
    expect(result).toMatchObject({ session_id: '', exit_code: 0 })
  })

  it.each([
    [USER, ': sessions.db cannot be used: the disk is full; fix that and try again'],
    [{ is: 'client', role: 'client' }, '; the server log has the reason'],
  ] as const)('causes a warning for $0.is when its end cannot be written', async (by, reason) => {
    const failures: unknown[] = []
    const observer = { sessionFailed: (error: unknown) => failures.push(error) }
    const fixture = await createPromptFixture({}, { observer, by })
    const { store } = fixture
    const fault = sessionStoreUnavailable({ path: 'sessions.db', reason: 'the disk is full' })
    const failing = new Proxy(store, {
      get: (target, name: Exclude<keyof SessionStore, 'files' | 'messages'>) =>
        name === 'finishTurn' ? () => Promise.reject(fault) : target[name]?.bind(target),
    })
    const { events, result } = await finishPrompt(HELLO, { ...fixture.context, openStore: async () => failing })
    const warning = `the session could not be saved${reason}`
    expect(result).toMatchObject({ exit_code: 0, warnings: [warning] })
    expect(events.at(-1)?.content).toMatchObject({ exit_code: 0, warnings: [warning] })
    expect(failures).toEqual([fault])
  })
})

describe('a new session', () => {
  /** A store that creates a session as `create` says. */
  function creatingBy(store: SessionStore, create: SessionStore['create']): SessionStore {
    return new Proxy(store, {
      get: (target, name: Exclude<keyof SessionStore, 'files' | 'messages'>) =>
        name === 'create' ? create : target[name]?.bind(target),
    })
  }

  it('is stored while its agent starts', async () => {
    const pidFile = join(temporaryDirectory(), 'pids')
    const { context, store } = await createPromptFixture({ claude: { pidFile } })
    const slow = creatingBy(store, async (session) => {
      await until(() => readPids(pidFile).agent)
      return await store.create(session)
    })
    const { result } = await finishPrompt(HELLO, { ...context, openStore: async () => slow })
    expect(result).toMatchObject({ exit_code: 0, session_id: expect.stringMatching(/^[0-9a-f]{32}$/) })
  })

  it('that fails ends the agent that has started', async () => {
    const pidFile = join(temporaryDirectory(), 'pids')
    const { context, store } = await createPromptFixture({ claude: { pidFile, hangAfter: 'start' } })
    let agent = 0
    const broken = creatingBy(store, async () => {
      agent = await until(() => readPids(pidFile).agent)
      throw new Error('it is broken')
    })
    await expect(finishPrompt(HELLO, { ...context, openStore: async () => broken })).rejects.toThrow('it is broken')
    expect(isAlive(identifyProcess(agent))).toBe(false)
  })
})

describe('a prompt whose session cannot be created', () => {
  it('runs without one, with a warning', async () => {
    const openStore = () => Promise.reject(sessionStoreUnavailable({ path: 'sessions.db', reason: 'it is read-only' }))
    const { context } = await createPromptFixture({}, { openStore, by: { is: 'user' } })
    const { result } = await finishPrompt(HELLO, context)
    const warning =
      'the session could not be saved: sessions.db cannot be used: it is read-only; fix that and try again'
    expect(result).toMatchObject({ session_id: '', exit_code: 0, warnings: [warning] })
  })
})

describe('a prompt that cannot be run', () => {
  it.each([
    ['backend_not_found', { backend: 'clod' }],
    ['workdir_not_allowed', { workdir: 'relative' }],
    ['workdir_not_allowed', { workdir: `${NOWHERE}/place` }],
    ['extra_flag_refused', { extra: ['--dangerously-skip-permissions'] }],
    ['program_arguments_too_long', { extra: [`--effort=${'x'.repeat(131_072)}`] }],
    ['program_arguments_too_long', { extra: new Array<string>(64).fill(`--effort=${'x'.repeat(130_000)}`) }],
    ['prompt_empty', { prompt: ' \n' }],
    ['prompt_not_text', { prompt: 'a\0b' }],
    ['session_field_invalid', { metadata: { a: 'x'.repeat(64 * 1024) } }],
  ])('is refused with %s before anything is started or stored', async (code, over) => {
    const { context, store } = await createPromptFixture()
    await expect(finishPrompt({ ...HELLO, ...over }, context)).rejects.toMatchObject({ code })
    expect(await store.count()).toBe(0)
  })

  it('accepts metadata of 64 KiB', async () => {
    const { context } = await createPromptFixture()
    const metadata = { a: 'x'.repeat(64 * 1024 - '{"a":""}'.length) }
    expect((await finishPrompt({ ...HELLO, metadata, dry_run: true }, context)).result.exit_code).toBe(0)
  })

  it('is refused when the agent is not installed or disabled', async () => {
    const { context, directory } = await createPromptFixture()
    rmSync(join(directory, 'codex'))
    await expect(finishPrompt({ backend: 'codex', prompt: 'x' }, context)).rejects.toMatchObject({
      code: 'backend_unavailable',
    })
    const settings = mergeLayers([]).config
    const backends = { ...settings.backends, claude: { ...settings.backends.claude, enabled: false } }
    const disabled = await createPromptFixture({}, { settings: { ...settings, backends } })
    await expect(finishPrompt(HELLO, disabled.context)).rejects.toMatchObject({
      code: 'backend_unavailable',
    })
  })

  it('is refused on a machine without the label that it requires', async () => {
    const settings = mergeLayers([]).config
    const work = { ...settings.work, labels: ['gpu'] }
    const { context } = await createPromptFixture({}, { settings: { ...settings, work } })
    await expect(finishPrompt({ ...HELLO, label: 'arm' }, context)).rejects.toMatchObject({ code: 'label_missing' })
    expect((await finishPrompt({ ...HELLO, label: 'gpu' }, context)).result.exit_code).toBe(0)
  })

  it('is refused when the queue is full, and waits when it is not', async () => {
    const slots = createSlots({ limit: 1, queueLimit: 0 })
    const { context } = await createPromptFixture({}, { slots })
    const held = await slots.take(never)
    await expect(finishPrompt(HELLO, context)).rejects.toMatchObject({ code: 'queue_full' })
    held?.release()
    expect((await finishPrompt(HELLO, context)).result.exit_code).toBe(0)
    expect(slots.load()).toEqual({ running: 0, queued: 0 })
  })

  it('is refused when a link has replaced its directory while it waited', async () => {
    const slots = createSlots({ limit: 1, queueLimit: 1 })
    const { context, directory, store } = await createPromptFixture({}, { slots })
    const workdir = join(directory, 'mine')
    mkdirSync(workdir)
    const held = await slots.take(never)
    const waiting = finishPrompt({ ...HELLO, workdir }, context)
    const refused = expect(waiting).rejects.toMatchObject({ code: 'workdir_not_allowed' })
    await until(() => slots.load().queued === 1)
    rmSync(workdir, { recursive: true })
    symlinkSync('/', workdir)
    held?.release()
    await refused
    expect(await store.count()).toBe(0)
    expect(slots.load()).toEqual({ running: 0, queued: 0 })
  })

  it('is refused when its session has arguments that are no longer allowed', async () => {
    const { context, store } = await createPromptFixture({}, { isUnsafeExtraAllowed: true })
    const first = await finishPrompt({ ...HELLO, extra: ['--mcp-config=x'] }, context)
    const resumes = await store.find(first.result.session_id)
    const strict = { ...context, isUnsafeExtraAllowed: false }
    await expect(finishPrompt({ ...HELLO, resumes }, strict)).rejects.toMatchObject({
      code: 'extra_flag_refused',
    })
  })

  it('leaves the queue when it is cancelled, without a session or an agent', async () => {
    const slots = createSlots({ limit: 1, queueLimit: 1 })
    const { context, store } = await createPromptFixture({}, { slots })
    await slots.take(never)
    const cancel = new AbortController()
    const waiting = finishPrompt(HELLO, context, { signal: cancel.signal })
    await until(() => slots.load().queued === 1)
    cancel.abort()
    expect(await waiting).toEqual({
      events: [],
      result: expect.objectContaining({ exit_code: -1, error_code: 'canceled' }),
    })
    expect(await store.count()).toBe(0)
  })
})

describe('a dry run', () => {
  it('shows the command, and stores a session for a client', async () => {
    const { context, store } = await createPromptFixture()
    const { events, result } = await finishPrompt({ ...HELLO, dry_run: true }, context)
    // Where the agent is installed is not for a client to know.
    expect(result.output).toMatch(/^Would execute: claude -p .*<<< 'say hello'$/)
    expect(result).toMatchObject({ exit_code: 0, token_usage: { input_tokens: 0 } })
    expect(events.map(({ type }) => type)).toEqual(['init', 'message', 'done'])
    expect(await store.find(result.session_id)).toMatchObject({ status: 'completed', turn_count: 1 })
  })

  it('stores nothing for the operator, and needs no agent', async () => {
    const { context, store, directory } = await createPromptFixture({}, { by: { is: 'user' } })
    rmSync(join(directory, 'claude'))
    const { result } = await finishPrompt({ ...HELLO, dry_run: true }, context)
    expect(result).toMatchObject({
      exit_code: 0,
      session_id: '',
      output: expect.stringContaining('Would execute: claude'),
    })
    expect(await store.count()).toBe(0)
  })

  it('of a client needs the agent', async () => {
    const { context, directory } = await createPromptFixture()
    rmSync(join(directory, 'claude'))
    await expect(finishPrompt({ ...HELLO, dry_run: true }, context)).rejects.toMatchObject({
      code: 'backend_unavailable',
    })
  })
})

describe('a resumed session', () => {
  it('keeps its policy when the config changes, and warns when this turn has another', async () => {
    const { context, store } = await createPromptFixture()
    const first = await finishPrompt({ ...HELLO, approval_mode: 'auto' }, context)
    const resumes = await store.find(first.result.session_id)
    const { settings } = context
    const today = { ...settings, unified_flags: { ...settings.unified_flags, approval_mode: 'none' as const } }
    const dry = { ...HELLO, dry_run: true }
    const same = await finishPrompt({ ...dry, resumes }, { ...context, settings: today })
    expect(same.result.output).toContain('--permission-mode acceptEdits')
    expect(same.result.warnings).toEqual([
      'approval_mode is auto, as when the session was started; the settings now say none',
    ])
    const other = await finishPrompt({ ...dry, approval_mode: 'none', resumes }, context)
    expect(other.result.warnings).toContain('approval_mode is none for this turn; the session was started with auto')
  })

  it('merges the metadata of the turn with its own', async () => {
    const { context, store } = await createPromptFixture()
    const first = await finishPrompt({ ...HELLO, metadata: { a: 1, b: 1 } }, context)
    const resumes = await store.find(first.result.session_id)
    await finishPrompt({ ...HELLO, metadata: { b: 2 }, resumes }, context)
    expect((await store.find(resumes.id)).metadata).toEqual({ a: 1, b: 2 })
  })

  it('cannot run two prompts at once', async () => {
    const { context, store } = await createPromptFixture()
    const first = await finishPrompt(HELLO, context)
    const resumes = await store.find(first.result.session_id)
    const run = runPrompt({ ...HELLO, resumes, wantsDeltas: false }, context, { signal: never })
    await run.next()
    await expect(finishPrompt({ ...HELLO, resumes }, context)).rejects.toMatchObject({ code: 'session_active' })
    await run.return(undefined as never)
  })
})

describe('the session that gemini stores for an ephemeral prompt', () => {
  const request = { backend: 'gemini', prompt: 'x', ephemeral: true }
  const slots = () => createSlots({ limit: 1, queueLimit: 9 })

  /** The deletion does what the shell command says. */
  function deleteWith(directory: string, command: string): void {
    installFakeAgent(join(directory, 'real'), 'gemini')
    const script = `#!/bin/sh\ncase "$*" in *--delete-session*) ${command};; esac\nexec "${directory}/real/gemini" "$@"\n`
    writeFileSync(join(directory, 'gemini'), script, { mode: 0o755 })
  }

  it('is gone with the answer, and the slot is free', async () => {
    const { context, directory } = await createPromptFixture({}, { slots: slots() })
    mkdirSync(join(directory, '.gemini'))
    expect((await finishPrompt(request, context)).result.exit_code).toBe(0)
    expect(transcriptsIn(directory)).toEqual([])
    expect(context.slots.load()).toEqual({ running: 0, queued: 0 })
  })

  it('is deleted by gemini if it is stored elsewhere, in the slot of the prompt, after the answer', async () => {
    const { context, directory } = await createPromptFixture({}, { slots: slots() })
    expect((await finishPrompt(request, context)).result.exit_code).toBe(0)
    expect(context.slots.load().running).toBe(1)
    await until(() => context.slots.load().running === 0)
    expect(readdirSync(join(directory, 'agent-sessions'))).toEqual([])
  })

  it.each([
    ['fails', 'echo "Failed to delete session: no" >&2; exit 0', '(Failed to delete session: no)'],
    ['ends with a failure', 'exit 3', '(exit code 3)'],
  ])('is reported if its deletion %s', async (_name, command, reason) => {
    const left: string[] = []
    const observer = { sessionLeft: (message: string) => left.push(message) }
    const { context, directory } = await createPromptFixture({}, { slots: slots(), observer })
    mkdirSync(join(directory, 'real'))
    deleteWith(directory, command)
    const { result } = await finishPrompt(request, context)
    await until(() => context.slots.load().running === 0)
    expect(left).toEqual([expect.stringContaining(reason)])
    expect(left[0]).toContain(`run "gemini --delete-session ${result.backend_session_id}" in `)
  })

  it('does not delay Ctrl-C', async () => {
    const left: string[] = []
    const observer = { sessionLeft: (message: string) => left.push(message) }
    const { context, directory } = await createPromptFixture({}, { slots: slots(), observer, by: { is: 'user' } })
    mkdirSync(join(directory, 'real'))
    deleteWith(directory, 'sleep 60')
    const interruption = new AbortController()
    await finishPrompt(request, context, { signal: interruption.signal })
    interruption.abort()
    await until(() => context.slots.load().running === 0)
    expect(left).toEqual([expect.stringContaining('(drover was told to stop)')])
  })
})
