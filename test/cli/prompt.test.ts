import { spawn } from 'node:child_process'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { splitTokens } from '../../src/prompts/tokens.ts'
import type { Script } from '../fake-agent/script.ts'
import { hangingAgent } from '../support/agent-home.ts'
import { callMain } from '../support/call-main.ts'
import { copyEmptyStore } from '../support/empty-store.ts'
import { installFakeAgent, installFakeAgents, readPids } from '../support/fake-agent.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { DROVER, ending, type Ran, run, runAt, temporaryDirectory } from '../support/run-drover.ts'
import { PNG } from '../support/sample-files.ts'
import { isRunning } from '../support/test-command.ts'
import { until } from '../support/until.ts'

let room: string
let env: Record<string, string>
/** A directory that does not exist. */
let nothing: string

beforeEach(() => {
  room = temporaryDirectory()
  nothing = join(room, 'nothing')
  const bin = join(room, 'bin')
  mkdirSync(bin)
  installFakeAgents(bin)
  copyEmptyStore(join(room, '.drover', 'sessions.db'))
  env = { HOME: room, PATH: `${bin}:${process.env['PATH']}` }
})

const scripted = (script: Script) => ({ ...env, FAKE_AGENT_SCRIPT: JSON.stringify(script) })
const drover = (args: readonly string[], vars = env): Promise<Ran> =>
  callMain(args, { cwd: room, env: vars, homeDirectory: room })

/** Starts drover with something on standard input. */
function feed(args: readonly string[], input: string | Buffer): Promise<Ran> {
  const child = spawn(process.execPath, [DROVER, ...args], { env })
  child.stdin.end(input)
  return ending(child)
}

/** Starts drover with nothing on standard input. */
function start(args: readonly string[], script: Script) {
  return spawn(process.execPath, [DROVER, ...args], { env: scripted(script), stdio: ['ignore', 'pipe', 'pipe'] })
}

const FINE = { text: ['Hello ', 'there.'] }

describe('--add-dir', () => {
  it('names directories in which the agent works too, from where drover was called', async () => {
    for (const name of ['work', 'one', 'two']) mkdirSync(join(room, name))
    const args = ['say hello', '--dry-run', '-w', 'work', '--add-dir', 'one', '--add-dir', join(room, 'two')]
    const { code, stdout } = await drover(args)
    expect([code, stdout.replaceAll(realpathSync(room), '')]).toEqual([
      0,
      expect.stringContaining('--add-dir /one --add-dir /two'),
    ])
  })

  it('must name directories that exist', async () => {
    const { code, stderr } = await drover(['say hello', '--add-dir', nothing])
    expect([code, stderr]).toEqual([2, expect.stringContaining(`the directory ${nothing} does not exist`)])
  })
})

