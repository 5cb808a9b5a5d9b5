/** Real agents with a fake model server: temporary homes, made-up keys, loopback only. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { NATIVE_BACKENDS, type NativeBackend } from '../../src/agents/adapter/agent.ts'
import { findProgram } from '../../src/kit/process/find-program.ts'

const UPSTREAM = join(import.meta.dirname, '..', 'fake-upstream', 'server.mjs')

export const installed = NATIVE_BACKENDS.flatMap((backend) => {
  const path = findProgram(backend, { env: process.env, cwd: process.cwd() })
  return path === undefined ? [] : [{ backend, path }]
})

/** Without a model, an agent may send a request to choose one. */
export const MODELS: Record<NativeBackend, string> = {
  claude: 'claude-sonnet-4-5',
  codex: 'gpt-5.5',
  gemini: 'gemini-2.5-pro',
}

/** The model server for all tests of a file. */
export function useUpstream() {
  const log = join(mkdtempSync(join(tmpdir(), 'drover-upstream-')), 'log')
  let server: ChildProcess
  let port = 0
  beforeAll(async () => {
    server = spawn(process.execPath, [UPSTREAM, '0', log], { stdio: ['ignore', 'pipe', 'inherit'] })
    const first = await new Promise<string>((resolve) => server.stdout?.once('data', (text) => resolve(String(text))))
    port = JSON.parse(first).listening
  })
  afterAll(() => {
    server.kill()
    rmSync(dirname(log), { recursive: true })
  })
  return {
    port: () => port,
    /** All requests to the model so far, as JSON text. */
    received: () => readFileSync(log, 'utf8'),
  }
}

export type AgentSetup = { home: string; work: string; env(scenario: string): Record<string, string>; remove(): void }

/** A temporary home that is configured for the model server, and a working directory. */
export function createAgentSetup(backend: NativeBackend, path: string, port: number): AgentSetup {
  const home = mkdtempSync(join(tmpdir(), `drover-real-${backend}-`))
  const work = join(home, 'work')
  mkdirSync(work)
  mkdirSync(join(home, 'tmp'))
  const base = (scenario: string) => `http://127.0.0.1:${port}/${scenario}`
  CONFIGURE[backend](home, base('plain'))
  const node = dirname(process.execPath)
  return {
    home,
    work,
    env: (scenario) => {
      if (backend === 'codex') CONFIGURE.codex(home, base(scenario))
      return {
        HOME: home,
        TMPDIR: join(home, 'tmp'),
        PATH: `${dirname(path)}:${node}:/usr/local/bin:/usr/bin:/bin`,
        LANG: 'C.UTF-8',
        REAL_AGENT_HOME: home,
        ...VARIABLES[backend](base(scenario)),
      }
    },
    remove: () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }),
  }
}

const VARIABLES: Record<NativeBackend, (base: string) => Record<string, string>> = {
  claude: (base) => ({ ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: 'made-up', CLAUDE_CODE_MAX_RETRIES: '1' }),
  codex: () => ({ FAKE_KEY: 'made-up' }),
  gemini: (base) => ({ GOOGLE_GEMINI_BASE_URL: base, GEMINI_API_KEY: 'made-up', TERM: 'xterm-256color' }),
}

const CONFIGURE: Record<NativeBackend, (home: string, base: string) => void> = {
  claude: () => undefined,
  codex: (home, base) => {
    mkdirSync(join(home, '.codex'), { recursive: true })
    writeFileSync(
      join(home, '.codex', 'config.toml'),
      `model_provider = "fake"\nmodel = "gpt-5.5"\n[model_providers.fake]\nname = "fake"\nbase_url = "${base}/v1"\nenv_key = "FAKE_KEY"\nwire_api = "responses"\nrequest_max_retries = 0\nstream_max_retries = 0\n`,
    )
  },
  gemini: (home) => {
    mkdirSync(join(home, '.gemini'))
    writeFileSync(
      join(home, '.gemini', 'settings.json'),
      JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { enableAutoUpdate: false, maxAttempts: 2 },
        privacy: { usageStatisticsEnabled: false },
      }),
    )
  },
}

/** The processes that were started in this setup and still run, whatever their parent is now. */
export function processesIn(setup: AgentSetup): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      const isDead = readFileSync(`/proc/${name}/stat`, 'utf8').includes(') Z ')
      return !isDead && readFileSync(`/proc/${name}/environ`, 'utf8').includes(`REAL_AGENT_HOME=${setup.home}\0`)
    } catch {
      return false
    }
  })
}

/** The session files of the agent in its home. */
export function sessionFilesIn(setup: AgentSetup): string[] {
  const places = ['.claude/projects', '.codex/sessions', '.gemini/tmp']
  return places.flatMap((place) => {
    try {
      const files = readdirSync(join(setup.home, place), { recursive: true, encoding: 'utf8' })
      return files
        .filter((file) => /\.jsonl?$/.test(file) && !file.endsWith('logs.json'))
        .map((file) => join(place, file))
    } catch {
      return []
    }
  })
}
