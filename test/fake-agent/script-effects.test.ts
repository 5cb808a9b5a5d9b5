import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AGENT_NAMES, type AgentName } from '../../src/demo/demo-answer.ts'
import { runFakeAgent, startFakeAgent } from '../support/fake-agent.ts'
import { NOWHERE } from '../support/nowhere.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { isRunning } from '../support/test-command.ts'
import { until } from '../support/until.ts'
import type { Point, Script } from './script.ts'

const STREAM: Record<AgentName, string[]> = {
  claude: ['-p', '--output-format', 'stream-json', '--verbose'],
  codex: ['exec', '--json', '-'],
  gemini: ['-o', 'stream-json'],
}
const CLOSING: Record<AgentName, string> = {
  claude: '"type":"result"',
  codex: '"type":"turn.completed"',
  gemini: '"type":"result"',
}
const TEXT_LINE: Record<AgentName, string> = {
  claude: '"type":"assistant"',
  codex: '"type":"agent_message"',
  gemini: '"role":"assistant"',
}

const run = (agent: AgentName, script: Script) => runFakeAgent(agent, STREAM[agent], { script })
const linesOf = (stdout: string) => stdout.split('\n').slice(0, -1)

describe.each(AGENT_NAMES)('a script makes %s', (agent) => {
  it('print other words and token counts', async () => {
    const { stdout } = await run(agent, { text: ['a b', 'c'], usage: { input: 41, cached: 1, output: 42 } })
    expect(stdout).toContain(agent === 'gemini' ? '"content":"a b"' : '"text":"a bc"')
    expect(stdout).toMatch(agent === 'claude' ? /"input_tokens":40,.*"output_tokens":42/ : /"input_tokens":41/)
  })

  it('print lines that are not events', async () => {
    const { code, stdout } = await run(agent, { garbageLines: ['not json', '{"type":', '{"type":"new"}'] })
    expect(code).toBe(0)
    expect(linesOf(stdout)).toEqual(expect.arrayContaining(['not json', '{"type":', '{"type":"new"}']))
    expect(stdout).toContain(CLOSING[agent])
  })

  it('print one event line of a given size, and all others as usual', async () => {
    const longLineBytes = 1024 * 1024 + 1
    const { stdout } = await run(agent, { longLineBytes })
    const long = linesOf(stdout).filter((line) => line.length > 10_000)
    expect(long.map((line) => Buffer.byteLength(line))).toEqual([longLineBytes])
    expect(JSON.stringify(JSON.parse(long[0] ?? ''))).toContain(TEXT_LINE[agent])
    expect(stdout).toContain(CLOSING[agent])
  })

  it('print many lines', async () => {
    const flood = async (lines: number) => {
      const { stdout } = await run(agent, { lines, text: [] })
      return linesOf(stdout).filter((line) => line.includes(TEXT_LINE[agent]) && line.includes('line ')).length
    }
    expect([await flood(1), await flood(100), await flood(101), await flood(25_000)]).toEqual([1, 100, 101, 25_000])
  })

  it('stop in the middle of its last line', async () => {
    const { code, stdout } = await run(agent, { halfLine: true })
    const last = stdout.split('\n').at(-1) ?? ''
    expect({ code, start: last.startsWith('{"type":') }).toEqual({ code: 0, start: true })
    expect(() => JSON.parse(last)).toThrow(SyntaxError)
  })

  it.each<[Point, { isBegun: boolean; hasText: boolean }]>([
    ['start', { isBegun: false, hasText: false }],
    ['init', { isBegun: true, hasText: false }],
    ['word', { isBegun: true, hasText: agent === 'gemini' }],
    ['text', { isBegun: true, hasText: true }],
  ])('crash after %s', async (crashAfter, { isBegun, hasText }) => {
    const { signal, stdout } = await run(agent, { crashAfter })
    expect(signal).toBe('SIGKILL')
    expect({ isBegun: stdout !== '', hasText: stdout.includes(TEXT_LINE[agent]) }).toEqual({ isBegun, hasText })
    expect(stdout).not.toContain(CLOSING[agent])
  })

  it.each<Point>(['start', 'init', 'word', 'text'])('hang after %s', async (hangAfter) => {
    const { notes, child, heard } = await start(agent, { hangAfter }, ({ hangs }) => hangs)
    expect(notes()).toEqual({ agent: child.pid, hangs: true })
    if (hangAfter === 'start') expect(heard.stdout).toBe('')
    else await until(() => heard.stdout !== '')
    expect(heard.stdout).not.toContain(CLOSING[agent])
    expect(child.exitCode).toBeNull()
  })

  it('exit with another code than it would', async () => {
    expect(await run(agent, { exitCode: 7 })).toMatchObject({ code: 7 })
    expect(await run(agent, { exitCode: 0, fail: 500 })).toMatchObject({ code: 0 })
  })

  it('write to stderr', async () => {
    const { code, stderr } = await run(agent, { stderr: 'a warning\n' })
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'a warning\n' })
  })

  it('print plain text in place of JSON', async () => {
    const { code, stdout } = await run(agent, { plainText: 'just words' })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'just words\n' })
  })

  it('print a recording unchanged', async () => {
    const file = join(temporaryDirectory(), 'recording')
    const bytes = Buffer.from([0x7b, 0xff, 0x00, 0x0a, 0xc3])
    writeFileSync(file, bytes)
    const { child, ended } = startFakeAgent(agent, STREAM[agent], { script: { replay: file, exitCode: 5 } })
    const chunks: Buffer[] = []
    child.stdout.setEncoding('latin1').on('data', (text: string) => chunks.push(Buffer.from(text, 'latin1')))
    expect(await ended).toMatchObject({ code: 5 })
    expect(Buffer.concat(chunks)).toEqual(bytes)
  })

  it('wait for permits before it prints words', async () => {
    const permits = join(temporaryDirectory(), 'permits')
    const { heard, ended } = await start(agent, { tool: 'true', text: ['last'], permits })
    writeFileSync(permits, '.'.repeat('I will run a command.'.split(' ').length))
    await until(() => heard.stdout.includes('tool_result') || heard.stdout.includes('"status":"completed"'))
    expect(heard.stdout).not.toContain('last')
    appendFileSync(permits, '.')
    expect((await ended).stdout).toContain('last')
  })

  it('retry for ever', async () => {
    const { heard } = await start(agent, { retryForever: true })
    const notice = { claude: /"api_retry","attempt":3,/, codex: /Reconnecting\.\.\. 3 /, gemini: /Attempt 3 failed/ }[
      agent
    ]
    await until(() => notice.test(agent === 'gemini' ? heard.stderr : heard.stdout))
    expect(heard.stdout).not.toContain(CLOSING[agent])
  })

  it('run a tool and print its result', async () => {
    const { code, stdout } = await run(agent, { tool: 'echo "from $((1 + 1))"; echo more >&2' })
    expect(code).toBe(0)
    expect(stdout).toMatch(/"(content|aggregated_output|output)":"from 2\\nmore/)
    expect(stdout).toContain(CLOSING[agent])
  })

  it('print the result of a tool without output', async () => {
    const { stdout } = await run(agent, { tool: 'true' })
    const printed = {
      claude: '"content":"","is_error":false',
      codex: '"aggregated_output":"","exit_code":0,"status":"completed"',
      gemini: '"status":"success","output":""',
    }
    expect(stdout).toContain(printed[agent])
    if (agent === 'gemini') expect(stdout).toContain('"tool_calls":1')
  })

  it('print the result of a tool that fails', async () => {
    const { code, stdout } = await run(agent, { tool: 'echo bad; exit 3' })
    expect(code).toBe(0)
    if (agent === 'claude') expect(stdout).toContain('"content":"bad","is_error":true')
    if (agent === 'codex') expect(stdout).toContain('"aggregated_output":"bad\\n","exit_code":3,"status":"failed"')
  })

  it('be denied a tool, which then does not run', async () => {
    const file = join(temporaryDirectory(), 'ran')
    const { code, stdout } = await run(agent, { tool: `touch ${file}`, toolDenied: true })
    expect(code).toBe(0)
    expect(existsSync(file)).toBe(false)
    expect(stdout).toMatch(
      { claude: /"permission_denials":\[{/, codex: /Read-only file system/, gemini: /"status":"error"/ }[agent],
    )
  })

  it('leave a daemon behind that keeps its stdout open', async () => {
    const pidFile = join(temporaryDirectory(), 'pids')
    const { child, exited } = startFakeAgent(agent, STREAM[agent], { script: { forkDaemon: true, pidFile } })
    expect(await exited).toMatchObject({ code: 0 })
    const { daemon } = JSON.parse(readFileSync(pidFile, 'utf8'))
    expect(isRunning(daemon)).toBe(true)
    expect(child.stdout.readableEnded).toBe(false)
    process.kill(daemon, 'SIGKILL')
    await until(() => child.stdout.readableEnded)
  })
})

describe('a script', () => {
  it.each<[AgentName, string[], string]>([
    ['claude', ['-p', '--output-format', 'json'], 'result'],
    ['gemini', ['-o', 'json'], 'response'],
  ])('makes %s %j print the words after the tool as the answer', async (agent, args, field) => {
    const { stdout } = await runFakeAgent(agent, args, { script: { tool: 'true', text: ['done'] } })
    expect(JSON.parse(stdout)).toMatchObject({ [field]: 'done' })
  })

  it('can delay the first word', async () => {
    const { stdout } = await run('claude', { delayMs: 300 })
    expect(JSON.parse(linesOf(stdout).at(-1) ?? '').duration_ms).toBeGreaterThanOrEqual(300)
  })

  it('names a recording that cannot be read', async () => {
    expect(await run('claude', { replay: `${NOWHERE}/file` })).toMatchObject({
      code: 1,
      stderr: `cannot read the recording ${NOWHERE}/file\n`,
    })
  })
})

type Notes = { agent?: number; hangs?: boolean }

/** Starts an agent that is killed when the test ends. */
async function start(agent: AgentName, script: Script, isReady: (notes: Notes) => unknown = ({ agent: pid }) => pid) {
  const pidFile = join(temporaryDirectory(), 'pids')
  const started = startFakeAgent(agent, STREAM[agent], { script: { ...script, pidFile } })
  onTestFinished(() => void started.child.kill('SIGKILL'))
  const notes = (): Notes => (existsSync(pidFile) ? JSON.parse(readFileSync(pidFile, 'utf8')) : {})
  await until(() => Boolean(isReady(notes())))
  return { ...started, notes }
}