describe('the source of a prompt', () => {
  it.each(
    firstOf(
      [
        ['a bare text with a space', ['hello there']],
        ['one word with an agent', ['-b', 'codex', 'hello']],
        ['one word with a model', ['hello', '--model', 'm-1']],
        ['one word with the demo agent', ['--demo', 'hello']],
        ['the command itself', ['prompt', 'hello']],
        ['flags before the command', ['-b', 'gemini', 'prompt', 'hello']],
        ['a text that looks like a flag, after --', ['prompt', '--', '--hello']],
        ['flags alone, with the word left out', ['-b', 'codex', '-m', 'hello', 'hello']],
      ],
      4,
    ),
  )('can be %s', async (_name, args) => {
    const { code, stdout, stderr } = await drover(args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('hello')
  })

  it('can be a pipe, with or without -', async () => {
    for (const args of [[], ['-'], ['prompt'], ['prompt', '-'], ['-b', 'codex']]) {
      expect(await feed(args, 'from a pipe')).toMatchObject({ code: 0, stdout: expect.stringContaining('from a pipe') })
    }
  })

  it('can be a file', async () => {
    writeFileSync(join(room, 'task.md'), 'from a file')
    expect((await drover(['prompt', '--file', join(room, 'task.md')])).stdout).toContain('from a file')
  })

  it('is never a single word, which may be a misspelled command', async () => {
    expect(await drover(['promt'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean drover prompt?'),
    })
    expect(await drover(['hello'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('to send it as a prompt, run "drover prompt hello"'),
    })
  })

  it.each([
    ['no prompt at all', ['prompt'], 2, 'no prompt; give it'],
    ['an empty one', ['prompt', ' '], 2, 'the prompt is empty'],
    ['two of them', ['prompt', 'a', '--file', 'b'], 2, 'given twice'],
  ])('is refused: %s', async (_name, args, code, sentence) => {
    expect(await drover(args)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(sentence) })
  })

  it('is refused if its file does not exist', async () => {
    expect(await drover(['prompt', '--file', nothing])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(nothing),
    })
  })

  it.each([
    ['a NUL', Buffer.from('a\0b'), 2, 'NUL'],
    ['bytes that are not UTF-8', Buffer.from([0x61, 0xff]), 1, 'UTF-8'],
  ])('is refused with %s', async (_name, bytes, code, sentence) => {
    expect(await feed(['-'], bytes)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(sentence) })
  })

  it('may have a megabyte', async () => {
    expect(await feed(['-'], 'x'.repeat(1_000_000))).toMatchObject({ code: 0, stderr: '' })
  })
})

/** The prompt in the command that a dry run prints. */
function sent({ stdout }: Ran): string | undefined {
  const [, quoted] = / <<< \$?'(.*)'\n$/s.exec(stdout) ?? []
  return quoted?.replaceAll('\\n', '\n')
}

describe('piped input', () => {
  const DIFF = '-a\n+b\n'
  const FENCED = 'review this\n\nContent of standard input:\n```\n-a\n+b\n```'

  it.each([
    ['words', ['review this']],
    ['a file', ['prompt', '--file', 'task.md']],
  ])('follows a prompt from %s, fenced and named', async (_name, args) => {
    writeFileSync(join(room, 'task.md'), 'review this')
    const absolute = args.map((word) => (word === 'task.md' ? join(room, word) : word))
    const ran = await feed([...absolute, '--dry-run'], DIFF)
    expect({ code: ran.code, sent: sent(ran) }).toEqual({ code: 0, sent: FENCED })
  })

  it('is read from a pipe of the shell and from a file, and reaches the agent', async () => {
    writeFileSync(join(room, 'diff'), DIFF)
    for (const line of ['cat diff | "$0" "$1" "review this"', '"$0" "$1" "review this" < diff']) {
      const ran = await runAt(room, ['sh', '-c', line, process.execPath, DROVER], env)
      expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('Content of standard input:'), stderr: '' })
    }
  })

  it('cannot close its fence', async () => {
    const ran = await feed(['review this', '--dry-run'], '```\n````` not the end')
    expect(sent(ran)).toBe('review this\n\nContent of standard input:\n``````\n```\n````` not the end\n``````')
  })

  it.each([
    ['with --no-stdin', ['--no-stdin'], DIFF],
    ['if it is empty', [], ''],
    ['if it is blank', [], ' \n\n'],
  ])('is left out %s', async (_name, flags, input) => {
    const ran = await feed(['review this', '--dry-run', ...flags], input)
    expect({ code: ran.code, sent: sent(ran) }).toEqual({ code: 0, sent: 'review this' })
  })

  it.runIf(IS_FULL)('is left out with a warning if a program keeps a socket open and sends nothing', async () => {
    const child = spawn(process.execPath, [DROVER, 'review this'], { env: scripted(FINE) })
    expect(await ending(child)).toEqual({
      code: 0,
      stdout: 'Hello there.\n',
      stderr: expect.stringMatching(/^drover: warning: standard input is open but sends nothing.*--no-stdin\n$/),
    })
  })

  it.each(
    firstOf(
      [
        ['bytes that are not UTF-8', ['review this'], Buffer.from([0x61, 0xff]), 1, 'standard input is not'],
        ['a NUL', ['review this'], Buffer.from('a\0b'), 2, 'NUL'],
        ['more than 16 MiB', ['review this'], Buffer.alloc(16 * 1024 * 1024 + 1, 'x'), 1, 'standard input is larger'],
        ['--no-stdin and no prompt', ['prompt', '--no-stdin'], 'x', 2, 'no prompt'],
        ['--no-stdin and -', ['prompt', '-', '--no-stdin'], 'x', 2, '- and --no-stdin cannot be used together'],
      ],
      3,
    ),
  )('is refused with %s', async (_name, args, input, code, sentence) => {
    expect(await feed(args, input)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(sentence) })
  })
})

