import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AgentEvent } from '../../src/agents/adapter/agent.ts'
import { DROVER, runAt } from '../support/run-drover.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'
import { until } from '../support/until.ts'
import { commandOf, createAcpSetup, installedAcp } from './acp-agents.ts'
import { type AgentSetup, MODELS } from './agent-setup.ts'
import { installed, processesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()

describe.each(installedAcp)('the real $name', (agent) => {
  const { name, profile } = agent
  let setup: AgentSetup
  let endServer: () => Promise<unknown>

  beforeEach(() => {
    endServer = async () => undefined
    setup = createAcpSetup(agent, upstream.port())
  })

  afterEach(async () => {
    await endServer()
    await until(() => processesIn(setup).length === 0)
    setup.remove()
  })

  const drover = (scenario: string, args: readonly string[]) =>
    runAt(setup.work, [process.execPath, DROVER, ...args], setup.env(scenario))

  const prompt = (scenario: string, args: readonly string[] = []) =>
    drover(scenario, ['prompt', 'say hello', '-b', name, '--timeout', '100', ...args])

  const eventsOf = async (scenario: string, args: readonly string[] = []) => {
    const { stdout } = await prompt(scenario, ['-o', 'stream-json', ...args])
    const lines = stdout.trim().split('\n')
    return lines.map((line) => JSON.parse(line) as AgentEvent)
  }

  it('answers', async () => {
    const { code, stdout } = await prompt('plain', ['-o', 'json'])
    expect([code, JSON.parse(stdout).output]).toEqual([0, 'Hello from the fake model.'])
    const { usage } = profile
    const counted = { input_tokens: usage === 'none' ? 0 : 1000, output_tokens: usage === 'none' ? 0 : 50 }
    expect(JSON.parse(stdout).token_usage).toMatchObject(counted)
  })

  it('uses a tool when that is allowed', async () => {
    const events = await eventsOf('tool', ['--approval', 'none'])
    expect(JSON.stringify(events.find((event) => event.type === 'tool_use'))).toContain('tool-ran-ok')
    expect(events.find((event) => event.type === 'tool_result')).toMatchObject({
      content: { output: expect.stringContaining('tool-ran-ok') },
    })
    expect(events.at(-1)).toMatchObject({ content: { exit_code: 0 } })
  })

  it.skipIf(name === 'vibe')('reports that a command has failed', async () => {
    const events = await eventsOf('toolfail', ['--approval', 'none'])
    expect(events.find((event) => event.type === 'tool_result')).toMatchObject({
      content: { is_error: true, error_message: 'exit code 3' },
    })
  })

  it('writes nothing when that is not allowed, or says that it cannot be restricted', async () => {
    const { stdout } = await prompt('write', ['-o', 'json', '--access', 'read-only'])
    const { warnings } = JSON.parse(stdout)
    expect(warnings).toContainEqual(expect.stringContaining(`is enforced by ${name} itself`))
    if (profile.asks === 'never') {
      expect(warnings).toContainEqual(expect.stringContaining('never asks for permission'))
    } else expect(existsSync(join(setup.work, 'written-by-tool.txt'))).toBe(false)
  })

  it('fails when the model service refuses it', async () => {
    const { code, stdout } = await prompt('e401', ['-o', 'json'])
    expect(code).not.toBe(0)
    expect(JSON.parse(stdout).error_code).toMatch(/^agent_(?:auth_failed|failed|ended_early)$/)
  })

  it.runIf(profile.resume)('continues a session in a new process', async () => {
    const first = JSON.parse((await prompt('plain', ['-o', 'json'])).stdout)
    const resumed = await drover('plain', ['resume', first.session_id, 'and now the second question', '-o', 'json'])
    expect(JSON.parse(resumed.stdout)).toMatchObject({ exit_code: 0, output: 'Hello from the fake model.' })
    const last = upstream
      .received()
      .trim()
      .split('\n')
      .findLast((line) => line.includes('and now the second question'))
    expect(last).toContain('say hello')
  })

  it('leaves no process when it is cancelled in a tool', async () => {
    const { code } = await prompt('tooltail', ['--approval', 'none', '--timeout', '20'])
    expect(code).toBe(124)
    expect(processesIn(setup)).toEqual([])
  })

  /** A server that keeps the agent running. `send` returns the whole answer as text. */
  const serve = async (scenario: string) => {
    const claude = installed.find(({ backend }) => backend === 'claude')
    const env = setup.env(scenario)
    const path = claude === undefined ? env['PATH'] : `${env['PATH']}:${dirname(claude.path)}`
    const base = `http://127.0.0.1:${upstream.port()}/${scenario}`
    const own = { ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: 'made-up', DROVER_BACKENDS_CLAUDE_MODEL: MODELS.claude }
    const warm = { DROVER_WARM_ENABLED: 'true', DROVER_WARM_SPARE_AFTER: '1' }
    const serving = serveDrover(['-p', '0'], { ...env, ...own, ...warm, PATH: path ?? '' })
    endServer = () => {
      serving.child.kill('SIGTERM')
      return serving.ended
    }
    const server = `http://127.0.0.1:${await portOf(serving)}`
    const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
    return {
      hasClaude: claude !== undefined,
      send: async (place: string, body: object) =>
        await (await fetch(`${server}${place}`, { method: 'POST', headers, body: JSON.stringify(body) })).text(),
      follow: async (id: string) => (await fetch(`${server}/api/v1/executions/${id}/events?after=0`)).body,
    }
  }

  it('answers on all APIs of a server that keeps it running, and next to claude', async () => {
    const server = await serve('plain')
    const asked = { backend: name, prompt: 'say hello', workdir: setup.work }
    const messages = [{ role: 'user', content: 'say hello' }]
    const answers = [
      await server.send('/api/v1/prompt', asked),
      await server.send('/api/v1/prompt', asked),
      await server.send('/openai/v1/chat/completions', { model: name, messages }),
      await server.send('/anthropic/v1/messages', { model: name, max_tokens: 99, messages }),
    ]
    for (const answer of answers) expect(answer).toContain('Hello from the fake model.')
    const streamed = await server.send('/openai/v1/chat/completions', { model: name, messages, stream: true })
    expect(streamed.match(/"delta":\{"content"/g)?.length).toBeGreaterThan(1)
    if (server.hasClaude) {
      const compared = await server.send('/api/v1/compare', { prompt: 'say hello', backends: ['claude', name] })
      expect(JSON.parse(compared).results).toMatchObject([
        { backend: 'claude', output: 'Hello from the fake model.' },
        { backend: name, output: 'Hello from the fake model.' },
      ])
    }
    await endServer()
    expect(processesIn(setup)).toEqual([])
  }, 300_000)

  it.runIf(profile.asks !== 'never').each(['allow', 'deny'])('does what its user decides: %s', async (decision) => {
    // Qwen does not ask about a command that only prints.
    const isCommand = profile.client?.terminal === true
    const server = await serve(isCommand ? 'tool' : 'write')
    const body = { backend: name, prompt: 'run it', workdir: setup.work, approval_mode: 'always', detach: true }
    const { execution_id: id } = JSON.parse(await server.send('/api/v1/prompt', body))
    let [text, asked] = ['', 0]
    for await (const chunk of (await server.follow(id)) ?? []) {
      text += Buffer.from(chunk).toString()
      const ids = [...text.matchAll(/"approval_id":"([^"]+)"/g)].map(([, found]) => found)
      for (; asked < ids.length; asked += 1) {
        await server.send(`/api/v1/executions/${id}/approvals/${ids[asked]}`, { decision })
      }
    }
    expect(asked).toBeGreaterThan(0)
    const isDone = isCommand
      ? /"type":"tool_result".*tool-ran-ok\\n/.test(text)
      : existsSync(join(setup.work, 'written-by-tool.txt'))
    expect(isDone).toBe(decision === 'allow')
    await endServer()
    expect(processesIn(setup)).toEqual([])
  })

  it('is added with what it can do', async () => {
    await drover('plain', ['backends', 'remove', name])
    const { code, stdout } = await drover('plain', [
      'backends',
      'add',
      name,
      '--try',
      '--json',
      '--',
      ...commandOf(agent),
    ])
    expect(code).toBe(0)
    const measured = JSON.parse(stdout).profile
    expect(measured).toMatchObject({ resume: profile.resume ?? 'no', agent: expect.stringMatching(/\d/) })
    // The agent ignores a mode that it does not have, and continues in its own.
    expect(String(measured.modes).split(', ')).toEqual(expect.arrayContaining(Object.values(profile.modes)))
  })
})
