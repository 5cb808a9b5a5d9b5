/** Programs that speak a compatible API use drover as their model service: Codex CLI, Claude Code, the Python package. */
import { type SpawnSyncReturns, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startServer } from '../support/start-server.ts'
import { PYTHON, pythonClients, SCRIPTS } from './python-clients.ts'
import { installed } from './real-agents.ts'

const pathOf = (name: string) => installed.find(({ backend }) => backend === name)?.path ?? ''

function createHome(): { home: string; work: string } {
  const home = mkdtempSync(join(tmpdir(), 'drover-client-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  const work = join(home, 'work')
  mkdirSync(work)
  return { home, work }
}

type Ran = Pick<SpawnSyncReturns<string>, 'stdout' | 'stderr' | 'status'>

/** Not `spawnSync`, because the server runs in this process. */
function run(program: string, words: readonly string[], { cwd, env }: { cwd: string; env: object }): Promise<Ran> {
  const child = spawn(program, words, { cwd, env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const ran = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (ran.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (ran.stderr += text))
  return new Promise((resolve) => child.on('close', (status) => resolve({ ...ran, status })))
}

const environment = (home: string, program: string) => ({
  HOME: home,
  TMPDIR: home,
  LANG: 'C.UTF-8',
  PATH: `${dirname(program)}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
})

const serve = (text: readonly string[], server: Record<string, unknown> = { client_tools: 'ignore' }) =>
  startServer({ server, env: { FAKE_AGENT_SCRIPT: JSON.stringify({ text, usage: { input: 12, output: 3 } }) } })

describe.runIf(pathOf('codex') !== '')('real codex as a client', () => {
  async function codex(url: string) {
    const { home, work } = createHome()
    mkdirSync(join(home, '.codex'))
    const settings = `model_provider = "drover"\nmodel = "claude"\n[model_providers.drover]\nname = "drover"\nbase_url = "${url}/openai/v1"\nenv_key = "DROVER_KEY"\nwire_api = "responses"\nrequest_max_retries = 0\nstream_max_retries = 0\n`
    writeFileSync(join(home, '.codex', 'config.toml'), settings)
    const program = pathOf('codex')
    const env = { ...environment(home, program), DROVER_KEY: 'none' }
    return (...words: string[]) => run(program, ['exec', '--skip-git-repo-check', ...words], { cwd: work, env })
  }

  it('answers through the Responses API, and resumes its own session', async () => {
    const server = await serve(['Hello from', ' drover'])
    const ask = await codex(server.url)
    const first = await ask('--json', 'say hello')
    expect([first.stdout, first.stderr]).toEqual([expect.stringContaining('Hello from drover'), expect.anything()])
    expect(first.status).toBe(0)
    expect(first.stdout).toMatch(/"usage":\{"input_tokens":12/)
    const second = await ask('resume', '--last', 'and again')
    expect(second.stdout).toContain('Hello from drover')
    const responses = server.access.filter(({ route }) => route.endsWith('/responses'))
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
    expect(responses.length).toBeGreaterThanOrEqual(2)
  })

  it('says why tools are refused, where they are', async () => {
    const server = await serve(['Hello'], { client_tools: 'refuse' })
    const { stdout, stderr, status } = await (await codex(server.url))('say hello')
    expect(stdout + stderr).toContain('server.client_tools: ignore')
    expect(status).not.toBe(0)
  })
})

describe.runIf(pathOf('claude') !== '')('real claude as a client', () => {
  it('answers through the messages API', async () => {
    const server = await serve(['Hello from', ' drover'])
    const { home, work } = createHome()
    writeFileSync(join(home, '.claude.json'), '{}')
    const program = pathOf('claude')
    const variables = { ANTHROPIC_BASE_URL: `${server.url}/anthropic`, ANTHROPIC_API_KEY: 'none' }
    const quiet = {
      CLAUDE_CODE_MAX_RETRIES: '0',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }
    const env = { ...environment(home, program), ...variables, ...quiet }
    const ask = (...words: string[]) => run(program, ['-p', '--model', 'claude', ...words], { cwd: work, env })
    const first = await ask('say hello')
    expect(first).toEqual({ stdout: 'Hello from drover\n', stderr: expect.anything(), status: 0 })
    expect((await ask('--continue', 'and again')).stdout).toBe('Hello from drover\n')
  })
})

describe.runIf(pythonClients.length > 0)(
  'the Python package openai (CLIENTS_PYTHON names a Python that has it)',
  () => {
    it('uses the Responses API', async () => {
      const server = await serve(['Hello from', ' drover'])
      const { home, work } = createHome()
      const env = { ...environment(home, PYTHON), OPENAI_BASE_URL: `${server.url}/openai/v1`, OPENAI_API_KEY: 'none' }
      const script = join(SCRIPTS, 'openai_stored.py')
      const { stdout, stderr, status } = await run(PYTHON, [script], { cwd: work, env })
      expect([stderr, status]).toEqual(['', 0])
      expect(stdout.trim().split('\n')).toEqual([
        ...[
          'create',
          'stream',
          'helper',
          'previous',
          'background',
          'starting_after',
          'cancel',
          'input_items',
          'delete',
        ],
        ...['errors', 'parse', 'async'],
      ])
    })
  },
)
