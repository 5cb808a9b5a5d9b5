/** `drover mcp` with other programs: a prompt that takes longer than the time limit of its client, and MCP Inspector. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it } from 'vitest'
import { installFakeAgents } from '../support/fake-agent.ts'
import { connectClient } from '../support/mcp-client.ts'
import { runAt, SOURCES, temporaryDirectory } from '../support/run-drover.ts'

const INSPECTOR = '@modelcontextprotocol/inspector'

/** A user whose agents answer as the script says. */
function createUser(script: object) {
  const home = realpathSync(temporaryDirectory())
  const bin = join(home, 'bin')
  mkdirSync(bin)
  installFakeAgents(bin)
  return { home, env: { HOME: home, PATH: `${bin}:/usr/bin:/bin`, FAKE_AGENT_SCRIPT: JSON.stringify(script) } }
}

it('answers a prompt of 90 seconds through a client with a limit of 60 seconds for each call', {
  timeout: 240_000,
}, async () => {
  const { home, env } = createUser({ delayMs: 90_000, text: ['Done at last.'] })
  const server = { command: process.execPath, args: [SOURCES, 'mcp'], env, cwd: home, stderr: 'pipe' as const }
  const { call } = await connectClient(new StdioClientTransport(server))
  const startedAt = performance.now()
  const handle = await call('prompt', { prompt: 'work' }, { timeout: 60_000 })
  expect(handle.view).toMatchObject({ state: 'running', has_ended: false })
  let { view, text } = handle
  while (view.has_ended !== true) {
    ;({ view, text } = await call('execution_get', { execution_id: view.execution_id }, { timeout: 60_000 }))
  }
  expect(text).toBe('Done at last.')
  expect(performance.now() - startedAt).toBeGreaterThan(90_000)
})

it('is listed and called by MCP Inspector', { timeout: 300_000 }, async ({ skip }) => {
  const directory = temporaryDirectory()
  const npm = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', directory, INSPECTOR]
  const installed = spawnSync('npm', npm, { encoding: 'utf8' })
  if (installed.status !== 0) skip(`${INSPECTOR} cannot be installed: ${installed.stderr.slice(-200)}`)
  const { home, env } = createUser({})
  const inspector = join(directory, 'node_modules', '.bin', 'mcp-inspector')
  const inspect = (...words: string[]) =>
    runAt(home, [process.execPath, inspector, '--cli', process.execPath, SOURCES, 'mcp', ...words], {
      ...env,
      PATH: `${env.PATH}:${join(process.execPath, '..')}`,
    })
  const listed = await inspect('--method', 'tools/list')
  expect(JSON.parse(listed.stdout).tools, listed.stderr).toHaveLength(8)
  const called = await inspect('--method', 'tools/call', '--tool-name', 'prompt', '--tool-arg', 'prompt=say hello')
  // It does not pass the script of the agent on, which then repeats the prompt.
  expect(JSON.parse(called.stdout).content[0].text, called.stderr).toContain('say hello')
})
