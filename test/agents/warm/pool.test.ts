/** The pool with real processes: what its decisions cannot show. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type AgentRequest, NATIVE_BACKENDS } from '../../../src/agents/adapter/agent.ts'
import { NO_SURROUNDINGS } from '../../../src/agents/adapter/surroundings.ts'
import { buildCommand } from '../../../src/agents/build-command.ts'
import type { WarmLimits } from '../../../src/agents/pool/pool-rules.ts'
import { type PoolLease, toPlan, WarmPool, type WarmPoolOptions } from '../../../src/agents/pool/warm-pool.ts'
import type { AcpScript } from '../../fake-agent/acp-script.ts'
import { acpRequest, installAcpAgent } from '../../support/acp-agent.ts'
import { agentRequest } from '../../support/agent-request.ts'
import { IS_FULL } from '../../support/full-counts.ts'
import { temporaryDirectory } from '../../support/run-drover.ts'
import { isRunning } from '../../support/test-command.ts'
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

function createPool(limits: Partial<WarmLimits>, more: Pick<WarmPoolOptions, 'startsAtOnce'> = {}) {
  const options = { limits: { ...LIMITS, ...limits }, owner: async () => undefined, onFailure: () => undefined }
  const pool = new WarmPool({ ...options, ...more })
  onTestFinished(() => pool.close())
  return pool
}

/** Runs the turn of a lease, and returns the session of the agent. */
async function runTurn(lease: PoolLease | undefined, request: AgentRequest): Promise<string> {
  const turn = lease?.agent?.prompt({
    request,
    command: buildCommand(request),
    signal: new AbortController().signal,
  })
  let next = await turn?.next()
  while (next?.done === false) next = await turn?.next()
  const sessionId = lease?.agent?.facts().sessionId ?? ''
  lease?.done()
  return sessionId
}

