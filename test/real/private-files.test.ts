/** Files of drover hold texts and keys of all callers. An agent under a ceiling does not get them, whatever the model asks for. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'
import { type AgentSetup, createAgentSetup, MODELS } from './agent-setup.ts'
import { installed, processesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()
const CANARY = 'text-of-another-caller'

describe.each(installed)('a file of drover that the model of the real $backend asks for', ({ backend, path }) => {
  let setup: AgentSetup
  let server: TestServer
  let heardBefore = 0

  beforeEach(() => {
    setup = createAgentSetup(backend, path, upstream.port())
  })

  afterEach(async () => {
    await server.context.drover.warm?.close()
    await until(() => processesIn(setup).length === 0)
    setup.remove()
  })

  async function serve(ceilings: Record<string, string>, isWarm = false) {
    const config = { warm: { enabled: isWarm, spare_after: 1 }, backends: { [backend]: { command: path } } }
    server = await startServer({ agents: 'none', env: setup.env('plain'), server: ceilings, config })
    const canary = join(server.home, 'canary')
    writeFileSync(canary, `${CANARY}\n`)
    heardBefore = upstream.received().length
    return async (scenario: 'look' | 'cat', { place = '/api/v1/prompt', workdir = setup.work, file = canary } = {}) => {
      const prompt = `#scenario=${scenario} #path=${file}`
      const first = { backend, model: MODELS[backend], workdir }
      const body = place === '/api/v1/prompt' ? { ...first, prompt } : { prompt }
      const answer = await server.request(place, { method: 'POST', body })
      expect(answer.body, answer.text).toMatchObject({ exit_code: 0 })
      return answer.body as { session_id: string }
    }
  }

  /** Whether the model has got it, as the result of a tool. */
  const isHeard = () => upstream.received().slice(heardBefore).includes(CANARY)
  const isUp = () => server.context.drover.warm?.list().some(({ state }) => state === 'idle') === true

  const around = () => join(server.home, '..')

  it('reaches it without a ceiling, so the attack works', async () => {
    const ask = await serve({ max_sandbox_mode: 'full' })
    await ask('look', { workdir: around() })
    expect(isHeard()).toBe(true)
  })

  it.each(['read-only', 'workspace'])(
    'does not reach it under the ceiling %s, also in a resumed session',
    async (mode) => {
      const ask = await serve({ max_sandbox_mode: mode })
      const { session_id: id } = await ask('look')
      for (const scenario of ['cat', 'look'] as const) await ask(scenario, { place: `/api/v1/sessions/${id}/resume` })
      await ask('cat')
      expect(isHeard()).toBe(false)
    },
  )

  it('does not reach it in a directory around the files of drover', async () => {
    const ask = await serve({ max_sandbox_mode: 'workspace' })
    if (backend === 'codex') {
      for (const scenario of ['cat', 'look'] as const) await ask(scenario, { workdir: around() })
      expect(isHeard()).toBe(false)
      return
    }
    const body = { backend, prompt: 'x', workdir: around() }
    const refused = { status: 400, body: { error: 'workdir_not_allowed' } }
    expect(await server.request('/api/v1/prompt', { method: 'POST', body })).toMatchObject(refused)
  })

  it.each(['read-only', 'workspace'])(
    'does not reach it from a worktree of drover, under the ceiling %s',
    async (mode) => {
      const ask = await serve({ max_sandbox_mode: mode })
      const workdir = join(server.home, 'worktrees', 'mine')
      mkdirSync(workdir, { recursive: true })
      writeFileSync(join(workdir, 'own'), 'text-of-this-caller\n')
      for (const scenario of ['cat', 'look'] as const) await ask(scenario, { workdir })
      expect(isHeard()).toBe(false)
      await ask('look', { workdir, file: join(workdir, 'own') })
      expect(upstream.received()).toContain('text-of-this-caller')
    },
  )

  it.each(['auto', 'always'])('does not reach it in a process that stays up, under the ceiling %s', async (mode) => {
    const ask = await serve({ max_approval_mode: mode }, true)
    await ask('look')
    await until(isUp)
    const { session_id: id } = await ask('cat')
    expect(server.context.drover.warm?.list()).toContainEqual(expect.objectContaining({ backend, turns: 1 }))
    for (const scenario of ['look', 'cat'] as const) await ask(scenario, { place: `/api/v1/sessions/${id}/resume` })
    expect(isHeard()).toBe(false)
  })
})