describe('an attached file', () => {
  beforeEach(() => {
    writeFileSync(join(room, 'a.md'), '# A\n```js\n1\n```\n')
    writeFileSync(join(room, 'b c.txt'), 'B')
    writeFileSync(join(room, 'empty'), '')
    writeFileSync(join(room, 'logo.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x00]))
    writeFileSync(join(room, 'latin1'), Buffer.from([0xe9]))
  })
  const inRoom = (args: readonly string[]) => runAt(room, [process.execPath, DROVER, ...args], env)

  it.each(firstOf(['claude', 'codex', 'gemini']))(
    'is sent to %s with its name, in the given order',
    async (backend) => {
      const flags = ['-b', backend, '--dry-run', '--attach', 'a.md', '--attach', 'b c.txt']
      expect(sent(await inRoom(['sum up', ...flags]))).toBe(
        'sum up\n\nContent of the file "a.md":\n````\n# A\n```js\n1\n```\n````\n\nContent of the file "b c.txt":\n```\nB\n```',
      )
    },
  )

  it('comes before piped input, and may be empty', async () => {
    const line = 'echo piped | "$0" "$1" "sum up" --attach empty --dry-run'
    expect(sent(await runAt(room, ['sh', '-c', line, process.execPath, DROVER], env))).toBe(
      'sum up\n\nContent of the file "empty":\n```\n```\n\nContent of standard input:\n```\npiped\n```',
    )
  })

  it.each(
    firstOf(
      [
        ['binary', 'logo.png', 2, 'logo.png is not UTF-8 text, so it cannot be attached'],
        ['not UTF-8', 'latin1', 2, 'latin1 is not UTF-8 text'],
        ['a directory', 'bin', 1, 'bin'],
        ['missing', 'nowhere.txt', 1, 'nowhere.txt'],
      ],
      2,
    ),
  )('is refused if it is %s', async (_name, file, code, sentence) => {
    const ran = await inRoom(['sum up', '--attach', file])
    expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(sentence) })
  })

  it('may be an image, by another flag', async () => {
    writeFileSync(join(room, 'shot.png'), PNG)
    const { code, stdout } = await inRoom([
      'what?',
      '-b',
      'codex',
      '--image',
      'shot.png',
      '--image',
      'shot.png',
      '--dry-run',
    ])
    expect([code, stdout]).toEqual([0, expect.stringContaining("--image '<scratch>/attachments/2.png'")])
    const message = await inRoom(['what?', '-b', 'claude', '--image', 'shot.png', '--dry-run'])
    expect(message.stdout).toContain(`"data":"<${PNG.length} bytes>"`)
    const refused = await inRoom(['what?', '-b', 'codex', '--image', 'a.md', '--dry-run'])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('number 1 is neither a PNG') })
  })

  it('is not meant by @path, and one note says what to do', async () => {
    const { code, stdout, stderr } = await inRoom(['sum up @a.md, @empty and @nowhere', '--dry-run'])
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('sum up @a.md, @empty and') })
    expect(stderr.match(/^drover: note: .*$/gm)).toEqual([
      'drover: note: @a.md is sent as text; to send the content of the file, add --attach a.md',
    ])
  })

  it.each([
    ['does not exist', ['ask me@example.org about @nowhere']],
    ['is attached already', ['sum up @./a.md', '--attach', 'a.md']],
  ])('gives no note for an @path that %s', async (_name, args) => {
    expect((await inRoom([...args, '--dry-run'])).stderr).not.toContain('note:')
  })
})

