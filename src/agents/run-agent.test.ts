import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Script } from '../../test/fake-agent/script.ts'
import { agentRequest } from '../../test/support/agent-request.ts'
import { installFakeAgents, transcriptsIn } from '../../test/support/fake-agent.ts'
import { IS_FULL } from '../../test/support/full-counts.ts'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { isRunning } from '../../test/support/test-command.ts'
import { until } from '../../test/support/until.ts'
import { Fault } from '../kit/fault.ts'
import { type AgentEvent, type AgentRequest, NATIVE_BACKENDS, type NativeBackend } from './adapter/agent.ts'
import type { AgentResult } from './agent-result.ts'
import { buildCommand } from './build-command.ts'
import { runAgent } from './run-agent.ts'
import type { AgentRunOptions } from './run-turn.ts'
import { newScratchDirectory } from './scratch-files.ts'

const PATH_HERE = '/usr/local/bin:/usr/bin:/bin'
const NO_USAGE = { input_tokens: 0, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 }

let directory: string

beforeEach(() => {
  directory = temporaryDirectory()
  installFakeAgents(directory)
  mkdirSync(join(directory, 'work'))
})

type Setup = { script?: Script; request?: Partial<AgentRequest>; options?: Partial<AgentRunOptions> }

function requestFor(backend: NativeBackend, { script = {}, request = {} }: Setup): AgentRequest {
  return agentRequest(backend, {
    workdir: join(directory, 'work'),
    wantsDeltas: true,
    program: [join(directory, backend)],
    env: { PATH: PATH_HERE, HOME: directory, FAKE_AGENT_SCRIPT: JSON.stringify(script) },
    scratchDirectory: newScratchDirectory(),
    ...request,
  })
}

function start(backend: NativeBackend, setup: Setup = {}) {
  const request = requestFor(backend, setup)
  return runAgent(request, buildCommand(request), { signal: new AbortController().signal, ...setup.options })
}

async function finish(backend: NativeBackend, setup: Setup = {}) {
  const events: AgentEvent[] = []
  const running = start(backend, setup)
  for (;;) {
    const next = await running.next()
    if (next.done === true) return { events, result: next.value }
    events.push(next.value)
  }
}

/** However it ends, the first event is `init`, the last is the one `done`, and it agrees with the result. */
function expectWellFormed({ events, result }: { events: readonly AgentEvent[]; result: AgentResult }) {
  expect(events[0]?.type).toBe('init')
  expect(events.filter((event) => event.type === 'done')).toHaveLength(1)
  expect(events.at(-1)).toMatchObject({ type: 'done', content: { exit_code: result.exitCode } })
  expect(events.at(-2)?.type === 'error').toBe(result.error !== undefined)
}

const pids = () =>
  JSON.parse(readFileSync(join(directory, 'pids'), 'utf8')) as Record<'agent' | 'tool' | 'daemon', number>

/** The fake agent under another name. It notes its process id before Node starts, which may take longer than a deadline. */
function notingPid(backend: NativeBackend, name: string): string {
  const program = join(directory, name)
  const text = `#!/bin/sh\necho $$ > '${program}.pid'\nexec '${join(directory, backend)}' "$@"\n`
  writeFileSync(program, text, { mode: 0o755 })
  return program
}

/** A program that prints what the fake agent printed, and does not exit. */
async function createLingering(backend: NativeBackend, script: Script): Promise<[string]> {
  const lines: string[] = []
  await finish(backend, { script, options: { onLine: async (line) => void lines.push(line) } })
  writeFileSync(join(directory, 'said'), `${lines.join('\n')}\n`)
  const program = join(directory, 'stays')
  const text = `#!/bin/sh\ncat > /dev/null; cat '${join(directory, 'said')}'; exec sleep 300\n`
  writeFileSync(program, text, { mode: 0o755 })
  return [program]
}

