/** Agents that speak ACP, in a project in which another agent may have planted settings for them. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { KNOWN_AGENTS } from '../../src/agents/acp/known-agents.ts'
import type { AcpScript } from '../fake-agent/acp-script.ts'
import { installAcpAgent, receivedFrames } from '../support/acp-agent.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { startServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

type Over = {
  server?: Record<string, unknown>
  /** By the name of the program, which decides what drover knows about the agent. */
  agents?: Record<string, AcpScript>
  backend?: Record<string, unknown>
  isWarm?: boolean
}

const CEILING = { max_sandbox_mode: 'workspace' }

async function start({ server: settings = CEILING, agents = { mine: {} }, backend = {}, isWarm = false }: Over = {}) {
  const directory = temporaryDirectory()
  const section = (name: string, script: AcpScript) => ({
    ...{ protocol: 'acp', command: [installAcpAgent(directory, script, name)], profile: { resume: 'session/load' } },
    ...backend,
  })
  const server = await startServer({
    agents: 'none',
    env: { PATH: process.env['PATH'] ?? '' },
    config: {
      warm: { enabled: isWarm, spare_after: 1 },
      backends: Object.fromEntries(Object.entries(agents).map(([name, script]) => [name, section(name, script)])),
    },
    server: settings,
  })
  const plant = (file: string) => {
    const path = join(server.workdir, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '{}')
    return () => rmSync(join(server.workdir, file.split('/')[0] ?? ''), { recursive: true })
  }
  const prompt = async (name = 'mine', text = 'say hello', place = '/api/v1/prompt', over = {}) => {
    const first = { backend: name, workdir: server.workdir, ...over }
    const body = place === '/api/v1/prompt' ? { ...first, prompt: text } : { prompt: text }
    return await server.request(place, { method: 'POST', body })
  }
  return { server, directory, plant, prompt, isStarted: (name = 'mine') => existsSync(join(directory, `${name}.log`)) }
}

const refused = (file: string) => ({
  ...{ status: 400 },
  body: { error: 'project_settings_refused', message: expect.stringContaining(`would use the settings in ${file}`) },
})

const TRIED = KNOWN_AGENTS.flatMap(({ command: [program], profile }) =>
  (profile.withoutProject?.refused ?? []).map((file) => [program, file] as const),
)

describe('a known agent that speaks ACP', () => {
  it('was tried with settings of a project', () => {
    const untried = KNOWN_AGENTS.filter(({ profile }) => profile.withoutProject === undefined)
    expect(untried).toEqual([])
  })

  it('is not started under a ceiling where it would use them, and says which', async () => {
    const agents = Object.fromEntries(TRIED.map(([program]) => [program, {}]))
    const { plant, prompt, isStarted } = await start({ agents })
    for (const [program, file] of TRIED) {
      const remove = plant(file)
      expect(await prompt(program)).toMatchObject(refused(file))
      remove()
    }
    expect(Object.keys(agents).filter(isStarted)).toEqual([])
  })

  it('is not started with variables of the project for any environment of Bun, if it is built with that', async () => {
    const { plant, prompt, isStarted } = await start({ agents: { cline: {} } })
    for (const file of ['.env.local', '.env.development', '.env.production.local', '.env.test']) {
      const remove = plant(file)
      expect(await prompt('cline')).toMatchObject(refused(file))
      remove()
    }
    expect(isStarted('cline')).toBe(false)
  })

  it('is refused in a dry run too', async () => {
    const { plant, prompt } = await start({ agents: { pi: {} } })
    plant('.pi/settings.json')
    expect(await prompt('pi', 'say hello', '/api/v1/prompt', { dry_run: true })).toMatchObject(refused('.pi'))
  })

  it('uses them without a ceiling', async () => {
    const { plant, prompt } = await start({ server: {}, agents: { opencode: {} } })
    plant('opencode.json')
    expect(await prompt('opencode')).toMatchObject({ status: 200, body: { output: 'You said: say hello' } })
  })

  it('is told to ignore them when a session begins and when it is resumed, if it can be told', async () => {
    const { server, directory, plant, prompt } = await start({ agents: { 'claude-agent-acp': {} } })
    plant('.claude/settings.json')
    const { body } = await prompt('claude-agent-acp')
    const { session_id: id } = body as { session_id: string }
    expect(await prompt('', 'and now?', `/api/v1/sessions/${id}/resume`)).toMatchObject({ status: 200 })
    const disallowedTools = [`Read(/${server.home})`, `Read(/${server.home}/**)`]
    const project = { settingSources: ['user'], strictMcpConfig: true, additionalDirectories: [server.workdir] }
    const options = { ...project, disallowedTools }
    const metas = receivedFrames(directory, 'claude-agent-acp').flatMap(({ method, params }) =>
      /^session\/(?:new|load)$/.test(method ?? '') ? [[method, params?.['_meta']]] : [],
    )
    expect(metas).toEqual([
      ['session/new', { claudeCode: { options } }],
      ['session/load', { claudeCode: { options } }],
    ])
  })

  it('gets the variables that turn them off, whatever the config of the user says', async () => {
    const backend = { env: { GROK_CLAUDE_HOOKS_ENABLED: 'true' } }
    const { prompt } = await start({ agents: { grok: {} }, backend })
    const { body } = await prompt('grok', 'env GROK_CLAUDE_HOOKS_ENABLED')
    expect(body).toMatchObject({ output: 'false' })
  })
})

