import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { installDemoAgents, runDemo, startDemo } from '../../test/support/demo-agent.ts'
import { run, temporaryDirectory } from '../../test/support/run-drover.ts'
import { until } from '../../test/support/until.ts'
import { AGENT_NAMES, type AgentName } from './agent-name.ts'

const STREAM: Record<AgentName, string[]> = {
  claude: ['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
  codex: ['exec', '--json', '-'],
  gemini: ['-o', 'stream-json'],
}
const TEXT: Record<AgentName, string[]> = { claude: ['-p'], codex: ['exec', '-'], gemini: [] }
const ID = '67864b76-e99a-43db-a994-02adfd707235'

const lastLine = (stdout: string) => JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')

describe('the demo agent', () => {
  it.each<AgentName>(['claude', 'codex', 'gemini'])('prints its answer as %s prints text', async (agent) => {
    const { code, stdout } = await runDemo(agent, TEXT[agent], { prompt: 'is anybody there?' })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `This is drover's built-in demo agent, standing in for ${agent}. No model was called. Your prompt arrived: "is anybody there?"\n`,
    })
  })

  it('says each word when it has it: a reader who ends it early has the first words and not the last', async () => {
    const text = Array.from({ length: 2000 }, (_, at) => `word${at} `)
    const { child, heard, ended } = startDemo('gemini', [], { script: { text, chunkMs: 1 } })
    await until(() => heard.stdout.includes('word2 '))
    child.kill('SIGTERM')
    const { stdout } = await ended
    expect(stdout.startsWith('word0 word1 word2 ')).toBe(true)
    expect(stdout).not.toContain('word1999')
  })

  it('writes every word by itself', async () => {
    const { stdout } = await runDemo('claude', STREAM.claude, { script: { text: ['one', ' two', ' three'] } })
    const deltas = stdout.split('\n').filter((line) => line.includes('"text_delta"'))
    expect(deltas.map((line) => JSON.parse(line).event.delta.text)).toEqual(['one', ' two', ' three'])
  })

  it.each<[AgentName, number, RegExp]>([
    ['claude', 1, /^Error: Input must be provided/],
    ['codex', 1, /No prompt provided via stdin\.\n$/],
    ['gemini', 42, /^No input provided via stdin\./],
  ])('refuses an empty prompt as %s does', async (agent, code, stderr) => {
    for (const prompt of ['', ' \n']) {
      expect(await runDemo(agent, STREAM[agent], { prompt })).toMatchObject({
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
    ['claude', [], 1, 'Error: the demo agent answers only with --print\n'],
    ['claude', ['-p', '--output-format', 'xml'], 1, "error: option '--output-format <format>' argument 'xml' is invalid\n"], // biome-ignore format: a row
    ['claude', ['-p', '--input-format', 'stream-json'], 1, 'Error: --input-format=stream-json requires output-format=stream-json.\n'], // biome-ignore format: a row
    ['codex', ['resume'], 1, 'Error: the demo agent answers only to "exec"\n'],
    ['gemini', ['-o', 'xml'], 1, 'Invalid values: output-format\n'],
  ])('refuses %s %j with exit code %i', async (agent, args, code, firstLine) => {
    const end = await runDemo(agent, args)
    expect(end).toMatchObject({ code, stdout: '' })
    expect(end.stderr.slice(0, firstLine.length)).toBe(firstLine)
  })

  it.each<[AgentName, string[]]>([
    ['claude', ['--model', 'm1', '--permission-mode', 'acceptEdits', '--append-system-prompt', '-x-', '--max-turns', '3', '--disallowedTools', 'Bash', 'Edit', '--no-session-persistence']], // biome-ignore format: a row
    ['codex', ['-m', 'm1', '-s', 'read-only', '--skip-git-repo-check', '--ephemeral', '-c', 'a="b"', '-C', '/']],
    ['gemini', ['-m', 'm1', '--approval-mode', 'yolo', '--skip-trust']],
  ])('takes the flags of %s', async (agent, flags) => {
    const { code, stdout } = await runDemo(agent, [...STREAM[agent], ...flags])
    expect(code).toBe(0)
    if (agent !== 'codex') expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ model: 'm1' })
  })

  it.each<[AgentName, string[], string]>([
    ['claude', ['-p', '--', '-hello'], '-hello say hello'],
    ['codex', ['exec', '--', 'resume'], 'resume <stdin> say hello </stdin>'],
    ['gemini', ['--prompt=-hello'], 'say hello -hello'],
  ])('joins a prompt in the arguments of %s with that on stdin', async (agent, args, joined) => {
    const { stdout } = await runDemo(agent, args)
    expect(stdout).toContain(`Your prompt arrived: "${joined}"`)
  })

  it('reads a prompt that comes to claude as a message', async () => {
    const content = [{ type: 'text', text: '/say @all' }, { type: 'text', text: '' }] // biome-ignore format: one message
    const prompt = `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`
    const args = [...STREAM.claude, '--input-format', 'stream-json']
    expect((await runDemo('claude', args, { prompt })).stdout).toContain('Your prompt arrived: \\"/say @all\\""')
    expect(await runDemo('claude', args, { prompt: 'no message' })).toMatchObject({ code: 1, stdout: '' })
    const plain = JSON.stringify({ type: 'user', message: { role: 'user', content: 'plain' } })
    expect((await runDemo('claude', args, { prompt: plain })).stdout).toContain('\\"plain\\""')
  })

  it.each<AgentName>(['claude', 'codex', 'gemini'])('tells its version as %s', async (agent) => {
    expect(await runDemo(agent, ['--version'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^0\.0\.0-demo /),
    })
  })

  it('can stand on PATH under the names of all three', async () => {
    const directory = installDemoAgents(temporaryDirectory())
    const ends = await Promise.all(AGENT_NAMES.map((agent) => run([join(directory, agent), '--version'], {})))
    expect(ends.map(({ stdout }) => stdout.includes('standing in for'))).toEqual([true, true, true])
  })

  it('refuses to be an agent that it does not know', async () => {
    expect(await runDemo('cursor' as AgentName, [])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('usage: '),
    })
  })

  it.each([
    [{ DEMO_AGENT_SCRIPT: '{"hangOn":1}' }, 'DEMO_AGENT_SCRIPT cannot be followed: "hangOn" is no order'],
    [{ DEMO_AGENT_WORD_MS: 'fast' }, 'DEMO_AGENT_WORD_MS must be a whole number of milliseconds'],
    [{ DEMO_AGENT_WORD_MS: '-1' }, 'DEMO_AGENT_WORD_MS must be a whole number of milliseconds'],
  ])('refuses the settings %j', async (env, words) => {
    expect(await runDemo('claude', ['-p'], { env })).toMatchObject({ code: 78, stderr: expect.stringContaining(words) })
  })

  it('ends when nobody reads any more', async () => {
    const { child, exited } = startDemo('codex', STREAM.codex, { script: { lines: 1_000_000 } })
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
    const ends = await Promise.all([TEXT, STREAM].map((args) => runDemo(agent, args[agent], { script: { fail } })))
    expect(ends.map(({ code }) => code)).toEqual([codes.text, codes.stream])
  })

  it('is asked for by the prompt', async () => {
    const [claude, codex, gemini] = await Promise.all(
      (['claude', 'codex', 'gemini'] as const).map((agent) => runDemo(agent, STREAM[agent], { prompt: 'please fail' })),
    )
    expect(lastLine(claude?.stdout ?? '')).toMatchObject({ type: 'result', is_error: true, api_error_status: 500 })
    expect(lastLine(codex?.stdout ?? '')).toMatchObject({ type: 'turn.failed' })
    expect(lastLine(gemini?.stdout ?? '')).toMatchObject({ type: 'result', status: 'error' })
  })

  it.each<[AgentName, 'stdout' | 'stderr']>([
    ['claude', 'stdout'],
    ['codex', 'stderr'],
    ['gemini', 'stderr'],
  ])('is told by %s in text on %s alone', async (agent, stream) => {
    const end = await runDemo(agent, TEXT[agent], { prompt: 'please fail' })
    const other = stream === 'stdout' ? 'stderr' : 'stdout'
    expect({ [stream]: end[stream], [other]: end[other] }).toEqual({
      [stream]: expect.stringContaining('the prompt asks it to'),
      [other]: '',
    })
  })

  it('is told by gemini in JSON on stderr', async () => {
    const { code, stdout, stderr } = await runDemo('gemini', ['-o', 'json'], { script: { fail: 401 } })
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

  it.each<AgentName>(['claude', 'codex', 'gemini'])('of %s can all be continued when none is kept', async (agent) => {
    const { code, stdout } = await runDemo(agent, RESUME[agent](ID))
    expect(code).toBe(0)
    expect(sessionId(stdout)).toBe(ID)
    if (agent === 'codex') expect(stdout).toContain(`It continues session ${ID}.`)
  })

  it.each<AgentName>(['claude', 'codex', 'gemini'])('of %s are new each time', async (agent) => {
    const ends = await Promise.all([1, 2].map(() => runDemo(agent, STREAM[agent])))
    const [a, b] = ends.map(({ stdout }) => sessionId(stdout))
    expect(a).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(a).not.toBe(b)
  })

  it.each<AgentName>(['claude', 'gemini'])('of %s can be named beforehand', async (agent) => {
    const { stdout } = await runDemo(agent, [...STREAM[agent], '--session-id', ID])
    expect(sessionId(stdout)).toBe(ID)
  })

  it.each<AgentName>(['claude', 'codex', 'gemini'])('of %s that are kept are found again', async (agent) => {
    const env = { DEMO_AGENT_STATE: temporaryDirectory() }
    const first = await runDemo(agent, STREAM[agent], { env })
    const again = await runDemo(agent, RESUME[agent](sessionId(first.stdout)), { env })
    expect(again.code).toBe(0)
    expect(sessionId(again.stdout)).toBe(sessionId(first.stdout))
  })

  it('of codex count the tokens of the whole thread', async () => {
    const env = { DEMO_AGENT_STATE: temporaryDirectory() }
    const script = { usage: { input: 1000, cached: 600, output: 50, reasoning: 7 } }
    const first = await runDemo('codex', STREAM.codex, { env, script })
    const again = await runDemo('codex', RESUME.codex(sessionId(first.stdout)), { env, script })
    expect([first, again].map(({ stdout }) => lastLine(stdout).usage.input_tokens)).toEqual([1000, 2000])
  })

  it('of codex count so in text too', async () => {
    const env = { DEMO_AGENT_STATE: temporaryDirectory() }
    const script = { usage: { input: 1000, cached: 600, output: 50 } }
    const first = await runDemo('codex', STREAM.codex, { env, script })
    const again = await runDemo('codex', ['exec', 'resume', sessionId(first.stdout), '-'], { env, script })
    expect(again.stderr).toMatch(/tokens used\n900\n$/)
  })

  it('can be continued after a turn that failed', async () => {
    const env = { DEMO_AGENT_STATE: temporaryDirectory() }
    const { stdout } = await runDemo('claude', STREAM.claude, { env, prompt: 'please fail' })
    expect(await runDemo('claude', RESUME.claude(sessionId(stdout)), { env })).toMatchObject({ code: 0 })
  })

  it.each<[AgentName, string[]]>([
    ['claude', ['--no-session-persistence']],
    ['codex', ['--ephemeral']],
  ])('of %s leave nothing with %j', async (agent, flags) => {
    const directory = temporaryDirectory()
    const env = { DEMO_AGENT_STATE: directory }
    await runDemo(agent, [...STREAM[agent], ...flags], { env })
    expect(readdirSync(directory)).toEqual([])
    await runDemo(agent, STREAM[agent], { env })
    expect(readdirSync(directory)).toHaveLength(1)
  })

  it('of gemini can be deleted', async () => {
    const directory = temporaryDirectory()
    const env = { DEMO_AGENT_STATE: directory }
    const { stdout } = await runDemo('gemini', STREAM.gemini, { env })
    const id = sessionId(stdout)
    expect(await runDemo('gemini', ['--delete-session', id], { env })).toMatchObject({
      code: 0,
      stdout: `Deleted session ${id}\n`,
    })
    expect(readdirSync(directory)).toEqual([])
  })

  it.each<[AgentName, number, string]>([
    ['claude', 1, `No conversation found with session ID: ${ID}\n`],
    ['codex', 1, `Error: thread/resume: thread/resume failed: no rollout found for thread id ${ID} (code -32600)\n`],
    ['gemini', 42, `Error resuming session: Invalid session identifier "${ID}".\n`],
  ])('of %s that are missing end it with exit code %i', async (agent, code, stderr) => {
    const end = await runDemo(agent, RESUME[agent](ID), { env: { DEMO_AGENT_STATE: temporaryDirectory() } })
    expect(end).toMatchObject({ code, stderr })
    if (agent !== 'claude') expect(end.stdout).toBe('')
    else expect(lastLine(end.stdout)).toMatchObject({ subtype: 'error_during_execution', is_error: true })
  })

  it('never leave their directory', async () => {
    const directory = temporaryDirectory()
    const env = { DEMO_AGENT_STATE: join(directory, 'sessions') }
    await runDemo('claude', [...STREAM.claude, '--session-id', '../outside'], { env })
    expect(readdirSync(directory)).toEqual([])
    writeFileSync(join(directory, 'outside.json'), '{}')
    const { code } = await runDemo('claude', RESUME.claude('x/../../outside'), { env })
    expect(code).toBe(1)
  })
})
