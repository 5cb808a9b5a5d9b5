/** One agent may plant settings for another that speaks ACP. Under a ceiling none of them runs anything. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runIdIn } from '../support/driven-home.ts'
import { startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'
import { commandOf, createAcpSetup, startableAcp } from './acp-agents.ts'
import type { AgentSetup } from './agent-setup.ts'
import { createDriveSetup } from './drive-setup.ts'
import { plantGit } from './planted-settings.ts'
import { plantedFor, TRUSTING, trustFor } from './planted-settings-acp.ts'
import { processesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()

/** Agents that were seen to let git look at the files when they start. */
const LOOKS_AT_FILES = ['qwen', 'claude-acp', 'codex-acp']

describe.each(startableAcp)('the real $name in a project with planted settings', { timeout: 300_000 }, (agent) => {
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
  const isUp = () => server.context.drover.warm?.list().some(({ state }) => state === 'idle') === true
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
    await until(isUp)
    const remove = plant()
    expect(await prompt()).toMatchObject(isRefused ? refused : answered)
    remove()
    expect(await prompt()).toMatchObject(answered)
    await end()
    expect(left()).toEqual([])
  })

  const plantGitHere = () => plantGit(setup.work, join(setup.home, 'canaries/git'))

  it.runIf(LOOKS_AT_FILES.includes(name))('runs a program that the repository names without a ceiling', async () => {
    plantGitHere().plantFilter()
    const prompt = await serve({})
    expect(await prompt()).toMatchObject(answered)
    await end()
    expect(left()).toEqual(['git'])
  })

  it.each([false, true])('runs no program that the repository names under a ceiling: warm %s', async (isWarm) => {
    const { plantFilter } = plantGitHere()
    const prompt = await serve({ max_sandbox_mode: isWarm ? 'workspace' : 'read-only' }, isWarm)
    expect(await prompt()).toMatchObject(answered)
    if (isWarm) {
      await until(isUp)
      expect(await prompt()).toMatchObject(answered)
    }
    expect(left()).toEqual([])
    plantFilter()
    expect(await prompt()).toMatchObject({ status: 400, body: { error: 'git_settings_refused' } })
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

const lookers = startableAcp.filter(({ name }) => LOOKS_AT_FILES.includes(name))

describe.each(lookers)('a run by the real $name whose repository tells git to run programs', (acp) => {
  it('runs none of them, and stops when one cannot be turned off', { timeout: 300_000 }, async () => {
    const setup = createDriveSetup({ port: upstream.port(), acp })
    const { plantFilter, hasRun } = plantGit(setup.repository.root, join(setup.home, 'git-has-run'))
    const asked = await setup.drover(
      'drive',
      'Show the wind',
      '--check',
      'sh check.sh',
      '--with',
      acp.name,
      '--no-review',
    )
    expect([asked.code, asked.stderr], asked.stdout).toEqual([4, ''])
    expect(hasRun()).toBe(false)
    plantFilter()
    const id = runIdIn(asked.stdout)
    await setup.drover('answer', id, 'In knots, please.')
    const stopped = await setup.drover('drive', id)
    // Drover itself runs filters: without them, git could not tell what has changed.
    const reason = `would make git run a program while ${acp.name} works`
    expect(stopped).toMatchObject({ code: 4, stdout: expect.stringContaining(reason) })
    expect(stopped.stdout).toContain('filter.planted.clean in ')
    expect(stopped.stdout).toContain('Paused (agent_failed)')
    await until(() => processesIn(setup.asAgentSetup()).length === 0)
    setup.remove()
  })
})
