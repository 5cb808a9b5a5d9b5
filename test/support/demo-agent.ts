import { spawn } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AGENT_NAMES, type AgentName } from '../../src/demo/agent-name.ts'
import type { Script } from '../../src/demo/script.ts'

const LAUNCHER = join(import.meta.dirname, '..', '..', 'bin', 'demo-agent.cjs')

export type DemoOptions = { prompt?: string; script?: Script; env?: Record<string, string> }
export type DemoEnd = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }

/** Writes executables `claude`, `codex` and `gemini` that are the demo agent, for PATH or `backends.<name>.command`. */
export function installDemoAgents(directory: string, agents: readonly AgentName[] = AGENT_NAMES): string {
  for (const agent of agents) {
    const path = join(directory, agent)
    writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${LAUNCHER}' ${agent} "$@"\n`)
    chmodSync(path, 0o755)
  }
  return directory
}

/** Starts the demo agent as a process that leads a group, with nothing of this machine's environment. */
export function startDemo(agent: AgentName, args: readonly string[], options: DemoOptions = {}) {
  const { prompt = 'say hello', script, env } = options
  const child = spawn(process.execPath, [LAUNCHER, agent, ...args], {
    detached: true,
    env: {
      PATH: process.env['PATH'] ?? '',
      DEMO_AGENT_WORD_MS: '0',
      ...(script && { DEMO_AGENT_SCRIPT: JSON.stringify(script) }),
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
    new Promise<DemoEnd>((resolve) => child.once(event, (code, signal) => resolve({ code, signal, ...heard })))
  return { child, pid: Number(child.pid), heard, exited: endOn('exit'), ended: endOn('close') }
}

export function runDemo(agent: AgentName, args: readonly string[], options: DemoOptions = {}): Promise<DemoEnd> {
  return startDemo(agent, args, options).ended
}

/** What the agent has written of itself so far; nothing while it is still writing. */
export function readPids(path: string): { agent?: number; tool?: number; daemon?: number; hangs?: boolean } {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}