describe('settings that are planted later', () => {
  it('while a prompt waits: it is refused when its turn comes', async () => {
    const server = { ...CEILING, max_concurrent_runs: 1 }
    const {
      plant,
      prompt,
      isStarted,
      server: running,
    } = await start({ server, agents: { goose: { steps: [{ hang: true }] } } })
    const inState = async (state: string) => {
      const { body } = await running.request(`/api/v1/executions?state=${state}`)
      return (body as { executions: { id: string }[] }).executions
    }
    const first = prompt('goose')
    await until(() => isStarted('goose'))
    const second = prompt('goose')
    await until(async () => (await inState('queued')).length === 1)
    plant('.agents/plugins/x/hooks.json')
    const [busy] = await inState('running')
    await running.request(`/api/v1/executions/${busy?.id}/cancel`, { method: 'POST', body: {} })
    await first
    expect(await second).toMatchObject(refused('.agents/plugins'))
  })

  it('while a process stays up: the next prompt there is refused', async () => {
    const { plant, prompt, server, directory } = await start({ agents: { goose: {} }, isWarm: true })
    await prompt('goose')
    await until(() => server.context.drover.warm?.list().some(({ state }) => state === 'idle') === true)
    const remove = plant('.agents/plugins/x/hooks.json')
    expect(await prompt('goose')).toMatchObject(refused('.agents/plugins'))
    const opened = () => receivedFrames(directory, 'goose').filter(({ method }) => method === 'session/new').length
    expect(opened()).toBe(1)
    remove()
    expect(await prompt('goose')).toMatchObject({ status: 200 })
    expect(opened()).toBe(2)
  })
})

describe('an agent that drover does not know', () => {
  it('runs under a ceiling with a warning, if no settings of a known agent are there', async () => {
    const { prompt } = await start()
    expect((await prompt()).body).toMatchObject({
      output: 'You said: say hello',
      warnings: expect.arrayContaining([
        expect.stringContaining('does not know which settings of the project mine uses'),
      ]),
    })
  })

  it.each([
    '.claude/settings.json',
    '.mcp.json',
    '.opencode/plugin/p.js',
    '.codex/config.toml',
    '.github/hooks/h.json',
  ])('is refused in a project with %s', async (file) => {
    const { plant, prompt, isStarted } = await start()
    plant(file)
    expect((await prompt()).status).toBe(400)
    expect(isStarted()).toBe(false)
  })

  it('runs there without a warning, if the config says that it ignores them', async () => {
    const { plant, prompt } = await start({ backend: { ignores_project: true } })
    plant('.mcp.json')
    const { body } = await prompt()
    expect(body).toMatchObject({ output: 'You said: say hello' })
    expect(JSON.stringify(body)).not.toContain('does not know which settings')
  })
})
