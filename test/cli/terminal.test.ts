import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Script } from '../fake-agent/script.ts'
import { hangingAgent } from '../support/agent-home.ts'
import { installFakeAgents, installSilentAgent } from '../support/fake-agent.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { startOnTerminal } from '../support/on-terminal.ts'
import { DROVER, run, temporaryDirectory } from '../support/run-drover.ts'
import { until } from '../support/until.ts'

const CLEAR_LINE = '\r\u001b[K'
const isInstalled = spawnSync('script', ['--version']).status === 0

let env: Record<string, string>

beforeEach(() => {
  const room = temporaryDirectory()
  mkdirSync(join(room, 'bin'))
  installFakeAgents(join(room, 'bin'))
  env = { HOME: room, PATH: `${join(room, 'bin')}:${process.env['PATH']}`, NO_COLOR: '1', TERM: 'xterm' }
})

/** What a terminal gets to see: stdout and stderr of drover on one real pseudo-terminal. */
async function onTerminal(args: readonly string[], script: Script): Promise<string> {
  const command = [process.execPath, DROVER, ...args].map((word) => `'${word}'`).join(' ')
  const { stdout } = await run(['script', '-qec', command, '/dev/null'], {
    ...env,
    FAKE_AGENT_SCRIPT: JSON.stringify(script),
  })
  return stdout.replaceAll('\r\n', '\n')
}

/** The text that is left when every line that was cleared is taken away. */
function leftOnScreen(seen: string): string {
  return seen
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf(CLEAR_LINE) + 1).replace(CLEAR_LINE.slice(1), ''))
    .join('\n')
}

describe.skipIf(!isInstalled)('drover alone on a terminal', () => {
  it('says in at most ten lines what is installed and what to type next', async () => {
    const seen = await onTerminal([], {})
    expect(seen).toMatch(/^drover \d.*\n\nInstalled agents: claude \(default\), codex, gemini\n\n {2}drover chat /)
    expect(seen.trimEnd().split('\n').length).toBeLessThanOrEqual(10)
    env['PATH'] = '/usr/bin:/bin'
    expect(await onTerminal([], {})).toMatch(
      /No agent is installed.*codex \(npm install --global @openai\/codex\).*chat --demo/s,
    )
  })
})