describe.each(NATIVE_BACKENDS)('runAgent with %s', (backend) => {
  /** What does not depend on the agent. */
  const itOnce = it.runIf(IS_FULL || backend === 'claude')

  it('returns the answer, its events and its usage', async () => {
    const ran = await finish(backend, { script: { text: ['Hello', ' there'] }, request: { model: 'm-1' } })
    expectWellFormed(ran)
    expect(ran.result).toMatchObject({ exitCode: 0, text: 'Hello there', ended: 'itself', warnings: [] })
    expect(ran.result.error).toBeUndefined()
    expect(ran.result.usage.output_tokens).toBeGreaterThan(0)
    expect(ran.result.sessionId).toMatch(/^[0-9a-f-]{36}$/)
    expect(ran.events[0]).toMatchObject({ content: { model: 'm-1', backend_session_id: ran.result.sessionId } })
    const said = ran.events.filter((event) => event.type === 'message').map((event) => event.content.text)
    expect(said.join('')).toBe('Hello there')
  })

  it.each([['-v is a flag'], ['/help me'], ['@README.md what is this'], ['review']])(
    'passes the prompt %j unchanged',
    async (prompt) => {
      const ran = await finish(backend, { request: { prompt } })
      expect(ran.result.error).toBeUndefined()
      expect(ran.result.text).toContain(prompt.slice(0, 20))
    },
  )

  it('passes every byte of a one-megabyte prompt', async () => {
    const prompt = 'a line of the prompt\n'.repeat(47_600)
    const spy = join(directory, 'spy')
    writeFileSync(spy, '#!/bin/sh\nsha256sum\n', { mode: 0o755 })
    const ran = await finish(backend, { request: { prompt, program: [spy] } })
    expect(ran.result.text).toBe(`${createHash('sha256').update(prompt).digest('hex')}  -`)
  })

  itOnce('ends an agent that prints without end, and limits the answer', async () => {
    const program = join(directory, 'talks')
    writeFileSync(program, '#!/bin/sh\nexec yes "and so on and on"\n', { mode: 0o755 })
    const ran = await finish(backend, { request: { program: [program] } })
    expectWellFormed(ran)
    expect(ran.result).toMatchObject({ exitCode: 1, error: { code: 'agent_output_too_large' } })
    expect(ran.result.text.length).toBeLessThanOrEqual(16 * 1024 * 1024)
  })

  it.each<[string, Script, Partial<AgentResult>]>([
    [
      'reports a failure itself',
      { fail: 500 },
      { exitCode: expect.any(Number), error: expect.objectContaining({ code: expect.any(String) }) },
    ],
    ['exits with a code and plain text', { plainText: 'oops', exitCode: 3 }, { exitCode: 3 }],
    ['crashes before its first event', { crashAfter: 'start' }, { exitCode: 137, text: '' }],
    ['crashes in the middle', { crashAfter: 'word', text: ['one ', 'two'] }, { exitCode: 137 }],
    ['stops in the middle of a line', { halfLine: true, exitCode: 0 }, { exitCode: 1 }],
  ])('reports a failure when the agent %s', async (_name, script, expected) => {
    const ran = await finish(backend, { script })
    expectWellFormed(ran)
    expect(ran.result).toMatchObject({ error: { message: expect.stringMatching(/\S/) }, ...expected })
    expect(ran.result.exitCode).not.toBe(0)
  })

  it.each<[string, Script]>([
    ['noise on stderr', { stderr: 'warning: something\n' }],
    ['lines that are not events', { garbageLines: ['not json', '{"type":"unheard_of"}', '[1,2]', '{"broken":'] }],
  ])('ignores %s', async (_name, script) => {
    const ran = await finish(backend, { script: { text: ['fine'], ...script } })
    expect(ran.result).toMatchObject({ exitCode: 0, text: 'fine' })
  })

  it('takes plain text as the answer when the program prints no JSON', async () => {
    const ran = await finish(backend, { script: { plainText: 'just\ntext\n' } })
    expectWellFormed(ran)
    expect(ran.result).toMatchObject({ exitCode: 0, text: 'just\ntext', usage: NO_USAGE })
  })

  itOnce('skips a line that is too long for an event, with a warning', async () => {
    const ran = await finish(backend, { script: { text: ['fine'], longLineBytes: 10 * 1024 * 1024 + 1 } })
    expect(ran.result).toMatchObject({ exitCode: 0, warnings: [expect.stringContaining('10485761 bytes was skipped')] })
  })

  itOnce('accepts a line of the maximum length', async () => {
    const ran = await finish(backend, { script: { text: ['fine'], longLineBytes: 10 * 1024 * 1024 } })
    expect(ran.result).toMatchObject({ exitCode: 0, warnings: [] })
  })

  itOnce('ends the agent at the deadline, whatever it does', async () => {
    const scripts: Record<string, Script> = {
      'hangs-before-its-first-word': { hangAfter: 'start' },
      'hangs-in-the-middle': { hangAfter: 'word' },
      'retries-forever': { retryForever: true, chunkMs: 10 },
      'ignores-signals': { hangAfter: 'init', ignoreSigterm: true, ignoreSigint: true },
    }
    const runToDeadline = async ([name, script]: [string, Script]) => {
      const ran = await finish(backend, { script, request: { timeoutMs: 1500, program: [notingPid(backend, name)] } })
      expectWellFormed(ran)
      expect(ran.result, name).toMatchObject({
        exitCode: 124,
        ended: 'timeout',
        error: {
          code: 'agent_timeout',
          message: expect.stringMatching(
            `^${backend} did not finish within 1.5 s and was stopped(; it was retrying after: .+)?$`,
          ),
        },
      })
      expect(isRunning(Number(readFileSync(join(directory, `${name}.pid`))))).toBe(false)
    }
    await Promise.all(Object.entries(scripts).map(runToDeadline))
  })

  it.each<[string, Script]>([
    ['from its start', { hangAfter: 'start' }],
    ['in the middle', { hangAfter: 'word' }],
    ['and ignores signals', { hangAfter: 'init', ignoreSigterm: true, ignoreSigint: true }],
  ])('stops an agent that prints nothing %s', async (_name, script) => {
    const ran = await finish(backend, { script, request: { silenceMs: 800, timeoutMs: null } })
    expectWellFormed(ran)
    expect(ran.result).toMatchObject({ exitCode: 124, ended: 'timeout', error: { code: 'agent_silent' } })
  })

  itOnce('lets a tool run for longer than an agent may print nothing', async () => {
    const said: string[] = []
    const onLine = async (line: string) => void said.push(line)
    await finish(backend, { script: { tool: 'true', text: ['fine'] }, options: { onLine } })
    const begins = said.findIndex(
      (line) => /"(?:tool_use|command_execution)"/.test(line) && !line.includes('stream_event'),
    )
    writeFileSync(join(directory, 'before'), said.slice(0, begins + 1).join('\n'))
    writeFileSync(join(directory, 'after'), said.slice(begins + 1).join('\n'))
    const program = join(directory, 'works')
    const text = `#!/bin/sh\ncat > /dev/null; cd '${directory}'; cat before; echo; sleep 1; cat after; echo\n`
    writeFileSync(program, text, { mode: 0o755 })
    const ran = await finish(backend, { request: { program: [program], silenceMs: 500 } })
    expect(ran.result).toMatchObject({ exitCode: 0, text: 'fine' })
  })

  it('stops an agent that tries again and again although its login is refused, and says how to log in', async () => {
    const script: Script = { fail: 401, retryForever: true, chunkMs: 10 }
    const ran = await finish(backend, { script, request: { timeoutMs: null } })
    expectWellFormed(ran)
    const retries = ran.events.filter((event) => event.type === 'progress' && event.content.stage === 'retry')
    expect(retries.length).toBeGreaterThanOrEqual(2)
    expect(ran.result).toMatchObject({ exitCode: 1, error: { code: 'agent_auth_failed', upstreamStatus: 401 } })
    expect(ran.result.error?.message).toMatch(/401.*; to log in, run `/)
  })

  itOnce.each(['caller', 'reader'] as const)(
    'leaves no process running when the %s stops during a tool call',
    async (who) => {
      const pidFile = join(directory, 'pids')
      const controller = new AbortController()
      const options = { signal: controller.signal }
      const running = start(backend, { script: { tool: 'sleep 300', pidFile }, options })
      await running.next()
      const { agent, tool } = await until(() => {
        const known = existsSync(pidFile) ? pids() : undefined
        return known?.tool === undefined ? false : known
      })
      if (who === 'caller') {
        controller.abort()
        const rest: AgentEvent[] = []
        for await (const event of running) rest.push(event)
        expect(rest.at(-1)).toMatchObject({ type: 'done', content: { exit_code: 130 } })
      } else {
        await running.return(undefined as never)
      }
      expect([isRunning(agent), isRunning(tool)]).toEqual([false, false])
    },
  )

  itOnce('ends a daemon that the agent leaves behind, without waiting for it', async () => {
    const pidFile = join(directory, 'pids')
    const ran = await finish(backend, { script: { text: ['fine'], forkDaemon: true, pidFile } })
    expect(ran.result).toMatchObject({ exitCode: 0, text: 'fine' })
    expect(isRunning(pids().daemon)).toBe(false)
  })

  it.each<[string, Script, Partial<AgentResult>]>([
    ['done', { text: ['fine'] }, { exitCode: 0, text: 'fine', ended: 'itself' }],
    [
      'failed',
      { fail: 401 },
      { exitCode: 1, ended: 'itself', error: expect.objectContaining({ code: 'agent_auth_failed' }) },
    ],
  ])('reports %s when the agent does not exit after its terminal event', async (_name, script, expected) => {
    const program = await createLingering(backend, script)
    const ran = await finish(backend, { script, request: { program }, options: { exitGraceMs: 50 } })
    expectWellFormed(ran)
    expect(ran.result).toMatchObject(expected)
  })

  itOnce('starts nothing when it was cancelled before', async () => {
    const ran = await finish(backend, { options: { signal: AbortSignal.abort() } })
    expectWellFormed(ran)
    expect(ran.result).toMatchObject({ exitCode: 130, ended: 'cancelled', text: '' })
  })

  itOnce('throws a fault before any event when the agent cannot be started', async () => {
    const running = start(backend, { request: { program: [join(directory, 'missing')] } })
    await expect(running.next()).rejects.toBeInstanceOf(Fault)
  })

  it('does not pass drover’s own variables to the agent', async () => {
    const spy = join(directory, 'spy')
    writeFileSync(spy, '#!/bin/sh\ncat > /dev/null; env\n', { mode: 0o755 })
    const env = { PATH: PATH_HERE, DROVER_API_KEYS: 'hunter2', DROVER_SERVER_PORT: '1', MINE: 'yes' }
    const ran = await finish(backend, { request: { program: [spy], env } })
    expect(ran.result.text).toContain('MINE=yes')
    expect(ran.result.text).not.toMatch(/hunter2|DROVER_SERVER_PORT|DROVER_API/)
  })
})

describe('runAgent without an exit grace', () => {
  it.runIf(IS_FULL)('gives the agent five seconds to exit after its terminal event', async () => {
    const program = await createLingering('claude', { text: ['fine'] })
    const { result } = await finish('claude', { request: { program } })
    expect(result).toMatchObject({ exitCode: 0, text: 'fine' })
    expect(result.durationMs).toBeGreaterThanOrEqual(5000)
  })
})

describe('runAgent with a system prompt for claude', () => {
  it('passes it in a private file and removes the file', async () => {
    const spy = join(directory, 'spy')
    const script = 'cat > /dev/null; for f; do case "$f" in */system*) ls -l "$f"; cat "$f"; esac; done'
    writeFileSync(spy, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    const ran = await finish('claude', { request: { systemPrompt: 'be brief', program: [spy] } })
    const [listed = '', said] = ran.result.text.split('\n')
    expect(listed).toMatch(/^-rw------- /)
    expect(said).toBe('be brief')
    expect(existsSync(listed.slice(listed.indexOf('/')))).toBe(false)
  })
})

describe('runAgent with an ephemeral run of gemini', () => {
  const ended = { finishes: { text: ['fine'] }, 'is cancelled': { hangAfter: 'word' }, 'is left': { hangAfter: 'word' } } // biome-ignore format: one table

  it.each(Object.keys(ended) as (keyof typeof ended)[])('leaves no session behind when it %s', async (how) => {
    mkdirSync(join(directory, '.gemini'))
    const controller = new AbortController()
    const seen: AgentEvent[] = []
    const running = start('gemini', {
      script: ended[how] as Script,
      request: { isEphemeral: true },
      options: { signal: controller.signal, onLeftover: () => expect.unreachable() },
    })
    for await (const event of running) {
      seen.push(event)
      if (event.type === 'message') expect(transcriptsIn(directory)).toHaveLength(1)
      if (event.type === 'message' && how === 'is cancelled') controller.abort()
      if (event.type === 'message' && how === 'is left') break
    }
    expect(seen[0]).toMatchObject({ content: { backend_session_id: expect.any(String) } })
    expect(transcriptsIn(directory)).toEqual([])
  })

  it('returns the command that deletes a session which is stored elsewhere', async () => {
    const left: string[][] = []
    await finish('gemini', {
      request: { isEphemeral: true },
      options: { onLeftover: ({ argv }) => left.push([...argv]) },
    })
    expect(left).toEqual([
      [expect.stringContaining('gemini'), '--delete-session', expect.stringMatching(/^[0-9a-f-]{36}$/)],
    ])
  })

  it('warns about a session id that is not one', async () => {
    const { result, events } = await finish('gemini', {
      script: { sessionId: '../latest' },
      request: { isEphemeral: true },
      options: { onLeftover: () => expect.unreachable() },
    })
    const warning = 'gemini reports "../latest" as its session, which is not a valid id; it was not deleted'
    expect(result).toMatchObject({ exitCode: 0, warnings: [warning] })
    expect(events.at(-1)).toMatchObject({ type: 'done', content: { warnings: [warning] } })
  })
})

describe('runAgent with gemini', () => {
  it('leaves no report about an error, which contains the prompt, in the temporary directory', async () => {
    const shared = join(directory, 'tmp')
    mkdirSync(shared)
    const { env } = requestFor('gemini', { script: { fail: 429 } })
    const scratchDirectory = newScratchDirectory()
    const request = { prompt: 'my secret plan', env: { ...env, TMPDIR: shared }, scratchDirectory }
    expect((await finish('gemini', { request })).result.error?.code).toBe('agent_rate_limited')
    expect([readdirSync(shared), existsSync(scratchDirectory)]).toEqual([[], false])
  })
})