describe('the output', () => {
  it('is only the complete answer as text', async () => {
    expect(await drover(['hello there'], scripted(FINE))).toEqual({ code: 0, stdout: 'Hello there.\n', stderr: '' })
  })

  it('is the whole result as JSON', async () => {
    const { code, stdout } = await drover(['hello there', '-o', 'json', '-m', 'm-1'], scripted(FINE))
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      session_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      execution_id: expect.stringMatching(/^exec_[0-9a-f]{24}$/),
      backend: 'claude',
      model: 'm-1',
      exit_code: 0,
      duration_ms: expect.any(Number),
      output: 'Hello there.',
      token_usage: {
        input_tokens: expect.any(Number),
        output_tokens: expect.any(Number),
        cached_tokens: expect.any(Number),
        reasoning_tokens: expect.any(Number),
      },
      backend_session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      content: 'Hello there.',
      duration_seconds: expect.any(Number),
      usage: {
        input_tokens: expect.any(Number),
        output_tokens: expect.any(Number),
        total_tokens: expect.any(Number),
      },
      raw: expect.objectContaining({ type: 'result', result: 'Hello there.' }),
    })
  })

  it.each([
    ['claude', { type: 'result', is_error: false }],
    ['codex', { events: expect.arrayContaining([expect.objectContaining({ type: 'turn.completed' })]) }],
    ['gemini', { type: 'result', status: 'success' }],
  ])('has as JSON what %s printed, the tokens and the time in the form of scripts', async (backend, raw) => {
    const report = JSON.parse((await drover(['hello there', '-b', backend, '-o', 'json'], scripted(FINE))).stdout)
    expect(report).toMatchObject({ content: report.output, duration_seconds: report.duration_ms / 1000, raw })
    const { input, output } = splitTokens(report.token_usage, backend)
    expect(report.usage).toEqual({ input_tokens: input, output_tokens: output, total_tokens: input + output })
  })

  it('is one event per line as stream-json', async () => {
    const { stdout } = await drover(['hello there', '-o', 'stream-json'], scripted(FINE))
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.map(({ type }) => type)).toEqual(['init', 'message', 'message', 'token_usage', 'done'])
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5])
    expect(events[1]).toEqual({
      type: 'message',
      backend: 'claude',
      session_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      timestamp: expect.stringMatching(/Z$/),
      sequence: 2,
      content: { text: 'Hello ', role: 'assistant', is_partial: true },
    })
  })

  it('has no session with --ephemeral, and none is recorded', async () => {
    const { stdout } = await drover(['hello there', '-o', 'json', '--ephemeral'])
    expect(JSON.parse(stdout)).toMatchObject({ session_id: '', exit_code: 0 })
    expect(JSON.parse((await drover(['sessions', 'list', '--json'])).stdout)).toMatchObject({ total: 0 })
  })

  it('is that of the next agent after a limit, with --fallback', async () => {
    installFakeAgent(join(room, 'bin'), 'claude', { script: { fail: 429 } })
    const { code, stdout, stderr } = await drover(['hello there', '--fallback', 'codex'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('hello there') })
    expect(stderr).toContain('codex answers in place of claude')
    for (const [args, exit] of [
      [['--fallback', 'codex,', 'hello'], 2],
      [['--fallback', 'nobody', 'hello there'], 1],
      [['--fallback', 'codex', '--raw', 'hello there'], 2],
    ] as const)
      expect(await drover(['prompt', ...args])).toMatchObject({ code: exit, stdout: '' })
  })

  it('has the failure and its code as JSON', async () => {
    const { code, stdout } = await drover(['hello there', '-o', 'json'], scripted({ fail: 429 }))
    expect(JSON.parse(stdout)).toMatchObject({
      exit_code: code,
      error: expect.stringMatching(/\S/),
      error_code: 'agent_rate_limited',
    })
  })

  it('is a JSON error with -o json', async () => {
    const { code, stderr } = await drover(['prompt', ' ', '-o', 'json'])
    expect(code).toBe(2)
    expect(JSON.parse(stderr)).toMatchObject({ error: 'prompt_empty' })
  })

  it.runIf(IS_FULL)('ends the agent when the reader closes the pipe', async () => {
    for (const flags of [
      ['-o', 'stream-json'],
      ['--raw', '-b', 'gemini'],
    ]) {
      const script = { text: Array.from({ length: 500 }, () => 'word '), chunkMs: 20 }
      const child = start(['hello there', ...flags], script)
      child.stdout.once('data', () => child.stdout.destroy())
      const { code, stderr } = await ending(child)
      expect({ code, stderr }).toEqual({ code: 141, stderr: '' })
    }
  })

  it('is the unchanged output of the agent with --raw', async () => {
    const { stdout } = await drover(['hello there', '--raw', '-b', 'codex'], scripted(FINE))
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ type: 'thread.started' })
  })

  it('follows output.format if that is set', async () => {
    const { stdout } = await drover(['hello there'], { ...scripted(FINE), DROVER_OUTPUT_FORMAT: 'json' })
    expect(JSON.parse(stdout)).toMatchObject({ output: 'Hello there.' })
  })

  it('has the tokens on stderr with --usage', async () => {
    const { stdout, stderr } = await drover(['hello there', '--usage'], scripted(FINE))
    expect(stdout).toBe('Hello there.\n')
    expect(stderr).toMatch(/^tokens: \d+ in \(\d+ cached\), \d+ out \(\d+ reasoning\)\n$/)
  })

  it('has what was paid as JSON, and on stderr with --usage', async () => {
    const replay = join(import.meta.dirname, '../recordings/claude/tool.stream-json-partial.stdout')
    const { stdout } = await drover(['hello there', '-o', 'json'], scripted({ replay }))
    expect(JSON.parse(stdout)).toMatchObject({ cost_usd: 0.00426 })
    const { stderr } = await drover(['hello there', '--usage'], scripted({ replay }))
    expect(stderr).toMatch(/^tokens: .* · cost: \$0\.0043\n$/)
    expect((await drover(['hello there'], scripted({ replay }))).stderr).toBe('')
  })

  it('has the warning in the last event as stream-json', async () => {
    const args = ['hello there', '-b', 'codex', '--max-turns', '3', '-o', 'stream-json']
    const { stdout } = await drover(args, scripted(FINE))
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'done',
      content: { warnings: [expect.stringContaining('turns')] },
    })
  })

  it('is a clear error when the disk is full', async () => {
    const argv = ['sh', '-c', '"$0" "$1" version > /dev/full', process.execPath, DROVER]
    expect(await run(argv, env)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^drover: the output could not be written: .*ENOSPC/),
    })
  })

  it('has a warning on stderr for options that the agent does not support', async () => {
    const { code, stderr } = await drover(['hello there', '-b', 'codex', '--max-turns', '3'], scripted(FINE))
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^drover: warning: .*turns.*\n$/) })
  })
})

