import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { AGENT_NAMES, type AgentName } from '../../src/demo/demo-answer.ts'
import { installFakeAgents, runFakeAgent, startFakeAgent } from '../support/fake-agent.ts'
import { run, temporaryDirectory } from '../support/run-drover.ts'
import { until } from '../support/until.ts'

const STREAM: Record<AgentName, string[]> = {
  claude: ['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
  codex: ['exec', '--json', '-'],
  gemini: ['-o', 'stream-json'],
}
const TEXT: Record<AgentName, string[]> = { claude: ['-p'], codex: ['exec', '-'], gemini: [] }
const ID = '67864b76-e99a-43db-a994-02adfd707235'

const lastLine = (stdout: string) => JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')

describe('the fake agent', () => {
  it.each<AgentName>(['claude', 'codex', 'gemini'])('prints its answer as %s prints text', async (agent) => {
    const { code, stdout } = await runFakeAgent(agent, TEXT[agent], { prompt: 'is anybody there?' })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `This is drover's built-in demo agent, standing in for ${agent}. No model was called. Your prompt arrived: "is anybody there?"\n`,
    })
  })

  it('prints each word at once: ended early, it has printed the first words and not the last', async () => {
    const text = Array.from({ length: 2000 }, (_, at) => `word${at} `)
    const { child, heard, ended } = startFakeAgent('gemini', [], { script: { text, chunkMs: 1 } })
    await until(() => heard.stdout.includes('word2 '))
    child.kill('SIGTERM')
    const { stdout } = await ended
    expect(stdout.startsWith('word0 word1 word2 ')).toBe(true)
    expect(stdout).not.toContain('word1999')
  })

  it('prints every word in a separate event', async () => {
    const { stdout } = await runFakeAgent('claude', STREAM.claude, { script: { text: ['one', ' two', ' three'] } })
    const deltas = stdout.split('\n').filter((line) => line.includes('"text_delta"'))
    expect(deltas.map((line) => JSON.parse(line).event.delta.text)).toEqual(['one', ' two', ' three'])
  })

  it.each<[AgentName, number, RegExp]>([
    ['claude', 1, /^Error: Input must be provided/],
    ['codex', 1, /No prompt provided via stdin\.\n$/],
    ['gemini', 42, /^No input provided via stdin\./],
  ])('refuses an empty prompt as %s does', async (agent, code, stderr) => {
    for (const prompt of ['', ' \n']) {
      expect(await runFakeAgent(agent, STREAM[agent], { prompt })).toMatchObject({
        code,
        stdout: '',
        stderr: expect.stringMatching(stderr),
      })
    }
  })

  it.each<[AgentName, string[], number, string]>([
    ['claude', ['-p', '--no-such-flag'], 1, "error: unknown option '--no-such-flag'\n"],
    ['codex', ['exec', '--no-such-flag'], 2, "error: unexpected argument '--no-such-flag' found\n"],
    ['gemini', ['--no-such-flag'], 1, 'Unknown arguments: such-flag, suchFlag\n'],
    ['gemini', ['--strange'], 1, 'Unknown argument: strange\n'],
    ['claude', ['-p', '--output-format', 'stream-json'], 1, 'Error: When using --print, --output-format=stream-json requires --verbose\n'], // biome-ignore format: a row
    ['claude', [], 1, 'Error: the fake agent answers only with --print\n'],
    ['claude', ['-p', '--output-format', 'xml'], 1, "error: option '--output-format <format>' argument 'xml' is invalid\n"], // biome-ignore format: a row
    ['claude', ['-p', '--input-format', 'stream-json'], 1, 'Error: --input-format=stream-json requires output-format=stream-json.\n'], // biome-ignore format: a row
    ['codex', ['resume'], 1, 'Error: the fake agent answers only to "exec"\n'],
    ['gemini', ['-o', 'xml'], 1, 'Invalid values: output-format\n'],
  ])('refuses %s %j with exit code %i', async (agent, args, code, firstLine) => {
    const end = await runFakeAgent(agent, args)
    expect(end).toMatchObject({ code, stdout: '' })
    expect(end.stderr.slice(0, firstLine.length)).toBe(firstLine)
  })

  it.each<[AgentName, string[]]>([
    ['claude', ['--model', 'm1', '--permission-mode', 'acceptEdits', '--append-system-prompt', '-x-', '--max-turns', '3', '--disallowedTools', 'Bash', 'Edit', '--no-session-persistence']], // biome-ignore format: a row
    ['codex', ['-m', 'm1', '-s', 'read-only', '--skip-git-repo-check', '--ephemeral', '-c', 'a="b"', '-C', '/']],
    ['gemini', ['-m', 'm1', '--approval-mode', 'yolo', '--skip-trust']],
  ])('accepts the flags of %s', async (agent, flags) => {
    const { code, stdout } = await runFakeAgent(agent, [...STREAM[agent], ...flags])
    expect(code).toBe(0)
    if (agent !== 'codex') expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ model: 'm1' })
  })

  it.each<[AgentName, string[], string]>([
    ['claude', ['-p', '--', '-hello'], '-hello say hello'],
    ['codex', ['exec', '--', 'resume'], 'resume <stdin> say hello </stdin>'],
    ['gemini', ['--prompt=-hello'], 'say hello -hello'],
  ])('joins a prompt in the arguments of %s with that on stdin', async (agent, args, joined) => {
    const { stdout } = await runFakeAgent(agent, args)
    expect(stdout).toContain(`Your prompt arrived: "${joined}"`)
  })

  it('reads a prompt that claude gets as a message', async () => {
    const content = [{ type: 'text', text: '/say @all' }, { type: 'text', text: '' }] // biome-ignore format: one message
    const prompt = `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`
    const args = [...STREAM.claude, '--input-format', 'stream-json']
    expect((await runFakeAgent('claude', args, { prompt })).stdout).toContain('Your prompt arrived: \\"/say @all\\""')
    expect(await runFakeAgent('claude', args, { prompt: 'no message' })).toMatchObject({ code: 1, stdout: '' })
    const plain = JSON.stringify({ type: 'user', message: { role: 'user', content: 'plain' } })
    expect((await runFakeAgent('claude', args, { prompt: plain })).stdout).toContain('\\"plain\\""')
  })

  it.each<AgentName>(['claude', 'codex', 'gemini'])('prints a version as %s', async (agent) => {
    expect(await runFakeAgent(agent, ['--version'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^0\.0\.0-fake /),
    })
  })

  it('can be on PATH under all three names', async () => {
    const directory = installFakeAgents(temporaryDirectory())
    const ends = await Promise.all(AGENT_NAMES.map((agent) => run([join(directory, agent), '--version'], {})))
    expect(ends.map(({ stdout }) => stdout.includes('standing in for'))).toEqual([true, true, true])
  })

  it('refuses an unknown agent name', async () => {
    expect(await runFakeAgent('cursor' as AgentName, [])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('usage: '),
    })
  })

  it.each([
    ['{"hangOn":1}', 'FAKE_AGENT_SCRIPT is invalid: unknown key "hangOn"'],
    ['{"chunkMs":"fast"}', 'FAKE_AGENT_SCRIPT is invalid: "chunkMs" must be a whole number'],
    ['{"chunkMs":-1}', 'FAKE_AGENT_SCRIPT is invalid: "chunkMs" must be a whole number'],
  ])('refuses the script %j', async (script, message) => {
    expect(await runFakeAgent('claude', ['-p'], { env: { FAKE_AGENT_SCRIPT: script } })).toMatchObject({
      code: 78,
      stderr: expect.stringContaining(message),
    })
  })

  it('ends when its output is not read any more', async () => {
    const { child, exited } = startFakeAgent('codex', STREAM.codex, { script: { lines: 1_000_000 } })
    child.stdout.once('data', () => child.stdout.destroy())
    expect(await exited).toMatchObject({ code: 1 })
  })
})

