/** One agent may plant settings for another that speaks ACP. Under a ceiling none of them runs anything. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'
import { commandOf, createAcpSetup, startableAcp } from './acp-agents.ts'
import type { AgentSetup } from './agent-setup.ts'
import { plantedFor, TRUSTING, trustFor } from './planted-settings-acp.ts'
import { processesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()

describe.each(startableAcp)('the real $name in a project with planted settings', (agent) => {
  const { name, profile } = agent
  let setup: AgentSetup
  let server: TestServer
  let heardBefore = 0

  beforeEach(() => {
    setup = createAcpSetup(agent, upstream.port())
    mkdirSync(join(setup.home, 'canaries'))
    heardBefore = upstream.received().length
  })

  afterEach(async () => {
    await server.context.drover.warm?.close()
    await until(() => processesIn(setup).length === 0)
    setup.remove()
  })

  const write = (root: string, files: Readonly<Record<string, string>>) => {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), text, { mode: 0o755 })
    }
  }

  const left = () => readdirSync(join(setup.home, 'canaries')).sort()

  const plant = () => {
    const leave = (canary: string) => `touch ${join(setup.home, 'canaries', canary)}`
    const files = plantedFor(name, leave)
    write(setup.work, {
      'AGENTS.md': 'instructions-of-the-project\n',
      'CLAUDE.md': 'instructions-of-the-project\n',
      ...files,
    })
    return () => {
      for (const file of Object.keys(files))
        rmSync(join(setup.work, file.split('/')[0] ?? ''), { recursive: true, force: true })
    }
  }

  async function serve(ceilings: Record<string, string>, isWarm = false) {
    const env = { ...setup.env('plain'), ...TRUSTING }
    // As its user may have done long ago, when the project had no settings.
    write(setup.home, trustFor(name, setup))
    const config = {
      warm: { enabled: isWarm, spare_after: 1 },
      backends: { [name]: { protocol: 'acp', command: commandOf(agent) } },
    }
    server = await startServer({ agents: 'none', env, server: ceilings, config })
    return async () => {
      const body = { backend: name, prompt: 'say hello', workdir: setup.work, timeout_secs: 100 }
      return await server.request('/api/v1/prompt', { method: 'POST', body })
    }
  }

  const answered = { status: 200, body: { exit_code: 0 } }
  const refused = { status: 400, body: { error: 'project_settings_refused' } }
  const isRefused = profile.withoutProject?.refused.length !== 0
  const end = async () => {
    await server.context.drover.warm?.close()
    await until(() => processesIn(setup).length === 0)
  }

  it('uses them without a ceiling, so the attack works', async () => {
    plant()
    const prompt = await serve({})
    await prompt()
    await end()
    expect(left()).toEqual(['planted'])
  })

  it.each(['read-only', 'workspace'])('does not use them under the ceiling %s', async (mode) => {
    plant()
    const prompt = await serve({ max_sandbox_mode: mode })
    expect(await prompt()).toMatchObject(isRefused ? refused : answered)
    await end()
    expect(left()).toEqual([])
  })

  it('does not use them in a process that stays up, planted before or after it started', async () => {
    const prompt = await serve({ max_sandbox_mode: 'workspace' }, true)
    expect(await prompt()).toMatchObject(answered)
    await until(() => server.context.drover.warm?.list().some(({ state }) => state === 'idle') === true)
    const remove = plant()
    expect(await prompt()).toMatchObject(isRefused ? refused : answered)
    remove()
    expect(await prompt()).toMatchObject(answered)
    await end()
    expect(left()).toEqual([])
  })

  it.skipIf(['grok', 'vibe'].includes(name))('still gets the instructions of the project under a ceiling', async () => {
    const remove = plant()
    if (isRefused) remove()
    if (!existsSync(join(setup.work, 'AGENTS.md'))) write(setup.work, { 'AGENTS.md': 'instructions-of-the-project\n' })
    const prompt = await serve({ max_sandbox_mode: 'workspace' })
    expect(await prompt()).toMatchObject(answered)
    expect(upstream.received().slice(heardBefore)).toContain('instructions-of-the-project')
  })
})