describe('a tool call that the agent denied', () => {
  const script = { text: ['Done.'], tool: 'touch x', toolDenied: true }

  it.each([
    ['claude', 'Bash (touch x); allow with the approval mode none (--approval none)'],
    ['codex', 'command_execution (touch x); allow with the approval mode auto (--approval auto)'],
    ['gemini', 'run_shell_command (touch x); allow with the approval mode none (--approval none)'],
  ])('is one line on stderr and a warning in every format: %s', async (backend, text) => {
    const warning = `1 tool call was denied: ${text}`
    const [plain, json, stream] = await Promise.all(
      [[], ['-o', 'json'], ['-o', 'stream-json']].map((format) =>
        drover(['prompt', 'x', '-b', backend, ...format], scripted(script)),
      ),
    )
    expect(plain).toMatchObject({ code: 0, stdout: expect.stringContaining('Done.') })
    expect(plain?.stderr).toBe(`drover: warning: ${warning}\n`)
    expect(JSON.parse(json?.stdout ?? '')).toMatchObject({ warnings: [warning] })
    const done = JSON.parse(stream?.stdout.trim().split('\n').at(-1) ?? '')
    expect(done).toMatchObject({ type: 'done', content: { warnings: [warning] } })
  })
})

describe('an answer that is not text', () => {
  const script = { text: ['nul \0, half \ud800, whole \ud83d', '\ude00.'] }
  const answer = 'nul \ufffd, half \ufffd, whole \u{1f600}.'
  const warning = expect.stringContaining('were replaced by U+FFFD')

  it.each(firstOf(['claude', 'codex', 'gemini']))('is made well-formed, with one warning: %s', async (backend) => {
    const asked = ['prompt', 'x', '-b', backend]
    const [json, stream] = await Promise.all(
      ['json', 'stream-json'].map((format) => drover([...asked, '-o', format], scripted(script))),
    )
    expect(JSON.parse(json?.stdout ?? '')).toMatchObject({ output: answer, warnings: [warning] })
    expect(stream?.stdout).not.toMatch(/\\u(?:0000|d[89a-f])/i)
    const events = (stream?.stdout ?? '').trim().split('\n').map((line) => JSON.parse(line)) // biome-ignore format: one step
    const texts = events.flatMap(({ type, content }) => (type === 'message' ? [content.text] : []))
    expect(texts.join('')).toBe(answer)
    expect(events.at(-1)).toMatchObject({ type: 'done', content: { warnings: [warning] } })
  })

  it('can be inserted into the next step of a chain', async () => {
    const steps = ['x', 'Repeat: {{previous}}'].map((prompt) => ({ backend: 'claude', prompt }))
    writeFileSync(join(room, 'steps.json'), JSON.stringify({ steps }))
    const { stdout } = await drover(['chain', '--file', join(room, 'steps.json'), '--json'], scripted(script))
    expect(JSON.parse(stdout)).toMatchObject({ completed_steps: 2 })
  })
})

