/** Turns that are canceled in a server that keeps the real agents running: each leaves no program and no open session. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openStream } from '../support/read-stream.ts'
import { startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'
import { type AgentSetup, createAgentSetup, MODELS } from './agent-setup.ts'
import { commandOf, installed, processesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()
/** `DROVER_REAL_CANCELS=1000` for a long run. */
const CANCELS = Number(process.env['DROVER_REAL_CANCELS'] ?? 12)
/** A turn takes less than three seconds; the rest is for a busy machine. */
const LIMIT_MS = 60_000 + CANCELS * 6000
const SHOWN_EVERY = 100

/** What each turn is canceled in. The third continues the session of the second. */
const TURNS = ['toolsleep', 'slow', 'slow'] as const

describe.each(installed)('a $backend that stays up', ({ backend, path }) => {
  let setup: AgentSetup

  beforeEach(() => {
    setup = createAgentSetup(backend, path, upstream.port())
  })

  afterEach(() => setup.remove())

  const start = () =>
    startServer({
      agents: 'none',
      // Without it, claude refuses `approval_mode` none for root.
      env: { ...setup.env('plain'), IS_SANDBOX: '1' },
      config: { warm: { enabled: true, spare_after: 1 }, backends: { [backend]: { command: path } } },
    })

  /** Cancels a turn when the agent does something, by request or by closing the connection. */
  async function cancelTurn(server: TestServer, turn: { scenario: string; session?: string; hangsUp: boolean }) {
    const { scenario, session, hangsUp } = turn
    const fields = { backend, model: MODELS[backend], workdir: setup.work, approval_mode: 'none' }
    const stream = await openStream({
      port: server.port,
      path: session === undefined ? '/api/v1/prompt' : `/api/v1/sessions/${session}/resume`,
      body: {
        prompt: `x #scenario=${scenario}`,
        output_format: 'stream-json',
        ...(session === undefined && fields),
      },
    })
    const [id] = server.context.drover.records.running()
    const wasWarm = server.context.drover.warm?.list().some(({ state }) => state === 'busy') === true
    const type = scenario === 'toolsleep' ? '"type":"tool_use"' : '"type":"message"'
    let line = await stream.nextLine()
    while (line !== undefined && !line.includes(type)) line = await stream.nextLine()
    expect(line).toBeDefined()
    if (hangsUp) stream.hangUp()
    else await server.request(`/api/v1/executions/${id?.id}/cancel`, { method: 'POST' })
    return { id: id?.id ?? '', wasWarm, rest: hangsUp ? [] : await stream.rest() }
  }

  it(`leaves nothing behind after ${CANCELS} canceled turns`, { timeout: LIMIT_MS }, async () => {
    const server = await start()
    let [warmTurns, session] = [0, '']
    for (let round = 0; round < CANCELS; round += 1) {
      const scenario = TURNS[round % TURNS.length] ?? 'slow'
      const isNext = round % TURNS.length === 2
      const turn = { scenario, hangsUp: round % 2 === 1, ...(isNext && { session }) }
      // The first turn has a separate process. On a busy machine, the next process may take long to start.
      if (round > 0) await until(() => server.context.drover.warm?.list().some(({ state }) => state === 'idle'))
      const { id, wasWarm, rest } = await cancelTurn(server, turn)
      warmTurns += Number(wasWarm)
      await until(() => server.context.drover.records.running().length === 0)
      expect(sleepers(setup)).toEqual([])
      const execution = (await server.request(`/api/v1/executions/${id}`)).body as { session_id: string }
      expect(execution).toMatchObject({ state: 'cancelled' })
      if (!turn.hangsUp) expect(rest.at(-1)).toContain('"exit_code":130')
      session = execution.session_id
      if ((round + 1) % SHOWN_EVERY === 0) show(backend, { turns: round + 1, warmTurns, setup })
    }
    expect((await server.request('/api/v1/sessions?status=active')).body).toMatchObject({ total: 0 })
    expect((await server.request('/api/v1/executions?state=running')).body).toMatchObject({ executions: [] })
    expect(warmTurns).toBeGreaterThan(CANCELS * 0.8)
    await server.context.drover.warm?.close()
    await until(() => processesIn(setup).length === 0)
  })
})

/** The tools that still run. */
function sleepers(setup: AgentSetup): string[] {
  return processesIn(setup).filter((pid) => commandOf(pid).includes('sleep 300'))
}

function show(backend: string, { turns, warmTurns, setup }: { turns: number; warmTurns: number; setup: AgentSetup }) {
  const running = processesIn(setup).length
  process.stderr.write(`${backend}: ${turns} canceled turns, ${warmTurns} of them warm; ${running} processes\n`)
}
