import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Script } from '../../src/demo/script.ts'
import { installDemoAgents } from '../support/demo-agent.ts'
import { DROVER, run, temporaryDirectory } from '../support/run-drover.ts'

const CLEAR_LINE = '\r\u001b[K'
const isInstalled = spawnSync('script', ['--version']).status === 0

let env: Record<string, string>

beforeEach(() => {
  const room = temporaryDirectory()
  mkdirSync(join(room, 'bin'))
  installDemoAgents(join(room, 'bin'))
  env = { HOME: room, PATH: `${join(room, 'bin')}:${process.env['PATH']}`, NO_COLOR: '1', TERM: 'xterm' }
})

/** What a terminal gets to see: stdout and stderr of drover on one real pseudo-terminal. */
async function onTerminal(args: readonly string[], script: Script): Promise<string> {
  const command = [process.execPath, DROVER, ...args].map((word) => `'${word}'`).join(' ')
  const { stdout } = await run(['script', '-qec', command, '/dev/null'], {
    ...env,
    DEMO_AGENT_SCRIPT: JSON.stringify(script),
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

describe.skipIf(!isInstalled)('a prompt on a terminal', () => {
  it('streams its words as they come, with the activity on a line that goes away', async () => {
    const seen = await onTerminal(['say hello'], { text: ['Hello ', 'there.'], chunkMs: 1 })
    expect(seen).toContain(`${CLEAR_LINE}starting claude`)
    expect(leftOnScreen(seen)).toBe('Hello there.\n')
  })

  it.each(['claude', 'codex', 'gemini'])('keeps what %s said before a tool', async (backend) => {
    const seen = await onTerminal(['-b', backend, 'say hello'], { text: ['Done.'], tool: 'echo tool-output' })
    expect(seen).toContain('echo tool-output')
    const [before, after] = leftOnScreen(seen).trim().split('\n')
    expect(before).toMatch(/\S/)
    expect(after).toBe('Done.')
  })

  it('shows no control characters that an agent sends', async () => {
    const seen = await onTerminal(['say hello'], { text: ['a\u001b]0;owned\u0007b', '\u001b[2Jc'] })
    expect(leftOnScreen(seen)).toBe('a]0;ownedb[2Jc\n')
  })
})
