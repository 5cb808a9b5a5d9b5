/** Runs the fake agent that speaks ACP (test/fake-agent/acp-agent.ts) through drover. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findAcpAgent } from '../../src/agents/acp/agent.ts'
import type { AcpProfile } from '../../src/agents/adapter/acp-profile.ts'
import type { AgentEvent, AgentRequest } from '../../src/agents/adapter/agent.ts'
import { buildCommand } from '../../src/agents/build-command.ts'
import { runAgent } from '../../src/agents/run-agent.ts'
import type { AgentRunOptions } from '../../src/agents/run-turn.ts'
import type { AcpScript } from '../fake-agent/acp-script.ts'
import { agentRequest } from './agent-request.ts'
import { bundledProgram } from './bundled-program.ts'

const FAKE_AGENT = bundledProgram('fake-agent/acp-agent')

/** Writes an executable of this name, and returns its path. */
export function installAcpAgent(directory: string, script: AcpScript = {}, name = 'fake-acp'): string {
  const exports = {
    FAKE_ACP_SCRIPT: JSON.stringify(script),
    FAKE_ACP_LOG: join(directory, `${name}.log`),
    FAKE_ACP_STATE: join(directory, `${name}-sessions`),
  }
  const lines = Object.entries(exports).map(([variable, value]) => `export ${variable}=${quote(value)}\n`)
  const path = join(directory, name)
  const start = `echo $$ > ${quote(`${path}.pid`)}\nexec ${quote(process.execPath)} ${quote(FAKE_AGENT)} "$@"\n`
  writeFileSync(path, `#!/bin/sh\n${lines.join('')}${start}`, { mode: 0o755 })
  return path
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

/** The frames that the agent has received. */
export function receivedFrames(directory: string, name = 'fake-acp'): AcpFrame[] {
  const lines = readFileSync(join(directory, `${name}.log`), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line) => JSON.parse(line))
}

export type AcpFrame = {
  id?: string | number | null
  method?: string
  params?: Record<string, unknown>
  result?: Record<string, unknown>
  error?: { code: number; message: string }
}

type Over = {
  request?: Partial<AgentRequest>
  options?: Partial<AgentRunOptions>
  profile?: Partial<AcpProfile>
  /** It says nothing after the end of its turn. */
  isPunctual?: boolean
}

export function acpRequest(program: string, { request, profile, isPunctual = false }: Over = {}): AgentRequest {
  const settings = { enabled: true, protocol: 'acp' as const, command: [program], env: {} }
  const agent = findAcpAgent('fake', settings)
  const env = { PATH: process.env['PATH'] }
  const { isLate: _, ...punctual } = agent.profile
  return agentRequest('claude', {
    agent: { ...agent, profile: { ...(isPunctual ? punctual : agent.profile), ...profile } },
    backend: 'fake',
    program: [program],
    env,
    ...request,
  })
}

export function startAcp(program: string, over: Over = {}) {
  const request = acpRequest(program, over)
  return runAgent(request, buildCommand(request), { signal: new AbortController().signal, ...over.options })
}

/** Runs a prompt to its end. */
export async function finishAcp(program: string, over: Over = {}) {
  const running = startAcp(program, over)
  const events: AgentEvent[] = []
  for (;;) {
    const next = await running.next()
    if (next.done === true) return { events, result: next.value }
    events.push(next.value)
  }
}
