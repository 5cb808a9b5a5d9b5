/** Conversations, through a pipe and on a real terminal. */

import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { beforeEach, describe, expect, it } from 'vitest'
import { type AgentHome, createAgentHome, hangingAgent, type RunOptions } from '../support/agent-home.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { hasTerminals, startOnTerminal } from '../support/on-terminal.ts'
import { until } from '../support/until.ts'

let home: AgentHome

beforeEach(() => {
  home = createAgentHome()
})

const chat = (lines: readonly string[], args: readonly string[] = [], options: RunOptions = {}) =>
  home.start(['chat', ...args], { input: lines.map((line) => `${line}\n`).join(''), ...options }).ended

/** Oldest first. */
async function sessions() {
  const { stdout } = await home.drover(['sessions', 'list', '--json'])
  return JSON.parse(stdout).sessions.toReversed()
}

const arrivedIn = (text: string) => [...text.matchAll(/Your prompt arrived: "(.*)"/g)].map(([, prompt]) => prompt)

describe('drover chat with piped input', () => {
  it('answers each line in the same session', async () => {
    const { code, stdout, stderr } = await chat(['first', '', 'second'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(arrivedIn(stdout)).toEqual(['first', 'second'])
    expect(stdout).toContain('It continues session')
    expect(await sessions()).toMatchObject([{ backend: 'claude', turn_count: 2, initial_prompt: 'first' }])
  })

  it('joins continued lines and blocks', async () => {
    const { stdout } = await chat(['one\\', 'two', '"""', '/three', 'four', '"""', '//five', '/six/seven'])
    expect(arrivedIn(stdout)).toEqual(['one two', '/three four', '/five', '/six/seven'])
  })

  it.runIf(IS_FULL)('keeps a session for each agent, and goes back to it', async () => {
    const { code, stdout, stderr } = await chat(['to claude', '/backend codex', 'to codex', '/backend claude', 'again'])
    expect({ code, prompts: arrivedIn(stdout) }).toEqual({ code: 0, prompts: ['to claude', 'to codex', 'again'] })
    expect(stderr).toMatch(
      /^codex answers now, in a new session\. It does not know what claude was told; .*\nclaude answers now, in its session [0-9a-f]{8} of before\.\n$/,
    )
    expect(await sessions()).toMatchObject([
      { backend: 'codex', turn_count: 1 },
      { backend: 'claude', turn_count: 2 },
    ])
  })

  it.runIf(IS_FULL)('changes the model, starts a new session and compares agents', async () => {
    const lines = ['/model opus', 'one', 'two', '/model', '/new', 'three', '/compare tabs or spaces?', '/help']
    const { code, stdout, stderr } = await chat(lines)
    expect(code).toBe(0)
    expect(arrivedIn(stdout)).toEqual(['one', 'two', 'three', ...Array(3).fill('tabs or spaces?')])
    expect(stderr).toContain('claude uses opus from the next prompt on.\nclaude uses opus. ')
    expect(stderr).toContain('/compare TEXT')
    expect(await sessions()).toMatchObject([
      { turn_count: 2, model: 'opus' },
      { turn_count: 1, model: 'opus' },
    ])
  })

  it.each([
    ['-c', () => ['-c']],
    ['--session', (id: string) => ['--session', id.slice(0, 8)]],
  ])('continues a session with %s', async (_name, flags) => {
    await home.drover(['first words'])
    const [{ id }] = await sessions()
    expect((await chat(['say more'], flags(id))).code).toBe(0)
    expect(await sessions()).toMatchObject([{ id, turn_count: 2 }])
  })

  it.each<[name: string, lines: readonly string[], code: number, stderr: RegExp]>([
    [
      'an unknown command',
      ['/hepl', 'next'],
      2,
      /no command \/hepl \(did you mean \/help\?\); .*\/\/hepl sends the text/,
    ],
    ['an unknown backend', ['/backend nobody', 'next'], 2, /no backend "nobody"; use claude, codex, gemini/],
    ['a comparison of nothing', ['/compare', 'next'], 2, /\/compare needs a text/],
    ['an unfinished block', ['"""', 'a'], 2, /ends in the middle of a message, which was not sent/],
    ['an unfinished line', ['a\\'], 2, /the line after the one that ends with a backslash/],
  ])('ends with an error at %s, and sends nothing', async (_name, lines, code, stderr) => {
    expect(await chat(lines)).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(stderr) })
    expect(await sessions()).toEqual([])
  })

  it.runIf(IS_FULL)('ends with the exit code of the first failed turn', async () => {
    const { code, stdout, stderr } = await chat(['first', 'second'], [], { script: { fail: 500 } })
    expect(code).toBe(1)
    expect(stdout + stderr).not.toContain('second')
    expect(await sessions()).toHaveLength(1)
  })

  it('ends at /exit', async () => {
    expect(await chat(['/exit', 'next'])).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('says at the start that an agent is not installed, and how to install it', async () => {
    const ran = await chat(['hello'], ['-b', 'codex'], { env: home.bare })
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('"npm install --global @openai/codex"') })
  })

  it('refuses input that is neither a terminal nor a pipe', async () => {
    const ran = await home.start(['chat']).ended
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('reads from a terminal or from piped input') })
  })
})

