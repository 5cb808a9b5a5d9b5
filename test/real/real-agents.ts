/** The real agents, pointed at a model server on this machine: throw-away homes, made-up keys, loopback only. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { BACKENDS, type Backend } from '../../src/agents/adapter/agent.ts'
import { findProgram } from '../../src/kit/process/find-program.ts'

const UPSTREAM = join(import.meta.dirname, '..', 'fake-upstream', 'server.mjs')

export const installed = BACKENDS.flatMap((backend) => {
  const path = findProgram(backend, { env: process.env, cwd: process.cwd() })
  return path === undefined ? [] : [{ backend, path }]
})

/** Named, because an agent left to choose may ask a model which model to ask. */
export const MODELS: Record<Backend, string> = {
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
    /** What the model was sent so far, as JSON text. */
    received: () => readFileSync(log, 'utf8'),
  }
}

export type Room = { home: string; work: string; env(scenario: string): Record<string, string>; remove(): void }

/** A home that only knows the model server, and a directory to work in. */
export function createRoom(backend: Backend, path: string, port: number): Room {
  const home = mkdtempSync(join(tmpdir(), `drover-real-${backend}-`))
  const work = join(home, 'work')
  mkdirSync(work)
  mkdirSync(join(home, 'tmp'))
  const base = (scenario: string) => `http://127.0.0.1:${port}/${scenario}`
  SETTLE[backend](home, base('plain'))
  const node = dirname(process.execPath)
  return {
    home,
    work,
    env: (scenario) => {
      if (backend === 'codex') SETTLE.codex(home, base(scenario))
      return {
        HOME: home,
        TMPDIR: join(home, 'tmp'),
        PATH: `${dirname(path)}:${node}:/usr/local/bin:/usr/bin:/bin`,
        LANG: 'C.UTF-8',
        REAL_ROOM: home,
        ...VARIABLES[backend](base(scenario)),
      }
    },
    remove: () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }),
  }
}

const VARIABLES: Record<Backend, (base: string) => Record<string, string>> = {
  claude: (base) => ({ ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: 'made-up', CLAUDE_CODE_MAX_RETRIES: '1' }),
  codex: () => ({ FAKE_KEY: 'made-up' }),
  gemini: (base) => ({ GOOGLE_GEMINI_BASE_URL: base, GEMINI_API_KEY: 'made-up', TERM: 'xterm-256color' }),
}

const SETTLE: Record<Backend, (home: string, base: string) => void> = {
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

/** Processes that were started in a room and are still there, whoever their parent is now. */
export function processesIn(room: Room): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      const isDead = readFileSync(`/proc/${name}/stat`, 'utf8').includes(') Z ')
      return !isDead && readFileSync(`/proc/${name}/environ`, 'utf8').includes(`REAL_ROOM=${room.home}\0`)
    } catch {
      return false
    }
  })
}

/** Files under a directory that look like a session of an agent. */
export function sessionFilesIn(room: Room): string[] {
  const places = ['.claude/projects', '.codex/sessions', '.gemini/tmp']
  return places.flatMap((place) => {
    try {
      const files = readdirSync(join(room.home, place), { recursive: true, encoding: 'utf8' })
      return files
        .filter((file) => /\.jsonl?$/.test(file) && !file.endsWith('logs.json'))
        .map((file) => join(place, file))
    } catch {
      return []
    }
  })
}
