/** What real agents are told while they work. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AgentEvent, AgentRequest } from '../../src/agents/adapter/agent.ts'
import { buildCommand } from '../../src/agents/build-command.ts'
import { findWarmBackend } from '../../src/agents/pool/warm-backends.ts'
import type { Steering } from '../../src/agents/run-turn.ts'
import { newScratchDirectory } from '../../src/agents/scratch-files.ts'
import type { LongLivedAgent } from '../../src/agents/warm/long-lived-agent.ts'
import { agentRequest } from '../support/agent-request.ts'
import { until } from '../support/until.ts'
import { type AgentSetup, createAgentSetup, MODELS } from './agent-setup.ts'
import { installed, processesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()
const SHELL = { claude: 'Bash', codex: 'exec_command', gemini: 'run_shell_command' } as const
const SAID = 'Use knots and nothing else.'

/** A prompt with which the model calls the shell twice. */
function callsShell(backend: keyof typeof SHELL): string {
  const field = backend === 'codex' ? 'cmd' : 'command'
  const calls = ['sleep 3; echo one', 'echo two'].map((command) => [
    { name: SHELL[backend], args: { [field]: command } },
  ])
  return `work #scenario=client #calls=${Buffer.from(JSON.stringify(calls)).toString('base64url')}`
}

describe.each(installed.filter(({ backend }) => backend !== 'gemini'))('$backend', ({ backend, path }) => {
  let setup: AgentSetup
  let agent: LongLivedAgent | undefined

  beforeEach(() => {
    setup = createAgentSetup(backend, path, upstream.port())
  })

  afterEach(async () => {
    await agent?.end()
    await until(() => processesIn(setup).length === 0)
    setup.remove()
  })

  async function start(prompt: string): Promise<{ agent: LongLivedAgent; request: AgentRequest }> {
    const scratchDirectory = newScratchDirectory()
    const request = agentRequest(backend, {
      ...{ prompt, scratchDirectory, model: MODELS[backend], workdir: setup.work, program: [path] },
      ...{ approvalMode: 'none', isRoot: process.getuid?.() === 0, timeoutMs: 60_000, env: setup.env('plain') },
    })
    const launch = { request, scratchDirectory, owner: undefined, signal: new AbortController().signal }
    agent = await findWarmBackend(request)?.start(launch)
    return { agent: agent as LongLivedAgent, request }
  }

  /** Says it when an event of this type comes. */
  async function sayAt(type: AgentEvent['type'], prompt: string) {
    const { agent, request } = await start(prompt)
    let steering: Steering | undefined
    const turn = agent.prompt({
      ...{ request, command: buildCommand(request), signal: new AbortController().signal },
      onSteerable: (given) => {
        steering = given
      },
    })
    const events: AgentEvent[] = []
    let taken: Promise<boolean | undefined> | undefined
    let next = await turn.next()
    for (; next.done !== true; next = await turn.next()) {
      events.push(next.value)
      if (next.value.type === type) taken ??= steering?.send(SAID)
    }
    return { taken: await taken, result: next.value, events, agent }
  }

  /** The requests to the model that contain the message. */
  const requestsWith = () =>
    upstream
      .received()
      .split('\n')
      .filter((line) => line.includes(SAID)).length

  it('gets a message between two tool calls of one turn', async () => {
    const before = requestsWith()
    const { taken, result, agent } = await sayAt('tool_use', callsShell(backend))
    expect([taken, result.exitCode, result.error]).toEqual([true, 0, undefined])
    expect(requestsWith() - before).toBeGreaterThan(0)
    expect(agent.facts()).toMatchObject({ isReusable: true })
  })

  it('answers a message that comes with its last words in the same turn', async () => {
    const { taken, result, events, agent } = await sayAt('message', 'say hello')
    // A turn of codex may be over by then, and then it says so.
    if (backend === 'claude') expect(taken).toBe(true)
    expect([result.exitCode, result.error]).toEqual([0, undefined])
    expect(events.filter(({ type }) => type === 'init')).toHaveLength(1)
    expect(agent.facts()).toMatchObject({ isReusable: true })
  })
})
