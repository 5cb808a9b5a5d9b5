/** `drover mcp`: the official client on stdin and stdout. */

import { spawn } from 'node:child_process'
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it, onTestFinished } from 'vitest'
import { TOOLS } from '../../src/mcp/tools.generated.js'
import type { Script } from '../fake-agent/script.ts'
import { installFakeAgents, readPids } from '../support/fake-agent.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { connectClient, ERAS } from '../support/mcp-client.ts'
import { DROVER, ending, runAt, temporaryDirectory } from '../support/run-drover.ts'
import { isRunning } from '../support/test-command.ts'
import { until } from '../support/until.ts'

/** A user with scripted agents, in a directory of work. */
function createUser(script: Script, variables: Record<string, string> = {}) {
  const home = realpathSync(temporaryDirectory())
  const [bin, work, pidFile] = [join(home, 'bin'), join(home, 'work'), join(home, 'pids')]
  for (const directory of [bin, work]) mkdirSync(directory)
  installFakeAgents(bin)
  const env = {
    HOME: home,
    PATH: `${bin}:/usr/bin:/bin`,
    FAKE_AGENT_SCRIPT: JSON.stringify({ pidFile, ...script }),
    ...variables,
  }
  const argv = [process.execPath, DROVER] as const
  return {
    ...{ work, pidFile, env },
    drover: (...args: string[]) => runAt(work, [...argv, ...args], env),
    start: (...args: string[]) =>
      spawn(argv[0], [argv[1], 'mcp', ...args], { cwd: work, env, stdio: ['pipe', 'pipe', 'pipe'] }),
    connect: (mode = ERAS[0], args: readonly string[] = []) => {
      const [command, program] = argv
      const transport = new StdioClientTransport({
        command,
        args: [program, 'mcp', ...args],
        env,
        cwd: work,
        stderr: 'pipe',
      })
      return connectClient(transport, mode)
    },
  }
}

describe('drover mcp', () => {
  it.each(ERAS)('lists the tools (%j)', async (era) => {
    const { client } = await createUser({}).connect(era)
    expect((await client.listTools()).tools).toEqual(TOOLS)
  })

  it.runIf(IS_FULL)('runs prompts and comparisons in its own process', async () => {
    const user = createUser({ text: ['Hello', ' there'] })
    const { client, call } = await user.connect()
    const { text, view } = await call('prompt', { prompt: 'say hello', backend: 'codex' })
    expect([text, view.state]).toEqual(['Hello there', 'completed'])
    const again = await call('execution_get', { execution_id: view.execution_id, events_after: 0 })
    expect(again.view.events?.at(-1)).toMatchObject({ type: 'state', content: { state: 'completed' } })
    const compared = await call('compare', { prompt: 'say hello', backends: ['claude', 'gemini'] })
    expect(compared.view.results).toHaveLength(2)
    expect((await call('prompt', { prompt: 'x', backend: 'clod' })).text).toContain('backend_not_found')
    await client.close()
    expect((await user.drover('sessions', 'list', '--json')).stdout).toContain(user.work)
  })

  it('prints only the protocol to stdout, and ends its agents when its input ends', async () => {
    const user = createUser({ hangAfter: 'init' })
    const child = user.start()
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = ending(child)
    let printed = ''
    child.stdout.on('data', (text) => (printed += text))
    const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    send({ id: 1, method: 'initialize', params })
    send({ method: 'notifications/initialized' })
    send({ id: 2, method: 'tools/call', params: { name: 'prompt', arguments: { prompt: 'work', wait_secs: 0 } } })
    const agent = await until(() => printed.includes('"id":2') && readPids(user.pidFile).agent)
    child.stdin.end()
    const { code, stdout } = await ended
    expect(code).toBe(0)
    const lines = stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).id)).toEqual([1, 2])
    expect(isRunning(agent)).toBe(false)
    expect((await user.drover('ps', '--all')).stdout).toContain('cancelled')
  })

  it.runIf(IS_FULL)(
    'leaves the work to the server of the user, where it keeps running when the client ends',
    async () => {
      const user = createUser({ hangAfter: 'init' }, { DROVER_WARM_ENABLED: 'false' })
      await user.drover('up')
      onTestFinished(async () => void (await user.drover('down')))
      const { client, call } = await user.connect()
      const { view } = await call('prompt', { prompt: 'work', wait_secs: 0 })
      const agent = await until(() => readPids(user.pidFile).agent)
      await client.close()
      expect(isRunning(agent)).toBe(true)
      const second = await user.connect()
      const found = await second.call('execution_get', { execution_id: view.execution_id, wait_secs: 0 })
      expect(found.view).toMatchObject({ state: 'running', has_ended: false })
      await second.call('execution_cancel', { execution_id: view.execution_id })
      expect((await second.call('execution_get', { execution_id: view.execution_id })).view.state).toBe('cancelled')
      expect(isRunning(agent)).toBe(false)
    },
  )

  it('is refused in an agent that is too deep, also if the agent hides how deep it is', async () => {
    const user = createUser({})
    const [command, ...args] = ['/bin/sh', '-c', 'env -u DROVER_DEPTH "$0" "$@"; exit', process.execPath, DROVER, 'mcp']
    const server = { command, args, env: { ...user.env, DROVER_DEPTH: '2' }, cwd: user.work, stderr: 'pipe' } as const
    const { call } = await connectClient(new StdioClientTransport(server))
    const { text, isError } = await call('prompt', { prompt: 'work' })
    expect([isError, text]).toEqual([true, expect.stringMatching(/^nesting_too_deep: .* at nesting depth 2/)])
  })
})