describe('a failed turn', () => {
  it.each<[AgentName, 401 | 429 | 500, { text: number; stream: number }]>([
    ['claude', 401, { text: 1, stream: 1 }],
    ['claude', 429, { text: 1, stream: 1 }],
    ['claude', 500, { text: 1, stream: 1 }],
    ['codex', 401, { text: 1, stream: 1 }],
    ['codex', 429, { text: 1, stream: 1 }],
    ['codex', 500, { text: 1, stream: 1 }],
    ['gemini', 401, { text: 1, stream: 145 }],
    ['gemini', 429, { text: 1, stream: 173 }],
    ['gemini', 500, { text: 1, stream: 244 }],
  ])('of %s with status %i has the exit codes %j', async (agent, fail, codes) => {
    const ends = await Promise.all([TEXT, STREAM].map((args) => runFakeAgent(agent, args[agent], { script: { fail } })))
    expect(ends.map(({ code }) => code)).toEqual([codes.text, codes.stream])
  })

  it('happens when the prompt asks for it', async () => {
    const [claude, codex, gemini] = await Promise.all(
      (['claude', 'codex', 'gemini'] as const).map((agent) =>
        runFakeAgent(agent, STREAM[agent], { prompt: 'please fail' }),
      ),
    )
    expect(lastLine(claude?.stdout ?? '')).toMatchObject({ type: 'result', is_error: true, api_error_status: 500 })
    expect(lastLine(codex?.stdout ?? '')).toMatchObject({ type: 'turn.failed' })
    expect(lastLine(gemini?.stdout ?? '')).toMatchObject({ type: 'result', status: 'error' })
  })

  it.each<[AgentName, 'stdout' | 'stderr']>([
    ['claude', 'stdout'],
    ['codex', 'stderr'],
    ['gemini', 'stderr'],
  ])('is printed by %s in text on %s alone', async (agent, stream) => {
    const end = await runFakeAgent(agent, TEXT[agent], { prompt: 'please fail' })
    const other = stream === 'stdout' ? 'stderr' : 'stdout'
    expect({ [stream]: end[stream], [other]: end[other] }).toEqual({
      [stream]: expect.stringContaining('the prompt asks it to'),
      [other]: '',
    })
  })

  it('is printed by gemini in JSON on stderr', async () => {
    const { code, stdout, stderr } = await runFakeAgent('gemini', ['-o', 'json'], { script: { fail: 401 } })
    expect({ code, stdout }).toEqual({ code: 145, stdout: '' })
    expect(JSON.parse(stderr.slice(stderr.indexOf('{\n')))).toEqual({
      session_id: expect.any(String),
      error: { type: 'Error', message: expect.stringContaining('"UNAUTHENTICATED"'), code: 401 },
    })
  })
})