describe.skipIf(!isInstalled)('a prompt on a terminal', () => {
  it('streams the text and shows the activity on a temporary line', async () => {
    const seen = await onTerminal(['say hello'], { text: ['Hello ', 'there.'], chunkMs: 1 })
    expect(seen).toContain(`${CLEAR_LINE}starting claude`)
    expect(leftOnScreen(seen)).toMatch(/^Hello there\.\nsession [0-9a-f]{8} · continue with drover -c "…"\n$/)
  })

  it.runIf(IS_FULL)('prints no session with --ephemeral', async () => {
    const seen = await onTerminal(['say hello', '--ephemeral'], { text: ['Hello.'] })
    expect(leftOnScreen(seen)).toBe('Hello.\n')
  })

  it.runIf(IS_FULL)('prints the session id if the session belongs to another directory', async () => {
    const seen = await onTerminal(['say hello', '-w', env['HOME'] ?? ''], { text: ['Hello.'] })
    expect(leftOnScreen(seen)).toMatch(/\nsession ([0-9a-f]{8}) · continue with drover resume \1 "…"\n$/)
  })

  it.runIf(IS_FULL)('prints that a session of the demo agent is continued with --demo', async () => {
    expect(await onTerminal(['say hello', '--demo'], { text: ['Hello.'] })).toMatch(/continue with drover -c "…"\n$/)
    env['PATH'] = '/usr/bin:/bin'
    expect(await onTerminal(['say hello', '--demo'], {})).toMatch(/continue with drover -c --demo "…"\n$/)
    const home = env['HOME'] ?? ''
    expect(await onTerminal(['say hello', '--demo', '-w', home], {})).toMatch(/with drover resume \w{8} --demo "…"\n$/)
    const chat = startOnTerminal(['chat', '--demo', '-c'], { cwd: process.cwd(), env })
    await chat.shows('Ctrl-D exits')
    chat.type('/exit\r')
    expect((await chat.ended).seen).toContain('continue with drover chat -c --demo')
  })

  it.runIf(IS_FULL)('prints how to continue after a timeout, but not after a failure', async () => {
    const failed = await onTerminal(['say hello'], { fail: 500 })
    expect(leftOnScreen(failed)).not.toContain('continue with')
    installSilentAgent(join(env['HOME'] ?? '', 'bin'))
    const late = await onTerminal(['say hello', '--timeout', '2'], {})
    expect(leftOnScreen(late)).toMatch(/claude failed: .*\nsession [0-9a-f]{8} · continue with drover -c "…"\n$/)
  })

  it('reports a cancellation after Ctrl-C and prints how to continue', async () => {
    const pidFile = join(env['HOME'] ?? '', 'pids')
    const script = JSON.stringify({ hangAfter: 'init', pidFile })
    const terminal = startOnTerminal(['say hello'], { cwd: process.cwd(), env: { ...env, FAKE_AGENT_SCRIPT: script } })
    await hangingAgent(pidFile)
    terminal.type('\u0003')
    const { code, seen } = await terminal.ended
    expect(code).toBe(130)
    expect(leftOnScreen(seen)).toMatch(
      /drover: claude was canceled\nsession [0-9a-f]{8} · continue with drover -c "…"\n$/,
    )
  })

  it.each(firstOf(['claude', 'codex', 'gemini']))(
    'keeps the text of %s before a tool call, and the call',
    async (backend) => {
      const seen = await onTerminal(['-b', backend, 'say hello'], { text: ['Done.'], tool: 'echo tool-output' })
      const [before, tool, after] = leftOnScreen(seen).trim().split('\n')
      expect(before).toMatch(/\S/)
      expect(tool).toMatch(/^→ .*echo tool-output/)
      expect(after).toBe('Done.')
    },
  )

  it.runIf(IS_FULL)('shows the time and the tokens while the agent is silent, and the tool that runs', async () => {
    const pidFile = join(env['HOME'] ?? '', 'pids')
    const script = { tool: 'sleep 30', pidFile }
    const terminal = startOnTerminal(['say hello'], {
      cwd: process.cwd(),
      env: { ...env, FAKE_AGENT_SCRIPT: JSON.stringify(script) },
    })
    await until(() => /\[K[1-9][0-9.]* s · ~\d+ tok · Bash sleep 30/.test(terminal.seen()))
    terminal.type('\u0003')
    const { seen } = await terminal.ended
    expect(leftOnScreen(seen)).not.toContain(' tok · ')
  })

  it('removes the progress line before a warning about the session', async () => {
    mkdirSync(join(env['HOME'] ?? '', '.drover', 'sessions.db'), { recursive: true })
    const seen = await onTerminal(['say hello'], { text: ['Hello.'] })
    expect(leftOnScreen(seen)).toMatch(/^Hello\.\ndrover: warning: the session could not be saved:\s/)
  })

  it.runIf(IS_FULL)('breaks a long answer between words', async () => {
    const words = 'All of these words belong to one paragraph that is wider than the whole terminal.'
    const seen = await onTerminal(['say hello', '--ephemeral'], { text: words.split(/(?= )/) })
    expect(leftOnScreen(seen)).toBe(`${words.replace(' terminal.', '\nterminal.')}\n`)
  })

  const MARKDOWN = ['# Ti', 'tle\n\nSome **bo', 'ld** text and `co', 'de`.\n- item\n```js\nlet a = 1\n`', '``\n']
  const SHOWN = [
    '\u001b[1m\u001b[4mTitle\u001b[24m\u001b[22m',
    '',
    'Some \u001b[1mbold\u001b[22m text and \u001b[36mcode\u001b[39m.',
    '• item',
    '\u001b[2m```js\u001b[22m',
    '\u001b[36mlet a = 1\u001b[39m',
    '\u001b[2m```\u001b[22m',
  ].join('\n')

  it.each(firstOf(['claude', 'codex', 'gemini']))('renders the Markdown of %s', async (backend) => {
    env['NO_COLOR'] = ''
    const seen = await onTerminal(['say hello', '-b', backend, '--ephemeral'], { text: MARKDOWN, chunkMs: 1 })
    expect(leftOnScreen(seen)).toBe(`${SHOWN}\n`)
  })

  it.each([
    ['with --no-markdown', ['--no-markdown'], ''],
    ['with NO_COLOR', [], '1'],
  ])('prints Markdown as it is written %s', async (_name, flags, noColor) => {
    env['NO_COLOR'] = noColor
    const seen = await onTerminal(['say hello', '--ephemeral', ...flags], { text: MARKDOWN })
    expect(leftOnScreen(seen)).toBe(MARKDOWN.join(''))
  })

  it('lets an agent write no escape sequence through Markdown', async () => {
    env['NO_COLOR'] = ''
    const text = ['**a\u001b]0;owned\u0007b**\n', '[x](\u001b[2Jc)\n', '```\n\u001b[31mred\n```\n']
    const seen = await onTerminal(['say hello', '--ephemeral'], { text })
    const escapes = seen
      .split('\u001b')
      .slice(1)
      .map((after) => /^(\[[0-9;]*[A-Za-z]|.)/.exec(after)?.[0])
    expect(new Set(escapes)).toEqual(new Set(['[K', '[1m', '[22m', '[4m', '[24m', '[2m', '[36m', '[39m']))
  })

  it.runIf(IS_FULL)('shows what was paid if the agent reports it', async () => {
    const replay = join(import.meta.dirname, '../recordings/claude/tool.stream-json-partial.stdout')
    const seen = await onTerminal(['say hello'], { replay })
    expect(leftOnScreen(seen)).toMatch(/\ncost: \$0\.0043\nsession /)
  })

  it.runIf(IS_FULL)('says what it waits for while a pipe is open, and continues when it ends', async () => {
    const fifo = join(env['HOME'] ?? '', 'fifo')
    spawnSync('mkfifo', [fifo])
    const script = JSON.stringify({ text: ['Hello.'] })
    const options = { cwd: process.cwd(), env: { ...env, FAKE_AGENT_SCRIPT: script }, stdin: fifo }
    const terminal = startOnTerminal(['say hello'], options)
    const writer = await open(fifo, 'w')
    await terminal.shows('drover: waiting for the end of standard input')
    await writer.close()
    const { code, seen } = await terminal.ended
    expect(code).toBe(0)
    expect(seen).toMatch(/waiting for .*--no-stdin.*Hello\./s)
  })

  it('removes control characters of an agent', async () => {
    const seen = await onTerminal(['say hello'], { text: ['a\u001b]0;owned\u0007b', '\u001b[2Jc'] })
    expect(leftOnScreen(seen)).toMatch(/^a\]0;ownedb\[2Jc\nsession /)
  })
})

describe.skipIf(!isInstalled)('a command that another program talks to', () => {
  it.each([
    ['acp', 'an editor', 130],
    ['mcp', 'an MCP client', 0],
  ])('says on a terminal what it waits for: %s', async (command, client, code) => {
    const terminal = startOnTerminal([command], { cwd: env['HOME'] ?? '', env })
    await terminal.shows(`drover ${command} waits for the messages of ${client}`)
    await terminal.shows('Press Ctrl-C to stop.')
    terminal.type('\x03')
    expect((await terminal.ended).code).toBe(code)
  })
})
