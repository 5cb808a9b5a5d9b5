import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AgentEvent, AgentRequest, Usage } from '../../src/agents/adapter/agent.ts'
import { NATIVE_AGENTS } from '../../src/agents/registry.ts'
import { newScratchDirectory } from '../../src/agents/scratch-files.ts'
import { agentRequest } from '../support/agent-request.ts'
import { DROVER, runAt } from '../support/run-drover.ts'
import { until } from '../support/until.ts'
import { type AgentSetup, createAgentSetup, MODELS } from './agent-setup.ts'
import { Command, MODES, runRequest } from './modes.ts'
import { commandOf, installed, processesIn, sessionFilesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()

const ways = installed.flatMap((agent) => MODES.map((mode) => ({ ...agent, mode })))

describe.each(ways)('the real $backend, $mode', ({ backend, path, mode }) => {
  let setup: AgentSetup
  let command: Command

  beforeEach(() => {
    setup = createAgentSetup(backend, path, upstream.port())
    command = new Command(mode, setup)
  })

  afterEach(async () => {
    await command.end()
    await until(() => processesIn(setup).length === 0)
    setup.remove()
  })

  const drover = (scenario: string, args: readonly string[]) =>
    command.run(scenario, ['prompt', 'say hello', '-b', backend, '-m', MODELS[backend], ...args])

  const eventsOf = async (scenario: string, args: readonly string[] = []) => {
    const { stdout } = await drover(scenario, ['-o', 'stream-json', ...args])
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AgentEvent)
  }

  async function ask(scenario: string, over: Partial<AgentRequest> = {}, priorUsage?: Usage) {
    const request = agentRequest(backend, {
      model: MODELS[backend],
      workdir: setup.work,
      wantsDeltas: true,
      program: [path],
      env: setup.env(scenario),
      isRoot: process.getuid?.() === 0,
      timeoutMs: 60_000,
      scratchDirectory: newScratchDirectory(),
      ...over,
    })
    return await runRequest(mode, request, priorUsage)
  }

  it.each([
    ['plain', [], 'Hello from the fake model.'],
    ['thinking', [], 'Thought about it.'],
    ['tool', ['--approval', 'none'], 'The command printed its output.'],
  ])('answers in every format: %s', async (scenario, flags, answer) => {
    const printed = async (...format: readonly string[]) => {
      const { code, stdout } = await drover(scenario, [...flags, ...format])
      expect(code).toBe(0)
      return stdout
    }
    expect(await printed()).toBe(`${answer}\n`)
    expect(JSON.parse(await printed('-o', 'json'))).toMatchObject({ output: answer, exit_code: 0 })
    expect((await printed('-o', 'stream-json')).trim().split('\n').at(-1)).toContain('"done"')
    for (const line of (await printed('--raw')).trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('type')
  })

  it('answers, as JSON, with its usage', async () => {
    const { code, stdout } = await drover('plain', ['-o', 'json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      output: 'Hello from the fake model.',
      token_usage: {
        input_tokens: backend === 'claude' ? 400 : 1000,
        output_tokens: 50,
        cached_tokens: 600,
        reasoning_tokens: backend === 'claude' ? 0 : 7,
      },
      backend_session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  it('answers, as events, in pieces where it can', async () => {
    const events = await eventsOf('plain')
    expect(events[0]?.type).toBe('init')
    expect(events.at(-1)).toMatchObject({ type: 'done', content: { exit_code: 0 } })
    const said = events.filter((event) => event.type === 'message')
    expect(said.map((event) => event.content.text).join('')).toBe('Hello from the fake model.')
    expect(said.length > 1).toBe(mode === 'warm' || NATIVE_AGENTS[backend].abilities.deltas)
  })

  it('reports its reasoning, if it has any to show', async () => {
    const events = await eventsOf('thinking')
    expect(events.at(-1)).toMatchObject({ type: 'done', content: { exit_code: 0 } })
    const isShown = backend !== 'gemini' || mode === 'warm'
    expect(events.some((event) => event.type === 'thinking')).toBe(isShown)
  })

  it('uses a tool when that is allowed', async () => {
    const events = await eventsOf('tool', ['--approval', 'none'])
    expect(events.find((event) => event.type === 'tool_use')).toBeDefined()
    // A gemini that stays up does not report what a command prints.
    const output = backend === 'gemini' && mode === 'warm' ? undefined : expect.stringContaining('tool-ran-ok')
    expect(events.find((event) => event.type === 'tool_result')?.content).toMatchObject({ ...(output && { output }) })
    expect(events.at(-1)).toMatchObject({ content: { exit_code: 0 } })
  })

  it.each([
    ['default', []],
    ['read-only', ['--access', 'read-only']],
  ])('writes nothing when that is not allowed, and warns about it: %s', async (_name, flags) => {
    const { code, stdout } = await drover('write', ['-o', 'json', ...flags])
    expect(code).toBe(0)
    expect(existsSync(join(setup.work, 'written-by-tool.txt'))).toBe(false)
    const denied = expect.stringMatching(/^1 tool call was denied: .*; allow with the /)
    expect(JSON.parse(stdout).warnings).toContainEqual(denied)
  })

  it.runIf(backend === 'codex')('warns about a patch that its sandbox rejects', async () => {
    const result = await ask('patch')
    expect(result.warnings).toEqual([
      '1 tool call was denied: apply_patch; allow with the approval mode auto (--approval auto)',
    ])
    expect(existsSync(join(setup.work, 'patched.txt'))).toBe(false)
    expect((await ask('patch', { approvalMode: 'auto' })).warnings).toEqual([])
    expect(existsSync(join(setup.work, 'patched.txt'))).toBe(true)
  })

  it.runIf(backend === 'codex')('writes everywhere with sandbox full, as its warning says', async () => {
    const { warnings } = await ask('write', { approvalMode: 'always', sandboxMode: 'full' })
    expect(warnings).toEqual([expect.stringContaining('sandbox_mode full lets it write everywhere')])
    expect(existsSync(join(setup.home, 'outside-probe.txt'))).toBe(true)
  })

  it.runIf(backend === 'codex')('names the model of its config', async () => {
    const { stdout } = await command.run('plain', ['x', '-b', backend, '-o', 'stream-json'])
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ type: 'init', content: { model: 'gpt-5.5' } })
  })

  it.skipIf(backend === 'codex')('makes an answer well-formed', async () => {
    const { text, warnings } = await ask('ansi')
    expect(text).toContain('lone surrogate \ufffd nul \ufffd emoji \u{1f600}.')
    expect(warnings).toEqual([expect.stringContaining('were replaced by U+FFFD')])
  })

  // A gemini that stays up does not report them.
  it.skipIf(backend === 'codex' || (backend === 'gemini' && mode === 'warm'))(
    'reports its retries while it runs',
    async () => {
      const events = await eventsOf('e429')
      const retries = events.filter((event) => event.type === 'progress' && event.content.stage === 'retry')
      expect(retries[0]).toMatchObject({ content: { message: expect.stringMatching(/^retry 1 .*after 429/) } })
      expect(events.at(-2)).toMatchObject({ type: 'error', content: { code: 'agent_rate_limited' } })
    },
  )

  it('leaves nothing about the prompt in the temporary directory', async () => {
    expect((await ask('e400', { prompt: 'a secret plan' })).error?.code).toBe('agent_request_rejected')
    const left = readdirSync(join(setup.home, 'tmp'), { recursive: true, withFileTypes: true })
    const files = left.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    expect(files.filter((file) => readFileSync(file, 'utf8').includes('a secret plan'))).toEqual([])
  })

  const outputSchema = {
    type: 'object',
    properties: { verdict: { type: 'string', enum: ['pass', 'fail'] }, count: { type: 'integer' } },
    required: ['verdict', 'count'],
    additionalProperties: false,
  }

  it.skipIf(backend === 'gemini')('answers with JSON that matches a schema', async () => {
    const { error, text } = await ask('json', { outputSchema })
    expect(error).toBeUndefined()
    expect(JSON.parse(text)).toEqual({ verdict: 'pass', count: 3 })
    expect(upstream.received()).toContain('"enum":["pass","fail"]')
  })

  it.skipIf(backend === 'gemini').each(['jsonbad', 'plain'])(
    'fails if the model does not keep to the schema: %s',
    async (scenario) => {
      const { error, exitCode } = await ask(scenario, { outputSchema })
      expect([error?.code, exitCode]).toEqual(['agent_output_invalid', 1])
    },
  )

  it.each([
    ['e400', 'agent_request_rejected', 400],
    ['e401', 'agent_auth_failed', 401],
    ['e403', 'agent_auth_failed', 403],
    ['e404', 'agent_model_unknown', 404],
    ['e429', 'agent_rate_limited', 429],
    ['e500', 'agent_service_failed', 500],
    ['e503', 'agent_overloaded', 503],
    ['e529', 'agent_overloaded', 529],
    ['cut', expect.any(String), undefined],
  ])('reports a failure of the model service: %s', async (scenario, code, status) => {
    const result = await ask(scenario)
    expect(result.exitCode).not.toBe(0)
    expect(result.error).toMatchObject({ code, message: expect.stringMatching(/\S/) })
    // Codex has its own text for 500. Gemini does not pass on a 404, or says 500.
    const isHidden = (backend === 'codex' && status === 500) || (backend === 'gemini' && status === 404)
    expect(isHidden ? [undefined, 500] : [status]).toContain(result.error?.upstreamStatus)
    if (backend === 'claude' && status === 429) expect(result.error?.retryAfterSecs).toBe(1)
  })

  it('fails if the model answers with nothing', async () => {
    const { error, text } = await ask('empty')
    expect([error?.code, text]).toEqual(['agent_ended_early', ''])
  })

  it.each([
    // Only with a subscription does claude tell a used-up plan from a rate limit.
    ['usage', backend === 'claude' ? 'agent_rate_limited' : 'agent_usage_limited'],
    ['credit', 'agent_out_of_credit'],
    ['paid', 'agent_out_of_credit'],
    ['overload', 'agent_overloaded'],
  ])('reports a limit of the account or of the model service: %s', async (scenario, code) => {
    expect((await ask(scenario)).error?.code).toBe(code)
  })

  it('continues a session, and counts this turn only', async () => {
    const first = await ask('plain')
    const second = await ask('plain', { resumeId: first.sessionId ?? '' }, first.threadUsage)
    expect(second.error).toBeUndefined()
    expect(second.sessionId).toBe(first.sessionId)
    expect([second.usage, second.costUsd]).toEqual([first.usage, first.costUsd])
  })

  it('continues a session of drover, and reports when the agent has lost it', async () => {
    const run = (...args: readonly string[]) => command.run('plain', [...args, '-o', 'json'])
    const first = JSON.parse((await run('prompt', 'say hello', '-b', backend, '-m', MODELS[backend])).stdout)
    const second = JSON.parse((await run('resume', first.session_id.slice(0, 8), 'and again')).stdout)
    expect(second).toMatchObject({ session_id: first.session_id, exit_code: 0, token_usage: first.token_usage })
    expect(second.backend_session_id).toBe(first.backend_session_id)
    // A process that is up still has it.
    await command.end()
    for (const file of sessionFilesIn(setup)) rmSync(join(setup.home, file))
    const args = [process.execPath, DROVER, 'resume', first.session_id, 'and once more', '-o', 'json']
    const lost = await runAt(setup.work, args, setup.env('plain'))
    expect(JSON.parse(lost.stdout)).toMatchObject({ error_code: 'session_expired' })
    expect(lost.code).not.toBe(0)
  })

  it('reports a session that does not exist', async () => {
    const result = await ask('plain', { resumeId: '00000000-0000-4000-8000-000000000000' })
    expect(result.error).toMatchObject({ code: 'agent_session_missing' })
    expect(result.exitCode).not.toBe(0)
  })

  it('leaves no session behind when it is ephemeral', async () => {
    expect((await ask('plain')).error).toBeUndefined()
    const kept = sessionFilesIn(setup)
    expect(kept.length).toBeGreaterThan(0)
    expect((await ask('plain', { isEphemeral: true })).error).toBeUndefined()
    await until(() => isDeepStrictEqual(sessionFilesIn(setup), kept))
  })

  it.each(['/help me', '@README.md what is this', '-v', '!ls', '#memo', '$HOME'])(
    'sends the prompt %j to the model as text',
    async (prompt) => {
      writeFileSync(join(setup.work, 'README.md'), `not to be sent by ${backend}`)
      const result = await ask('plain', { prompt: `${prompt} ${backend}` })
      expect(result).toMatchObject({ exitCode: 0, text: 'Hello from the fake model.' })
      // The prompt for gemini explains its escaped at signs.
      const sent = backend === 'gemini' ? prompt.replace('@', '\\@') : prompt
      expect(upstream.received()).toContain(JSON.stringify(`${sent} ${backend}`).slice(1, -1))
      expect(upstream.received()).not.toContain(`not to be sent by ${backend}`)
    },
  )

  it('is ended at the deadline when the model service hangs', async () => {
    const result = await ask('hang', { timeoutMs: 5000 })
    expect(result).toMatchObject({ exitCode: 124, ended: 'timeout' })
    expect(processesIn(setup)).toEqual([])
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('is ended with its tool by %s', async (signal) => {
    const args = [DROVER, 'prompt', 'say hello', '-b', backend, '--approval', 'none', '-o', 'stream-json']
    await command.repeat('toolsleep', async () => {
      const child = spawn(process.execPath, args, { cwd: setup.work, env: command.env('toolsleep') })
      let stdout = ''
      child.stdout.on('data', (text) => {
        stdout += text
      })
      await until(() => stdout.includes('"tool_use"'))
      child.kill(signal)
      const code = await new Promise((resolve) => child.on('close', resolve))
      expect(code).toBe(signal === 'SIGINT' ? 130 : 143)
      expect(processesIn(setup).filter((pid) => commandOf(pid).includes('sleep 300'))).toEqual([])
    })
    await command.end()
    expect(processesIn(setup)).toEqual([])
  })
})
