import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AgentName } from '../../src/demo/demo-answer.ts'
import { startFakeAgent } from '../support/fake-agent.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { isRunning } from '../support/test-command.ts'
import { until } from '../support/until.ts'
import type { Interruption } from './dialect.ts'
import type { Script } from './script.ts'

type Case = { exit: number | string; says?: string }

const CLAUDE_STREAM = ['-p', '--output-format', 'stream-json', '--verbose']
const FORMATS: Record<AgentName, Record<string, string[]>> = {
  claude: {
    text: ['-p'],
    json: ['-p', '--output-format', 'json'],
    'stream-json': CLAUDE_STREAM,
    partial: [...CLAUDE_STREAM, '--include-partial-messages'],
  },
  codex: { text: ['exec', '-'], 'stream-json': ['exec', '--json', '-'] },
  gemini: { text: [], json: ['-o', 'json'], 'stream-json': ['-o', 'stream-json'] },
}
/** The event by which each agent ends a turn. */
const CLOSING = /"type":"result"|"turn\.(completed|failed)"|"response"/

describe('a signal while the agent prints its answer', () => {
  it.each<[AgentName, string, Interruption, Case]>([
    ['claude', 'text', 'SIGTERM', { exit: 143, says: '' }],
    ['claude', 'json', 'SIGTERM', { exit: 143, says: '' }],
    ['claude', 'stream-json', 'SIGTERM', { exit: 143 }],
    ['claude', 'partial', 'SIGTERM', { exit: 143 }],
    ['claude', 'text', 'SIGINT', { exit: 0, says: 'Execution error' }],
    ['claude', 'partial', 'SIGINT', { exit: 0 }],
    ['codex', 'text', 'SIGTERM', { exit: 'SIGTERM', says: '' }],
    ['codex', 'stream-json', 'SIGTERM', { exit: 'SIGTERM' }],
    ['codex', 'text', 'SIGINT', { exit: 1, says: '' }],
    ['codex', 'stream-json', 'SIGINT', { exit: 1 }],
    ['gemini', 'text', 'SIGTERM', { exit: 0, says: 'one' }],
    ['gemini', 'json', 'SIGTERM', { exit: 0, says: '' }],
    ['gemini', 'stream-json', 'SIGTERM', { exit: 0 }],
    ['gemini', 'text', 'SIGINT', { exit: 0, says: 'one' }],
    ['gemini', 'json', 'SIGINT', { exit: 0, says: '' }],
    ['gemini', 'stream-json', 'SIGINT', { exit: 0 }],
  ])('%s in %s ends by %s as the real one does, without a result', async (agent, format, signal, { exit, says }) => {
    const { child, ended } = await startAndHang(agent, FORMATS[agent][format])
    child.kill(signal)
    const end = await ended
    expect(end.signal ?? end.code).toBe(exit)
    expect(end.stdout).not.toMatch(CLOSING)
    if (says !== undefined) expect(end.stdout).toBe(says)
  })

  it.each(['json', 'stream-json'])(
    'claude in %s prints that SIGINT interrupted it, and exits with 0',
    async (format) => {
      const { child, ended } = await startAndHang('claude', FORMATS.claude[format])
      child.kill('SIGINT')
      const { code, stdout } = await ended
      const events = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(code).toBe(0)
      expect(events.at(-1)).toMatchObject({
        subtype: 'error_during_execution',
        is_error: true,
        terminal_reason: 'aborted_streaming',
      })
      if (format === 'stream-json') {
        expect(events.slice(1, -1).map(({ type, message }) => [type, message.content[0].text])).toEqual([
          ['assistant', 'one'],
          ['user', '[Request interrupted by user]'],
        ])
      }
    },
  )

  it('codex prints "turn interrupted" on stderr after SIGINT, in text alone', async () => {
    const stderr: string[] = []
    for (const format of ['text', 'stream-json']) {
      const { child, ended } = await startAndHang('codex', FORMATS.codex[format])
      child.kill('SIGINT')
      stderr.push((await ended).stderr)
    }
    expect(stderr.map((text) => text.endsWith('turn interrupted\n'))).toEqual([true, false])
  })

  it.each<Interruption>(['SIGTERM', 'SIGINT'])('can be ignored: %s', async (signal) => {
    const script = signal === 'SIGTERM' ? { ignoreSigterm: true } : { ignoreSigint: true }
    const other = signal === 'SIGTERM' ? 'SIGINT' : 'SIGTERM'
    const { child, ended } = await startAndHang('codex', FORMATS.codex['stream-json'], script)
    child.kill(signal)
    child.kill(other)
    expect(await ended).toMatchObject(other === 'SIGINT' ? { code: 1 } : { signal: 'SIGTERM' })
  })

  it('ends the agent at once even if its output is not read', async () => {
    const { child, exited } = startFakeAgent('claude', FORMATS.claude['stream-json'] ?? [], {
      script: { lines: 1_000_000 },
    })
    await until(() => child.stdout.readableFlowing && child.stdout.pause())
    await until(() => child.stdout.readableLength > 0)
    child.kill('SIGTERM')
    expect(await exited).toMatchObject({ code: 143 })
  })
})

describe('a signal while a tool runs', () => {
  it.each<[AgentName, Interruption, number | string, 'left' | 'ended']>([
    ['claude', 'SIGTERM', 143, 'left'],
    ['claude', 'SIGINT', 1, 'ended'],
    ['codex', 'SIGTERM', 'SIGTERM', 'ended'],
    ['codex', 'SIGINT', 1, 'ended'],
    ['gemini', 'SIGTERM', 0, 'left'],
    ['gemini', 'SIGINT', 0, 'left'],
  ])('%s after %s: it ends with %s, and the tool is %s', async (agent, signal, exit, fate) => {
    const { pid, ended, tool } = await startTool(agent)
    // To the process group, as drover does: the tool is not in it.
    process.kill(-pid, signal)
    const end = await ended
    expect(end.signal ?? end.code).toBe(exit)
    if (fate === 'ended') await until(() => !isRunning(tool))
    expect(isRunning(tool)).toBe(fate === 'left')
  })

  it('claude prints nothing twice', async () => {
    const { child, ended } = await startTool('claude')
    child.kill('SIGINT')
    const types = (await ended).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).type)
    expect(types).toEqual(['system', 'assistant', 'assistant', 'user', 'result'])
  })

  it('claude knows when its tool has ended', async () => {
    const script: Script = { tool: 'true', hangAfter: 'text' }
    const { child, ended } = await startAndHang('claude', FORMATS.claude.json, script)
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 0 })
  })
})

/** Starts an agent that prints its first word and then hangs. */
async function startAndHang(agent: AgentName, args: string[] = [], script: Script = {}) {
  const pidFile = join(temporaryDirectory(), 'pids')
  const started = startFakeAgent(agent, args, {
    script: { text: ['one', 'two'], hangAfter: 'word', pidFile, ...script },
  })
  onTestFinished(() => void started.child.kill('SIGKILL'))
  await until(() => readNotes(pidFile).hangs)
  return started
}

/** Starts an agent and waits until its tool runs. */
async function startTool(agent: AgentName) {
  const pidFile = join(temporaryDirectory(), 'pids')
  const started = startFakeAgent(agent, FORMATS[agent]['stream-json'] ?? [], { script: { tool: 'sleep 300', pidFile } })
  const tool = await until(() => readNotes(pidFile).tool)
  onTestFinished(() => {
    started.child.kill('SIGKILL')
    if (isRunning(tool)) process.kill(-tool, 'SIGKILL')
  })
  return { ...started, tool }
}

function readNotes(file: string): { tool?: number; hangs?: boolean } {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}
