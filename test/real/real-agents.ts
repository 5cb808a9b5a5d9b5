/** Real agents with a fake model server: temporary homes, made-up keys, loopback only. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { NATIVE_BACKENDS } from '../../src/agents/adapter/agent.ts'
import { findProgram } from '../../src/kit/process/find-program.ts'
import type { AgentSetup } from './agent-setup.ts'

const UPSTREAM = join(import.meta.dirname, '..', 'fake-upstream', 'server.mjs')

export const installed = NATIVE_BACKENDS.flatMap((backend) => {
  const path = findProgram(backend, { env: process.env, cwd: process.cwd() })
  return path === undefined ? [] : [{ backend, path }]
})

export function versionOf(path: string): string {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' })
  return /\d+\.\d+\.\d+[\w.-]*/.exec(stdout)?.[0] ?? ''
}

/** The model server for all tests of a file. */
export function useUpstream() {
  const log = join(mkdtempSync(join(tmpdir(), 'drover-upstream-')), 'log')
  let server: ChildProcess
  let port = 0
  beforeAll(async () => {
    writeFileSync(log, '')
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
    /** The file with all requests. */
    log: () => log,
    /** All requests to the model so far, as JSON text. */
    received: () => readFileSync(log, 'utf8'),
  }
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

/** The command line of a process; empty if it has ended. */
export function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