describe.each<WarmBackend>(['claude', 'codex'])('a process of %s that a prompt has chosen', (backend) => {
  /** Runs a prompt as far as the pool has a process for it. Returns whether it had. */
  async function ask(pool: WarmPool, workdir: string, say: string): Promise<boolean> {
    const request = agentRequest(backend, { program: warmProgram(backend), workdir, prompt: JSON.stringify({ say }) })
    const lease = await pool.take({ request, client: '', sessionTurns: 0 })
    const { agent } = lease ?? {}
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
      lease?.done()
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

describe.each(NATIVE_BACKENDS)('a process of %s', (backend) => {
  it('that reads the settings of the project takes no prompt that ignores them', () => {
    const request = agentRequest(backend, { workdir: temporaryDirectory() })
    const places = [false, true].map((ignoresProject) => {
      const plan = toPlan({ request: { ...request, ignoresProject }, client: '', sessionTurns: 0 })
      return plan?.key.place
    })
    expect(places).toEqual([expect.any(String), expect.not.stringMatching(`^${places[0]}$`)])
  })
})

describe('codex under a ceiling', () => {
  it.each([
    ['rules', undefined],
    ['sessions', expect.any(Object)],
  ])('stays up unless the user has rules, which let commands out of its sandbox: %s', (entry, plan) => {
    const limited = { ignoresProject: true, isLimited: true, workdir: temporaryDirectory() }
    const surroundings = { ...NO_SURROUNDINGS, homeEntries: [entry] }
    const request = agentRequest('codex', { ...limited, surroundings })
    expect(toPlan({ request, client: '', sessionTurns: 0 })).toEqual(plan)
  })
})

describe('a session of gemini that no process has in memory', () => {
  it('is continued in a separate process, also if someone answers the agent', async () => {
    const pool = createPool({})
    const directory = temporaryDirectory()
    const request = agentRequest('gemini', {
      // It would start, and answer.
      program: [installAcpAgent(directory)],
      env: { PATH: process.env['PATH'], HOME: directory },
      workdir: directory,
      approvalMode: 'always',
      hasApprover: true,
      resumeId: '0ce3b155-0000-4000-8000-000000000000',
    })
    const lease = await pool.take({ request, client: '', sessionTurns: 1 })
    expect([lease?.agent, pool.list()]).toEqual([undefined, []])
  })
})

describe('a process that takes any session', () => {
  /** A pool that starts a process for each prompt that finds none, and an agent for it that speaks ACP. */
  function acpPool(script: AcpScript = {}) {
    const pool = createPool({}, { startsAtOnce: true })
    const directory = temporaryDirectory()
    const program = installAcpAgent(directory, script)
    const requestOf = (over: Partial<AgentRequest>) =>
      acpRequest(program, { request: { workdir: directory, ...over }, profile: { resume: 'session/load' } })
    const take = async (over: Partial<AgentRequest> = {}, sessionTurns = 0) => {
      const request = requestOf(over)
      const lease = await pool.take({ request, client: '', sessionTurns })
      return { lease, run: () => runTurn(lease, request) }
    }
    return { pool, take }
  }

  it('is not used for a session that was resumed elsewhere, although it counts no more turns', async () => {
    const { take } = acpPool()
    const first = await take()
    const session = { resumeId: await first.run() }
    const other = await take()
    expect(other.lease?.agent).toBe(first.lease?.agent)
    const elsewhere = await take(session, 1)
    expect(elsewhere.lease?.agent).not.toBe(first.lease?.agent)
    // Its turn is not counted: it failed.
    elsewhere.lease?.done()
    await other.run()
    const again = await take(session, 1)
    expect(again.lease?.agent).not.toBe(first.lease?.agent)
    await again.run()
  })

  it('resumes the sessions that it has in memory, as far as it has all turns of them', async () => {
    const { take } = acpPool()
    const first = await take()
    const one = { resumeId: await first.run() }
    const two = { resumeId: await (await take()).run() }
    for (const [session, turns] of [[one, 1] as const, [one, 2] as const, [two, 1] as const]) {
      const next = await take(session, turns)
      expect([turns, next.lease?.agent === first.lease?.agent]).toEqual([turns, true])
      await next.run()
    }
    const behind = await take(one, 1)
    expect(behind.lease?.agent).not.toBe(first.lease?.agent)
    await behind.run()
  })

  it('gets one prompt at a time, and none after the end of the pool', async () => {
    const { pool, take } = acpPool()
    const [one, two] = await Promise.all([take(), take()])
    expect(one.lease?.agent).toBeDefined()
    expect(two.lease?.agent).not.toBe(one.lease?.agent)
    await two.run()
    await pool.close()
    expect((await take()).lease).toBeUndefined()
    expect(pool.list()).toMatchObject([{ state: 'busy' }])
    const { agent } = one.lease ?? {}
    await one.run()
    await agent?.exit
    expect(pool.list()).toEqual([])
  })

  it('has nothing of a session that must not be stored', async () => {
    const { take } = acpPool()
    const first = await take({ isEphemeral: true })
    const session = { resumeId: await first.run() }
    const next = await take(session, 2)
    expect(next.lease?.agent).toBe(first.lease?.agent)
    next.lease?.done()
  })

  it('ends after a turn that failed', async () => {
    const { pool, take } = acpPool({ steps: [{ fails: { code: -32603, message: 'broken' } }] })
    await (await take()).run()
    expect(pool.list()).toEqual([])
  })
})

describe('a process that does not start in time', () => {
  it.runIf(IS_FULL)('is stopped, and its prompt gets a separate process', async () => {
    const pool = createPool({}, { startsAtOnce: true })
    const workdir = temporaryDirectory()
    const program = join(workdir, 'codex')
    writeFileSync(program, '#!/bin/sh\nexec sleep 300\n', { mode: 0o755 })
    const request = agentRequest('codex', { program: [program], workdir })
    const lease = await pool.take({ request, client: '', sessionTurns: 0 })
    expect([lease?.agent, pool.list()]).toEqual([undefined, []])
    lease?.done()
  })
})

describe('a process that has one session', () => {
  it('ends after a prompt whose session must not be stored, and takes no other after one that is', async () => {
    const pool = createPool({}, { startsAtOnce: true })
    const workdir = temporaryDirectory()
    const take = async (isEphemeral: boolean) => {
      const program = warmProgram('claude')
      const request = agentRequest('claude', { program, workdir, prompt: '{"say": "hello"}', isEphemeral })
      const lease = await pool.take({ request, client: '', sessionTurns: 0 })
      await runTurn(lease, request)
      return lease?.agent
    }
    await take(true)
    expect(pool.list()).toEqual([])
    const first = await take(false)
    expect(pool.list()).toContainEqual(expect.objectContaining({ state: 'idle', turns: 1 }))
    expect(await take(false)).not.toBe(first)
  })
})

describe.each<WarmBackend>(['claude', 'codex'])('a session of %s that only one process can have', (backend) => {
  it('goes to another process when the one before is gone', async () => {
    const pool = createPool({}, { startsAtOnce: true })
    const workdir = temporaryDirectory()
    const take = async (over: Partial<AgentRequest>, sessionTurns = 0) => {
      const [program, env] = [warmProgram(backend), { WARM_LINGERS: '1' }]
      const request = agentRequest(backend, { program, env, workdir, prompt: '{"say": "hello"}', ...over })
      return { request, lease: await pool.take({ request, client: '', sessionTurns }) }
    }
    const first = await take({})
    const pid = first.lease?.agent?.facts().pid ?? 0
    const resumeId = await runTurn(first.lease, first.request)
    const isGone = first.lease?.agent?.exit.then(() => 'gone')
    const second = take({ resumeId, sandboxMode: 'workspace' }, 1).then(({ lease }) => {
      lease?.done()
      return 'taken'
    })
    expect([await Promise.race([isGone, second]), isRunning(pid)]).toEqual(['gone', false])
    await second
  })
})
