import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AgentEvent } from '../../src/agents/adapter/agent.ts'
import { DROVER, runAt } from '../support/run-drover.ts'
import { until } from '../support/until.ts'
import { commandOf, createAcpSetup, installedAcp } from './acp-agents.ts'
import type { AgentSetup } from './agent-setup.ts'
import { processesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()

describe.each(installedAcp)('the real $name', (agent) => {
  const { name, profile } = agent
  let setup: AgentSetup

  beforeEach(() => {
    setup = createAcpSetup(agent, upstream.port())
  })

  afterEach(async () => {
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
    const { stdout } = await prompt('write', ['-o', 'json', '--sandbox', 'read-only'])
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
    expect(JSON.parse(stdout).profile).toMatchObject({
      resume: profile.resume ?? 'no',
      agent: expect.stringMatching(/\d/),
    })
  })
})