describe('--schema', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }

  it.each(['claude', 'codex'])('makes %s answer with JSON that matches', async (backend) => {
    writeFileSync(join(room, 'n.json'), JSON.stringify(schema))
    const args = ['prompt', 'x', '-b', backend, '--schema', join(room, 'n.json')]
    expect(await drover(args, scripted({ text: ['{"n":7}'] }))).toEqual({ code: 0, stdout: '{"n":7}\n', stderr: '' })
    const failed = await drover(args, scripted({ text: ['{"n":"x"}'] }))
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('$.n must be of type integer') })
  })

  it.each([
    ['no JSON', 'x', 1],
    ['no object', '[]', 1],
    ['a keyword that is not supported', '{"if":{}}', 1],
  ])('refuses a file with %s', async (_name, content, code) => {
    writeFileSync(join(room, 'n.json'), content)
    const { stderr, ...ran } = await drover(['prompt', 'x', '--schema', join(room, 'n.json')])
    expect(ran).toEqual({ code, stdout: '' })
    expect(stderr).toMatch(/^drover: .+/)
  })
})

describe('the exit code', () => {
  it.each<[string, string[], Script, number, string]>([
    ['is the agent’s own when it fails', [], { plainText: 'no', exitCode: 7 }, 7, 'claude failed'],
    ['is 124 after the timeout', ['--timeout', '1'], { hangAfter: 'init' }, 124, 'did not finish within 1 s'],
  ])('%s', async (_name, flags, script, code, sentence) => {
    const ran = await drover(['hello there', ...flags], scripted(script))
    expect(ran).toMatchObject({ code, stderr: expect.stringContaining(sentence) })
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('is that of %s after it, and the agent is gone', async (signal, code) => {
    const pidFile = join(room, 'pids')
    const child = start(['hello there'], { hangAfter: 'init', pidFile })
    const end = ending(child)
    const agent = await hangingAgent(pidFile)
    child.kill(signal)
    expect(await end).toMatchObject({ code, stderr: expect.stringContaining('canceled') })
    expect(() => process.kill(agent, 0)).toThrow('ESRCH')
  })

  it('comes at once after a second Ctrl-C, which also ends an agent that ignores the first', async () => {
    const interrupt = async (presses: 1 | 2) => {
      const pidFile = join(room, `pids-${presses}`)
      const script: Script = { hangAfter: 'init', ignoreSigterm: true, ignoreSigint: true, pidFile }
      const child = start(['hello there'], script)
      const end = ending(child)
      const agent = await hangingAgent(pidFile)
      const startedAt = performance.now()
      child.kill('SIGINT')
      await until(() => readPids(pidFile).ignored)
      if (presses === 2) child.kill('SIGINT')
      const { code } = await end
      return { code, agent, ms: performance.now() - startedAt }
    }
    const [first, second] = await Promise.all([interrupt(1), interrupt(2)])
    expect([first.code, second.code]).toEqual([130, 130])
    expect([isRunning(first.agent), isRunning(second.agent)]).toEqual([false, false])
    // The first waits until the agent's grace period of two seconds is over.
    expect(first.ms - second.ms).toBeGreaterThan(1000)
  })

  it('is 1 with a message when the agent is not installed', async () => {
    const ran = await drover(['hello there', '-b', 'gemini'], { HOME: room, PATH: nothing })
    expect(ran).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /gemini is not installed.*"npm install --global @google\/gemini-cli".*--demo \(in a program: demo\)\n$/,
      ),
    })
  })

  it.each(firstOf([':', '.:', 'bin:']))('is 1 when the agent is only in the entry %j of PATH', async (entry) => {
    for (const place of [room, join(room, 'bin')]) {
      writeFileSync(join(place, 'claude'), '#!/bin/sh\necho planted\n', { mode: 0o755 })
    }
    const ran = await runAt(room, [process.execPath, DROVER, 'hello there'], { HOME: room, PATH: `${entry}${nothing}` })
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('claude is not installed') })
  })

  it('is 1 with a message when the agent is disabled', async () => {
    const ran = await drover(['hello there'], { ...env, DROVER_BACKENDS_CLAUDE_ENABLED: 'false' })
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('backends.claude.enabled true') })
  })

  it('is 2 when the working directory does not exist', async () => {
    expect(await drover(['hello there', '-w', nothing])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`the working directory ${nothing} does not exist`),
    })
  })
})

