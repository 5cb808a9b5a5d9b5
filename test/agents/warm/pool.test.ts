/** The pool with real processes: what its decisions cannot show. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { buildCommand } from '../../../src/agents/build-command.ts'
import type { WarmLimits } from '../../../src/agents/pool/warm-limits.ts'
import { WarmPool } from '../../../src/agents/pool/warm-pool.ts'
import { agentRequest } from '../../support/agent-request.ts'
import { temporaryDirectory } from '../../support/run-drover.ts'
import { type WarmBackend, warmProgram } from '../../support/warm-agents.ts'

const LIMITS: WarmLimits = {
  maxProcesses: 4,
  idleMs: 60_000,
  maxTurns: 1000,
  maxAgeMs: 600_000,
  maxBytes: 2 ** 40,
  spares: 1,
  spareAfter: 1,
}
const ROUNDS = 12

function createPool(limits: Partial<WarmLimits>) {
  const options = { limits: { ...LIMITS, ...limits }, owner: async () => undefined, onFailure: () => undefined }
  const pool = new WarmPool(options)
  onTestFinished(() => pool.close())
  return pool
}

describe.each<WarmBackend>(['claude', 'codex'])('a process of %s that a prompt has chosen', (backend) => {
  /** Runs a prompt as far as the pool has a process for it. Returns whether it had. */
  async function ask(pool: WarmPool, workdir: string, say: string): Promise<boolean> {
    const request = agentRequest(backend, { program: warmProgram(backend), workdir, prompt: JSON.stringify({ say }) })
    const ticket = await pool.take({ request, client: '', sessionTurns: 0 })
    const { agent } = ticket ?? {}
    // Time for the sweeper to run between the look-up and the prompt.
    await new Promise((resolve) => setTimeout(resolve, 30))
    try {
      if (agent === undefined) return false
      const turn = agent.prompt({ request, command: buildCommand(request), signal: new AbortController().signal })
      let next = await turn.next()
      while (next.done !== true) next = await turn.next()
      expect(next.value).toMatchObject({ exitCode: 0, text: say })
      return true
    } finally {
      ticket?.done()
    }
  }

  it.each<[string, Partial<WarmLimits>]>([
    ['idle time', { idleMs: 1 }],
    ['age', { maxAgeMs: 1 }],
    ['memory', { maxBytes: 0 }],
    ['number of prompts', { maxTurns: 0 }],
  ])('is not ended before the prompt, however short the limit of its %s', async (_name, limits) => {
    const pool = createPool(limits)
    const workdir = temporaryDirectory()
    let warm = 0
    for (let round = 0; round < ROUNDS && warm < 2; round += 1) {
      // While a process starts, it can be chosen; afterwards the sweeper ends it.
      if (await ask(pool, workdir, `${round}`)) warm += 1
    }
    expect(warm).toBeGreaterThan(0)
  })
})

describe('a session of gemini that no process has in memory', () => {
  it('is continued in a process of its own, also if someone answers the agent', async () => {
    const pool = createPool({})
    const request = agentRequest('gemini', {
      workdir: temporaryDirectory(),
      approvalMode: 'always',
      hasApprover: true,
      resumeId: '0ce3b155-0000-4000-8000-000000000000',
    })
    const ticket = await pool.take({ request, client: '', sessionTurns: 1 })
    expect([ticket?.agent, pool.list()]).toEqual([undefined, []])
  })
})
