/** One agent may plant settings for another. Under a ceiling, and in a driven run, they are not used; instructions are. */
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readProjectSettings, saveDecision } from '../../src/drive/project-settings.ts'
import { discoverWorkspace } from '../../src/workspace/discover-workspace.ts'
import { locateGit } from '../../src/workspace/git.ts'
import { runIdIn } from '../support/driven-home.ts'
import { PLAIN_ENV } from '../support/git-repository.ts'
import { type ServerOptions, startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'
import { type AgentSetup, createAgentSetup, MODELS } from './agent-setup.ts'
import { createDriveSetup, type DriveSetup } from './drive-setup.ts'
import { CANARIES, INSTRUCTIONS, PLANTED_TEXTS, plantGit, plantSettings } from './planted-settings.ts'
import { installed, processesIn, sessionFilesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()
const GIT = locateGit({ env: PLAIN_ENV, cwd: '/' })
const SIGNAL = new AbortController().signal

type Result = { session_id: string; output: string; exit_code: number; warnings?: string[] }

describe.each(installed)('the real $backend in a project with planted settings', ({ backend, path }) => {
  let setup: AgentSetup
  let left: () => string[]
  let server: TestServer | undefined
  let heardBefore = 0

  beforeEach(() => {
    setup = createAgentSetup(backend, path, upstream.port())
    left = plantSettings(setup.work, join(setup.home, 'canaries'))
    heardBefore = upstream.received().length
  })

  afterEach(async () => {
    await end()
    setup.remove()
  })

  async function end(): Promise<void> {
    await server?.context.drover.warm?.close()
    await until(() => processesIn(setup).length === 0)
  }

  /** What the model has got in this test. */
  const heard = () => upstream.received().slice(heardBefore)

  /** As after a prompt that was allowed to write there. */
  const trustWithCodex = () => {
    if (backend !== 'codex') return
    appendFileSync(join(setup.home, '.codex/config.toml'), `[projects."${setup.work}"]\ntrust_level = "trusted"\n`)
  }

  async function serve(ceilings: ServerOptions['server'], { scenario = 'plain', isWarm = false } = {}) {
    const env = setup.env(scenario)
    trustWithCodex()
    const config = { warm: { enabled: isWarm, spare_after: 1 }, backends: { [backend]: { command: path } } }
    const started = await startServer({ agents: 'none', env, server: ceilings ?? {}, config })
    server = started
    return async (over: object = {}, place = '/api/v1/prompt') => {
      const body = { prompt: 'say hello', ...over }
      const first = { backend, model: MODELS[backend], workdir: setup.work }
      const answer = await started.request(place, {
        method: 'POST',
        body: place === '/api/v1/prompt' ? { ...first, ...body } : body,
      })
      expect([answer.status, answer.text]).toEqual([200, answer.text])
      expect(answer.body, answer.text).toMatchObject({ exit_code: 0 })
      return answer.body as Result
    }
  }

  const isUp = () => server?.context.drover.warm?.list().some(({ state }) => state === 'idle') === true

  function expectIgnored(): void {
    expect(left()).toEqual([])
    const text = heard()
    for (const planted of PLANTED_TEXTS[backend]) expect(text).not.toContain(planted)
    for (const instruction of INSTRUCTIONS[backend]) expect(text).toContain(instruction)
  }

  it('uses them without a ceiling, so the attack works', async () => {
    const prompt = await serve({})
    await prompt()
    await end()
    expect(left()).toEqual(CANARIES[backend])
    const text = heard()
    for (const planted of [...PLANTED_TEXTS[backend], ...INSTRUCTIONS[backend]]) expect(text).toContain(planted)
  })

  it('ignores them under the ceiling read-only, also when it resumes a session', async () => {
    const prompt = await serve({ max_sandbox_mode: 'read-only' })
    const { session_id: id } = await prompt()
    const stored = sessionFilesIn(setup)
    await prompt({ ephemeral: true })
    expect([stored.length, sessionFilesIn(setup)]).toEqual([1, stored])
    await prompt({}, `/api/v1/sessions/${id}/resume`)
    await end()
    expectIgnored()
  })

  it.each(['auto', 'always'] as const)(
    'ignores them in a process that stays up, under the ceiling %s',
    async (mode) => {
      const prompt = await serve({ max_approval_mode: mode }, { isWarm: true })
      await prompt()
      await until(isUp)
      const { session_id: id } = await prompt()
      // Another process may already start for the next prompt.
      expect(server?.context.drover.warm?.list()).toContainEqual(expect.objectContaining({ backend, turns: 1 }))
      await prompt({}, `/api/v1/sessions/${id}/resume`)
      await end()
      expectIgnored()
    },
  )

  it.skipIf(backend !== 'gemini')(
    'does not tell the model the settings of the user if instructions import them',
    async () => {
      writeFileSync(join(setup.work, 'GEMINI.md'), 'instructions-for-gemini\n@./settings.json\n@settings.json\n')
      const prompt = await serve({ max_sandbox_mode: 'read-only' })
      await prompt()
      expect(heard()).toContain('instructions-for-gemini')
      // Of the settings in the private home.
      expect(heard()).not.toContain('folderTrust')
    },
  )

  const plantGitHere = () => plantGit(setup.work, join(setup.home, 'git-has-run'))

  // Gemini does not look at the files.
  it.skipIf(backend === 'gemini')('runs a program that the repository names without a ceiling', async () => {
    const { plantFilter, hasRun } = plantGitHere()
    plantFilter()
    const prompt = await serve({})
    await prompt()
    await end()
    expect(hasRun()).toBe(true)
  })

  it.each([false, true])('runs no program that the repository names under a ceiling: warm %s', async (isWarm) => {
    const { plantFilter, hasRun } = plantGitHere()
    const prompt = await serve({ max_sandbox_mode: isWarm ? 'workspace' : 'read-only' }, { isWarm })
    await prompt()
    if (isWarm) {
      await until(isUp)
      await prompt()
    }
    expect(hasRun()).toBe(false)
    plantFilter()
    const body = { backend, prompt: 'say hello', workdir: setup.work }
    const refused = await server?.request('/api/v1/prompt', { method: 'POST', body })
    expect(refused).toMatchObject({ status: 400, body: { error: 'git_settings_refused' } })
    await end()
    expect(hasRun()).toBe(false)
  })

  it.each([false, true])(
    'writes nothing under the ceiling always, whatever the user allows it: warm %s',
    async (isWarm) => {
      allowEverything()
      const prompt = await serve({ max_approval_mode: 'always' }, { scenario: 'write', isWarm })
      await prompt()
      if (isWarm) {
        await until(isUp)
        await prompt()
      }
      await end()
      expect(existsSync(join(setup.work, 'written-by-tool.txt'))).toBe(false)
    },
  )

  it('edits files under the ceiling auto, and runs no command', async () => {
    allowEverything()
    const file = join(setup.work, 'made.txt')
    const prompt = await serve({ max_approval_mode: 'auto' }, { scenario: 'newfile' })
    await prompt({ approval_mode: 'auto', prompt: `#path=${file}` })
    if (backend !== 'codex') expect(existsSync(file)).toBe(true)
    await prompt({ approval_mode: 'auto', prompt: '#scenario=write' })
    await end()
    // Codex runs commands in its sandbox, which may write to temporary directories too, such as this one.
    const isSandboxed = backend === 'codex'
    expect(existsSync(join(setup.work, 'written-by-tool.txt'))).toBe(isSandboxed)
    expect(existsSync(join(setup.home, 'outside-probe.txt'))).toBe(isSandboxed)
  })

  it.skipIf(backend === 'codex')('does what the user allows without a ceiling', async () => {
    allowEverything()
    const prompt = await serve({}, { scenario: 'write' })
    await prompt()
    await end()
    expect(existsSync(join(setup.work, 'written-by-tool.txt'))).toBe(true)
  })

  /** Settings of the user that let the agent do everything without asking. The sandbox of codex has none for its own directory. */
  function allowEverything(): void {
    const home = (name: string) => join(setup.home, name)
    if (backend === 'claude') {
      const permissions = { allow: ['Bash(*)', 'Write', 'Edit'], defaultMode: 'acceptEdits' }
      mkdirSync(home('.claude'))
      writeFileSync(home('.claude/settings.json'), JSON.stringify({ permissions }))
    }
    if (backend === 'gemini') {
      mkdirSync(home('.gemini/policies'))
      const rule = 'toolName = ["run_shell_command", "write_file"]\ndecision = "allow"\npriority = 900\n'
      writeFileSync(home('.gemini/policies/mine.toml'), `[[rule]]\n${rule}allowRedirection = true\n`)
    }
  }
})

describe.each(installed)('a run by the real $backend in a project with planted settings', ({ backend }) => {
  const reviewer = installed.find((each) => each.backend !== backend)?.backend ?? backend
  let setup: DriveSetup
  let left: () => string[]

  beforeEach(() => {
    setup = createDriveSetup({ port: upstream.port() })
    left = plantSettings(setup.repository.root, join(setup.home, 'canaries'))
    setup.repository.git('add', '--all', '--force')
    setup.repository.commit()
    // As after a prompt in the repository that was allowed to write.
    const trusted = `[projects."${setup.repository.root}"]\ntrust_level = "trusted"\n`
    appendFileSync(join(setup.home, '.codex/config.toml'), trusted)
  })

  afterEach(async () => {
    await until(() => processesIn(setup.asAgentSetup()).length === 0)
    setup.remove()
  })

  it.each([
    ['ignores', 'refused'],
    ['uses', 'trusted'],
  ] as const)('%s them if they are %s', { timeout: 300_000 }, async (_how, decision) => {
    const before = upstream.received().length
    const place = { workspace: await discoverWorkspace({ start: setup.repository.root, git: GIT, signal: SIGNAL }) }
    const { digest, paths } = await readProjectSettings(place)
    const { git_common_dir: repository } = place.workspace
    const facts = { version: 1, repository, paths: [...paths], decided_at: '2026-11-17T00:00:00.000Z' } as const
    saveDecision(join(setup.home, '.drover/trusted-settings'), { ...facts, digest: digest ?? '', decision })
    const agents = ['--with', setup.nameOf(backend), '--review-with', setup.nameOf(reviewer)]
    const asked = await setup.drover('drive', 'Show the wind', '--check', 'sh check.sh', ...agents)
    const id = runIdIn(asked.stdout)
    await setup.drover('answer', id, 'In knots, please.')
    const done = await setup.drover('drive', id)
    expect([done.code, done.stderr], done.stdout).toEqual([0, ''])
    const heard = upstream.received().slice(before)
    for (const each of [backend, reviewer])
      for (const instruction of INSTRUCTIONS[each]) expect(heard).toContain(instruction)
    const used = [...CANARIES[backend], ...CANARIES[reviewer]].sort()
    expect(left()).toEqual(decision === 'trusted' ? used : [])
  })
})