describe('an --extra argument', () => {
  it('is passed on when it is harmless', async () => {
    const { stdout } = await drover(['hello there', '--dry-run', '--extra=--effort=high'])
    expect(stdout).toMatch(/claude .*--effort=high/)
  })

  it('is refused by name when it could raise privileges, unless that is allowed', async () => {
    const args = ['hello there', '--dry-run', '--extra=--dangerously-skip-permissions']
    expect(await drover(args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"--dangerously-skip-permissions" in extra'),
    })
    const lifted = { ...env, DROVER_SERVER_ALLOW_UNSAFE_EXTRA: 'true' }
    expect(await drover(args, lifted)).toMatchObject({ code: 0 })
  })
})

describe('a dry run', () => {
  it('can be set in the config', async () => {
    const ran = await drover(['hello there'], { ...env, DROVER_UNIFIED_FLAGS_DRY_RUN: 'true' })
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Would execute: /) })
  })

  it('prints the command that would run, and runs nothing', async () => {
    const { code, stdout } = await drover(['it’s a test', '--dry-run', '-b', 'codex', '--access', 'workspace'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Would execute: \S+codex exec .*-s workspace-write .*- <<< 'it’s a test'\n$/)
  })

  it('is a result like any other, as JSON', async () => {
    const { stdout } = await drover(['hello there', '--dry-run', '-o', 'json'])
    expect(JSON.parse(stdout)).toMatchObject({ exit_code: 0, output: expect.stringMatching(/^Would execute: /) })
  })

  it('is three events, as stream-json', async () => {
    const { stdout } = await drover(['hello there', '--dry-run', '-o', 'stream-json'])
    const events = stdout.split('\n').filter(Boolean)
    expect(events.map((line) => JSON.parse(line).type)).toEqual(['init', 'message', 'done'])
  })

  it('records no session', async () => {
    await drover(['hello there', '--dry-run'])
    expect(JSON.parse((await drover(['sessions', 'list', '--json'])).stdout)).toMatchObject({ total: 0 })
  })

  it('shows how the demo agent would be started', async () => {
    const ran = await drover(['hello there', '--dry-run', '--demo'], { HOME: room, PATH: nothing })
    expect(ran.stdout).toMatch(/^Would execute: \S+node \S+demo-agent\.cjs claude -p /)
  })

  it('is the same with --raw', async () => {
    expect((await drover(['hello there', '--dry-run', '--raw'])).stdout).toMatch(/^Would execute: /)
  })

  it('refuses an agent that is disabled', async () => {
    const ran = await drover(['hello there', '--dry-run'], { ...env, DROVER_BACKENDS_CLAUDE_ENABLED: 'false' })
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('claude is disabled') })
  })

  it('needs no agent', async () => {
    const ran = await drover(['hello there', '--dry-run'], { HOME: room, PATH: nothing })
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Would execute: claude /) })
  })
})

