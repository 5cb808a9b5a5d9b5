/** The real claude continues a session on another machine, from the file that drover stores after a turn. */
import { afterEach, describe, expect, it } from 'vitest'
import type { AgentRequest } from '../../src/agents/adapter/agent.ts'
import type { AgentResult } from '../../src/agents/agent-result.ts'
import { buildCommand } from '../../src/agents/build-command.ts'
import { readSessionFile, writeSessionFile } from '../../src/agents/claude/session-file.ts'
import { findWarmBackend } from '../../src/agents/pool/warm-backends.ts'
import { runAgent } from '../../src/agents/run-agent.ts'
import { newScratchDirectory } from '../../src/agents/scratch-files.ts'
import { agentRequest } from '../support/agent-request.ts'
import { until } from '../support/until.ts'
import { type AgentSetup, createAgentSetup, MODELS } from './agent-setup.ts'
import { installed, processesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()
const { path = '' } = installed.find(({ backend }) => backend === 'claude') ?? {}
const { signal } = new AbortController()

describe.skipIf(path === '')('a session of the real claude', () => {
  const setups: AgentSetup[] = []

  afterEach(async () => {
    for (const setup of setups.splice(0)) {
      await until(() => processesIn(setup).length === 0)
      setup.remove()
    }
  })

  function newMachine(): AgentSetup {
    const setup = createAgentSetup('claude', path, upstream.port())
    setups.push(setup)
    return setup
  }

  const requestOn = (machine: AgentSetup, workdir: string, over: Partial<AgentRequest>): AgentRequest =>
    agentRequest('claude', {
      ...{ model: MODELS.claude, workdir, program: [path], env: machine.env('plain'), timeoutMs: 60_000 },
      ...{ isRoot: process.getuid?.() === 0, scratchDirectory: newScratchDirectory(), ...over },
    })

  const runCold = (request: AgentRequest) => finish(runAgent(request, buildCommand(request), { signal }))

  async function runWarm(request: AgentRequest, onEnd: (result: AgentResult) => Promise<void>): Promise<void> {
    const launch = { request, scratchDirectory: request.scratchDirectory, owner: undefined, signal }
    const agent = await findWarmBackend(request)?.start(launch)
    try {
      const run = agent?.prompt({ request, command: buildCommand(request), signal })
      if (run !== undefined) await onEnd(await finish(run))
    } finally {
      await agent?.end()
    }
  }

  it.each(['a separate process', 'a process that stays up'])(
    'from %s is resumed elsewhere, with what it was told',
    async (which) => {
      const [old, other] = [newMachine(), newMachine()]
      const nonce = `KUMQUAT-${Date.now()}`
      const first = requestOn(old, old.work, { prompt: `the word is ${nonce}` })
      const move = async ({ sessionId = '' }: AgentResult) => {
        const file = await readSessionFile(sessionId, first)
        if (file === undefined) throw new Error('claude has stored no session')
        const next = requestOn(other, old.work, { prompt: 'which word?', resumeId: sessionId })
        writeSessionFile(sessionId, file, next)
        const told = upstream.received().length
        expect(await runCold(next)).toMatchObject({ ended: 'itself', sessionId })
        expect(upstream.received().slice(told)).toContain(nonce)
      }
      if (which === 'a process that stays up') await runWarm(first, move)
      else await move(await runCold(first))
    },
  )
})

async function finish(run: AsyncGenerator<unknown, AgentResult, undefined>): Promise<AgentResult> {
  for (;;) {
    const next = await run.next()
    if (next.done === true) return next.value
  }
}