describe('sessions', () => {
  const RESUME: Record<AgentName, (id: string) => string[]> = {
    claude: (id) => [...STREAM.claude, '--resume', id],
    codex: (id) => ['exec', '--json', 'resume', id, '-'],
    gemini: (id) => [...STREAM.gemini, '--resume', id],
  }
  const sessionId = (stdout: string) => {
    const first = JSON.parse(stdout.split('\n')[0] ?? '')
    return first.session_id ?? first.thread_id
  }

  it.each<AgentName>(['claude', 'codex', 'gemini'])('of %s can all be continued when none is stored', async (agent) => {
    const { code, stdout } = await runFakeAgent(agent, RESUME[agent](ID))
    expect(code).toBe(0)
    expect(sessionId(stdout)).toBe(ID)
    if (agent === 'codex') expect(stdout).toContain(`It continues session ${ID}.`)
  })

  it.each<AgentName>(['claude', 'codex', 'gemini'])('of %s are new each time', async (agent) => {
    const ends = await Promise.all([1, 2].map(() => runFakeAgent(agent, STREAM[agent])))
    const [a, b] = ends.map(({ stdout }) => sessionId(stdout))
    expect(a).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(a).not.toBe(b)
  })

  it.each<AgentName>(['claude', 'gemini'])('of %s can be named beforehand', async (agent) => {
    const { stdout } = await runFakeAgent(agent, [...STREAM[agent], '--session-id', ID])
    expect(sessionId(stdout)).toBe(ID)
  })

  it.each<AgentName>(['claude', 'codex', 'gemini'])('of %s that are stored can be resumed', async (agent) => {
    const env = { FAKE_AGENT_STATE: temporaryDirectory() }
    const first = await runFakeAgent(agent, STREAM[agent], { env })
    const again = await runFakeAgent(agent, RESUME[agent](sessionId(first.stdout)), { env })
    expect(again.code).toBe(0)
    expect(sessionId(again.stdout)).toBe(sessionId(first.stdout))
  })

  it('of codex count the tokens of the whole thread', async () => {
    const env = { FAKE_AGENT_STATE: temporaryDirectory() }
    const script = { usage: { input: 1000, cached: 600, output: 50, reasoning: 7 } }
    const first = await runFakeAgent('codex', STREAM.codex, { env, script })
    const again = await runFakeAgent('codex', RESUME.codex(sessionId(first.stdout)), { env, script })
    expect([first, again].map(({ stdout }) => lastLine(stdout).usage.input_tokens)).toEqual([1000, 2000])
  })

  it('of codex count the tokens of the whole thread in text too', async () => {
    const env = { FAKE_AGENT_STATE: temporaryDirectory() }
    const script = { usage: { input: 1000, cached: 600, output: 50 } }
    const first = await runFakeAgent('codex', STREAM.codex, { env, script })
    const again = await runFakeAgent('codex', ['exec', 'resume', sessionId(first.stdout), '-'], { env, script })
    expect(again.stderr).toMatch(/tokens used\n900\n$/)
  })

  it('can be resumed after a failed turn', async () => {
    const env = { FAKE_AGENT_STATE: temporaryDirectory() }
    const { stdout } = await runFakeAgent('claude', STREAM.claude, { env, prompt: 'please fail' })
    expect(await runFakeAgent('claude', RESUME.claude(sessionId(stdout)), { env })).toMatchObject({ code: 0 })
  })

  it.each<[AgentName, string[]]>([
    ['claude', ['--no-session-persistence']],
    ['codex', ['--ephemeral']],
  ])('of %s are not stored with %j', async (agent, flags) => {
    const directory = temporaryDirectory()
    const env = { FAKE_AGENT_STATE: directory }
    await runFakeAgent(agent, [...STREAM[agent], ...flags], { env })
    expect(readdirSync(directory)).toEqual([])
    await runFakeAgent(agent, STREAM[agent], { env })
    expect(readdirSync(directory)).toHaveLength(1)
  })

  it('of gemini can be deleted', async () => {
    const directory = temporaryDirectory()
    const env = { FAKE_AGENT_STATE: directory }
    const { stdout } = await runFakeAgent('gemini', STREAM.gemini, { env })
    const id = sessionId(stdout)
    expect(await runFakeAgent('gemini', ['--delete-session', id], { env })).toMatchObject({
      code: 0,
      stdout: `Deleted session ${id}\n`,
    })
    expect(readdirSync(directory)).toEqual([])
  })

  it.each<[AgentName, number, string]>([
    ['claude', 1, `No conversation found with session ID: ${ID}\n`],
    ['codex', 1, `Error: thread/resume: thread/resume failed: no rollout found for thread id ${ID} (code -32600)\n`],
    ['gemini', 42, `Error resuming session: Invalid session identifier "${ID}".\n`],
  ])('of %s that are missing end the agent with exit code %i', async (agent, code, stderr) => {
    const end = await runFakeAgent(agent, RESUME[agent](ID), { env: { FAKE_AGENT_STATE: temporaryDirectory() } })
    expect(end).toMatchObject({ code, stderr })
    if (agent !== 'claude') expect(end.stdout).toBe('')
    else expect(lastLine(end.stdout)).toMatchObject({ subtype: 'error_during_execution', is_error: true })
  })

  it('are never stored outside their directory', async () => {
    const directory = temporaryDirectory()
    const env = { FAKE_AGENT_STATE: join(directory, 'sessions') }
    await runFakeAgent('claude', [...STREAM.claude, '--session-id', '../outside'], { env })
    expect(readdirSync(directory)).toEqual([])
    writeFileSync(join(directory, 'outside.json'), '{}')
    const { code } = await runFakeAgent('claude', RESUME.claude('x/../../outside'), { env })
    expect(code).toBe(1)
  })
})
