/** Starts and installs the fake agent (test/fake-agent). */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AGENT_NAMES, type AgentName } from '../../src/demo/demo-answer.ts'
import type { Script } from '../fake-agent/script.ts'
import { bundledProgram } from './bundled-program.ts'

export const FAKE_AGENT = bundledProgram('fake-agent/agent')

export type FakeAgentOptions = { prompt?: string; script?: Script; env?: Record<string, string> }
export type FakeAgentEnd = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }

/** The fake agent's own settings; without them it takes those of its environment. */
type Settings = { script?: Script; stateDirectory?: string }

/** Writes executables `claude`, `codex` and `gemini` into the directory, for PATH or `backends.<name>.command`. */
export function installFakeAgents(directory: string, agents: readonly AgentName[] = AGENT_NAMES): string {
  for (const agent of agents) installFakeAgent(directory, agent)
  return directory
}

/** Writes one executable that is the fake agent, and returns its path. */
export function installFakeAgent(directory: string, agent: AgentName, settings: Settings = {}): string {
  const { script, stateDirectory } = settings
  const exports = [
    ...(script === undefined ? [] : [`export FAKE_AGENT_SCRIPT=${quote(JSON.stringify(script))}\n`]),
    ...(stateDirectory === undefined ? [] : [`export FAKE_AGENT_STATE=${quote(stateDirectory)}\n`]),
  ]
  const path = join(directory, agent)
  const start = `exec ${quote(process.execPath)} ${quote(FAKE_AGENT)} ${agent} "$@"\n`
  writeFileSync(path, `#!/bin/sh\n${exports.join('')}${start}`)
  chmodSync(path, 0o755)
  return path
}

/**
 * Writes a `claude` that prints its session id and then hangs, and returns its directory. It is a shell script: it prints the
 * id at once, while the fake agent needs up to two seconds on a busy machine. For deadlines that must come after the id.
 */
export function installSilentAgent(directory: string): string {
  const init = { type: 'system', subtype: 'init', session_id: randomUUID(), model: 'demo' }
  const text = `#!/bin/sh\necho ${quote(JSON.stringify(init))}\nexec sleep 300\n`
  writeFileSync(join(directory, 'claude'), text, { mode: 0o755 })
  return directory
}

/** Starts the fake agent in a separate process group, with nothing of this machine's environment. */
export function startFakeAgent(agent: AgentName, args: readonly string[], options: FakeAgentOptions = {}) {
  const { prompt = 'say hello', script, env } = options
  const child = spawn(process.execPath, [FAKE_AGENT, agent, ...args], {
    detached: true,
    env: {
      PATH: process.env['PATH'] ?? '',
      ...(script && { FAKE_AGENT_SCRIPT: JSON.stringify(script) }),
      ...env,
    },
  })
  const heard = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      heard[name] += text
    })
  }
  child.stdin.on('error', () => {})
  child.stdin.end(prompt)
  const endOn = (event: 'exit' | 'close') =>
    new Promise<FakeAgentEnd>((resolve) => child.once(event, (code, signal) => resolve({ code, signal, ...heard })))
  return { child, pid: Number(child.pid), heard, exited: endOn('exit'), ended: endOn('close') }
}

export function runFakeAgent(
  agent: AgentName,
  args: readonly string[],
  options: FakeAgentOptions = {},
): Promise<FakeAgentEnd> {
  return startFakeAgent(agent, args, options).ended
}

/** The transcripts that the fake gemini has stored in a home directory. It stores them if `.gemini` exists there. */
export function transcriptsIn(home: string): string[] {
  const chats = join(home, '.gemini', 'tmp', 'work', 'chats')
  return existsSync(chats) ? readdirSync(chats) : []
}

/** Reads the script's `pidFile`. It is empty until the agent has written it. */
export function readPids(path: string): {
  agent?: number
  tool?: number
  daemon?: number
  hangs?: boolean
  /** The last signal that the agent ignored. */
  ignored?: NodeJS.Signals
} {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
