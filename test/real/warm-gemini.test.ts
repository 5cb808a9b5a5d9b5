/** The real gemini in a server that keeps it running: the same results as in a separate process. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'
import { type AgentSetup, createAgentSetup, MODELS } from './agent-setup.ts'
import { installed, processesIn, sessionFilesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()
const gemini = installed.filter(({ backend }) => backend === 'gemini')

type Result = Record<string, unknown> & { session_id: string; output: string; warnings?: string[] }

describe.each(gemini)('the real $backend in a process that stays up', ({ backend, path }) => {
  let setup: AgentSetup
  let server: TestServer | undefined

  beforeEach(() => {
    setup = createAgentSetup(backend, path, upstream.port())
  })

  afterEach(async () => {
    await server?.context.drover.warm?.close()
    await until(() => processesIn(setup).length === 0)
    setup.remove()
  })

  const start = async (scenario: string) => {
    const started = await startServer({
      agents: 'none',
      env: setup.env(scenario),
      config: { warm: { enabled: true, spare_after: 1 }, backends: { gemini: { command: path } } },
    })
    server = started
    return started
  }

  async function ask(server: TestServer, body: object, place = '/api/v1/prompt'): Promise<Result> {
    const { status, body: result, text } = await server.request(place, { method: 'POST', body })
    expect([status, text]).toEqual([200, text])
    return result as Result
  }

  const prompt = (server: TestServer, over: object = {}) =>
    ask(server, { backend, prompt: 'say hello', model: MODELS[backend], workdir: setup.work, ...over })

  /** A prompt in a separate process, then the same in one that was up. */
  async function coldAndWarm(server: TestServer, over: object = {}): Promise<[Result, Result]> {
    const cold = await prompt(server, over)
    await until(() => server.context.drover.warm?.list().some(({ state }) => state === 'idle') === true)
    const warm = await prompt(server, over)
    // A process whose turn failed has ended; another is started for the next prompt, after the answer.
    const turns = warm['exit_code'] === 0 ? 1 : 0
    await expect.poll(() => server.context.drover.warm?.list(), { timeout: 10_000 }).toMatchObject([{ backend, turns }])
    return [cold, warm]
  }

  const facts = (result: Result) => {
    // Alone, gemini puts words around the message of the model service.
    const error = String(result['error']).replace(/^\[API Error: (.*)\](?:\n.*)?$/s, '$1')
    const own = ['session_id', 'backend_session_id', 'duration_ms', 'execution_id']
    return Object.fromEntries(Object.entries({ ...result, error }).filter(([name]) => !own.includes(name)))
  }

  it.each([
    ['plain', {}],
    ['thinking', {}],
    ['tool', { approval_mode: 'none' }],
    ['write', {}],
    ['e400', {}],
    ['e401', {}],
    ['e403', {}],
    ['e429', {}],
    ['e500', {}],
    ['cut', {}],
  ])('gives the same result: %s', async (scenario, over) => {
    const server = await start(scenario)
    const [cold, warm] = await coldAndWarm(server, over)
    expect(facts(warm)).toEqual(facts(cold))
    expect(existsSync(join(setup.work, 'written-by-tool.txt'))).toBe(false)
    await server.context.drover.warm?.close()
  })

  it('continues a session in its process, and in another when that has ended', async () => {
    const server = await start('plain')
    const [, first] = await coldAndWarm(server)
    const place = `/api/v1/sessions/${first.session_id}/resume`
    expect(await ask(server, { prompt: 'the second question' }, place)).toMatchObject({ exit_code: 0 })
    expect(server.context.drover.warm?.list()).toMatchObject([{ turns: 2 }])
    await server.context.drover.warm?.close()
    expect(await ask(server, { prompt: 'the third question' }, place)).toMatchObject({ exit_code: 0 })
    const asked = upstream
      .received()
      .trim()
      .split('\n')
      .findLast((line) => line.includes('the third question'))
    expect(asked).toContain('the second question')
  })

  it('leaves no session of an ephemeral prompt', async () => {
    const server = await start('plain')
    await coldAndWarm(server, { ephemeral: true })
    await server.context.drover.warm?.close()
    expect(sessionFilesIn(setup)).toEqual([])
  })
})
