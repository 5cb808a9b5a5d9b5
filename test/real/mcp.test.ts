/** `drover mcp` with other programs: real agents, a prompt that takes longer than the time limit of its client, MCP Inspector. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { NativeBackend } from '../../src/agents/adapter/agent.ts'
import { installFakeAgents } from '../support/fake-agent.ts'
import { connectClient } from '../support/mcp-client.ts'
import { DROVER, runAt, SOURCES, temporaryDirectory } from '../support/run-drover.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'
import { createAgentSetup, MODELS } from './agent-setup.ts'
import { installed, useUpstream } from './real-agents.ts'

const INSPECTOR = '@modelcontextprotocol/inspector'

/** A user whose agents answer as the script says. */
function createUser(script: object) {
  const home = realpathSync(temporaryDirectory())
  const bin = join(home, 'bin')
  mkdirSync(bin)
  installFakeAgents(bin)
  return { home, env: { HOME: home, PATH: `${bin}:/usr/bin:/bin`, FAKE_AGENT_SCRIPT: JSON.stringify(script) } }
}

type McpHost = {
  /** The words of the documentation, with the demo agent. */
  add: Record<'stdio' | 'http', (url: string) => string[]>
  prompt: (text: string) => string[]
  env?: Record<string, string>
}

const HOSTS: Record<NativeBackend, McpHost> = {
  claude: {
    add: {
      stdio: () => ['mcp', 'add', 'drover', '--', 'drover', 'mcp', '--demo'],
      http: (url) => ['mcp', 'add', '--transport', 'http', 'drover', url],
    },
    prompt: (text) => ['-p', '--model', MODELS.claude, '--allowedTools', 'mcp__drover__prompt', '--', text],
    env: { MCP_CONNECTION_NONBLOCKING: 'false' },
  },
  codex: {
    add: {
      stdio: () => ['mcp', 'add', 'drover', '--', 'drover', 'mcp', '--demo'],
      http: (url) => ['mcp', 'add', 'drover', '--url', url],
    },
    prompt: (text) => ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '--', text],
  },
  gemini: {
    add: {
      stdio: () => ['mcp', 'add', 'drover', 'drover', 'mcp', '--', '--demo'],
      http: (url) => ['mcp', 'add', '--transport', 'http', 'drover', url],
    },
    prompt: (text) => ['--approval-mode', 'yolo', '-m', MODELS.gemini, '-p', text],
  },
}

const trusting = (directory: string) => JSON.stringify({ [directory]: 'TRUST_FOLDER' })

/** A `drover` that finds no agents, so that its demo agent answers. */
function installDroverAlone(home: string): string {
  const bin = join(home, 'bin')
  mkdirSync(bin)
  const script = `#!/bin/sh\nPATH=/usr/bin:/bin exec '${process.execPath}' '${DROVER}' "$@"\n`
  writeFileSync(join(bin, 'drover'), script, { mode: 0o755 })
  return bin
}

const upstream = useUpstream()

describe.each(installed)('the real $backend', ({ backend, path }) => {
  it.each(['stdio', 'http'] as const)('calls drover as a tool, over %s', async (transport) => {
    const setup = createAgentSetup(backend, path, upstream.port())
    onTestFinished(() => setup.remove())
    const { add, prompt, env } = HOSTS[backend]
    const agent = { ...setup.env('mcp'), ...env }
    const variables = { ...agent, PATH: `${installDroverAlone(setup.home)}:${agent['PATH']}` }
    // Gemini ignores the servers of a directory that it does not trust.
    if (backend === 'gemini') writeFileSync(join(setup.home, '.gemini', 'trustedFolders.json'), trusting(setup.work))
    let url = ''
    if (transport === 'http') {
      const serving = serveDrover(['--demo', '--port', '0'], { HOME: setup.home })
      url = `http://127.0.0.1:${await portOf(serving)}/mcp`
    }
    const run = (words: readonly string[]) => runAt(setup.work, [path, ...words], variables)
    expect(await run(add[transport](url))).toMatchObject({ code: 0 })
    const { code, stdout, stderr } = await run(prompt('ask drover'))
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: expect.stringContaining('The tool answered.') })
  })
})

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