describe.skipIf(!hasTerminals)('drover chat on a terminal', () => {
  const UP = '\u001b[A'
  const open = (args: readonly string[] = [], env: Record<string, string> = {}) =>
    startOnTerminal(['chat', ...args], { cwd: home.path, env: { ...home.env, ...env } })
  const text = (terminal: ReturnType<typeof open>) => stripVTControlCharacters(terminal.seen())
  const shows = (terminal: ReturnType<typeof open>, part: string) => until(() => text(terminal).includes(part))
  /** The terminal waits for a line, after it has shown this. */
  const asksAfter = async (terminal: ReturnType<typeof open>, part: string) => {
    await shows(terminal, part)
    await until(() => text(terminal).endsWith('claude> '))
  }

  it('prompts, answers, recalls earlier lines also later, and says how to continue', async () => {
    const first = open()
    await shows(first, 'claude> ')
    expect(first.seen()).toContain('Chat with claude. /help shows the commands; Ctrl-D exits.\n')
    first.type('hello\r')
    await asksAfter(first, 'arrived: "hello"')
    first.type('\u0004')
    const { code, seen } = await first.ended
    expect(code).toBe(0)
    expect(seen).toMatch(/session [0-9a-f]{8} · continue with drover chat -c\n$/)
    expect(seen.match(/continue with/g)).toHaveLength(1)
    const file = join(home.path, '.drover', 'chat-history')
    expect(readFileSync(file, 'utf8')).toBe('hello\n')
    expect(statSync(file).mode & 0o777).toBe(0o600)

    const second = open(['-c'])
    await shows(second, 'claude> ')
    second.type(`${UP} again\r`)
    await asksAfter(second, 'arrived: "hello again"')
    second.type('/exit\r')
    expect((await second.ended).code).toBe(0)
    expect(await sessions()).toMatchObject([{ turn_count: 2 }])
  })

  it('ends without an error if the shell has taken the terminal back', async () => {
    const terminal = startOnTerminal(['chat'], { cwd: home.path, env: home.env, isLost: true })
    const { seen } = await terminal.ended
    expect(seen).toBe('Chat with claude. /help shows the commands; Ctrl-D exits.\nexit code 0\n')
  })

  it('continues after an error, and takes a paste as one message', async () => {
    const terminal = open()
    await shows(terminal, 'claude> ')
    terminal.type('/xyzzy\r')
    await asksAfter(
      terminal,
      'drover: no command /xyzzy; /help lists the commands, and //xyzzy sends the text\nto the agent\n',
    )
    terminal.type('\u001b[200~one\rtwo\r\u001b[201~')
    await shows(terminal, '... two')
    terminal.type('\r')
    await asksAfter(terminal, 'arrived: "one two"')
    terminal.type('/ex\t\r')
    expect((await terminal.ended).code).toBe(0)
    expect(readFileSync(join(home.path, '.drover', 'chat-history'), 'utf8')).toBe('/xyzzy\n/exit\n')
  })

  it.runIf(IS_FULL)('cancels only the turn with Ctrl-C, and ends with Ctrl-C twice on an empty line', async () => {
    const pidFile = join(home.path, 'pids')
    const script = JSON.stringify({ hangAfter: 'init', pidFile })
    const terminal = open([], { FAKE_AGENT_SCRIPT: script })
    await shows(terminal, 'claude> ')
    terminal.type('hello\r')
    await hangingAgent(pidFile)
    terminal.type('\u0003')
    await asksAfter(terminal, 'drover: claude was canceled\n')
    terminal.type('half a line')
    await shows(terminal, 'half a line')
    terminal.type('\u0003')
    await asksAfter(terminal, 'half a line^C')
    terminal.type('\u0003')
    await asksAfter(terminal, 'Press Ctrl-C again or Ctrl-D to exit.')
    terminal.type('\u0003')
    const { code, seen } = await terminal.ended
    expect(code).toBe(0)
    expect(seen).toMatch(/continue with drover chat -c\n$/)
    expect(await sessions()).toMatchObject([{ status: 'paused', turn_count: 1 }])
  })
})