describe('the demo agent', () => {
  const bare = () => ({ HOME: room, PATH: nothing, DEMO_AGENT_WORD_MS: '0' })

  it.each(firstOf(['claude', 'codex', 'gemini']))('replaces %s and says so', async (backend) => {
    const { code, stdout } = await drover(['hello there', '--demo', '-b', backend], bare())
    expect(code).toBe(0)
    expect(stdout).toContain(`demo agent, standing in for ${backend}`)
  })

  it.each(firstOf(['claude', 'codex']))('answers for %s with JSON that matches a schema', async (backend) => {
    const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 7 } }, required: ['n'] }
    writeFileSync(join(room, 'n.json'), JSON.stringify(schema))
    const args = ['prompt', 'x', '--demo', '-b', backend, '--schema', join(room, 'n.json')]
    expect(await drover(args, bare())).toMatchObject({ code: 0, stdout: '{"n":7}\n' })
  })

  it('never replaces an installed agent', async () => {
    const claude = join(room, 'bin', 'claude')
    writeFileSync(claude, '#!/bin/sh\ncat > /dev/null; echo the real one\n')
    expect(await drover(['hello there', '--demo'])).toMatchObject({ code: 0, stdout: 'the real one\n' })
  })
})

describe('drover backends', () => {
  it('reports each agent with its abilities', async () => {
    const claude = join(room, 'bin', 'claude')
    writeFileSync(claude, '#!/bin/sh\necho "9.8.7 (Claude Code)"\n')
    const { stdout } = await drover(['backends', '--json'], { ...env, PATH: `${join(room, 'bin')}:${nothing}` })
    const { backends, default: chosen } = JSON.parse(stdout)
    expect(chosen).toBe('claude')
    expect(backends.map(({ name }: { name: string }) => name)).toEqual(['claude', 'codex', 'gemini'])
    expect(backends[0]).toEqual({
      name: 'claude',
      available: true,
      enabled: true,
      demo: false,
      version: '9.8.7',
      path: claude,
      abilities: {
        deltas: true,
        resume: true,
        system_prompt: 'flag',
        max_turns: true,
        output_schema: true,
        images: true,
        documents: true,
        os_sandbox: false,
        usage: { cached: true, reasoning: false },
      },
      warm: { idle: 0, busy: 0 },
    })
  })

  it('prints which agents are missing, disabled or replaced by the demo agent', async () => {
    const bare = { HOME: room, PATH: nothing }
    expect((await drover(['backends'], bare)).stdout).toMatch(
      /codex {3}not installed; install it with "npm install --global @openai\/codex"\n.*No agent is available\. --demo/s,
    )
    expect((await drover(['backends', '--demo'], bare)).stdout).toContain('replaced by the built-in demo agent')
    const disabled = { ...env, DROVER_BACKENDS_GEMINI_ENABLED: 'false' }
    expect((await drover(['backends'], disabled)).stdout).toContain('disabled in the config')
  })
})
