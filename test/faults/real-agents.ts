/** Homes with real agents whose model is scripted, on an upstream that keeps every request. Made-up keys, loopback only. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DriveEvent } from '../../src/drive/record/drive-event.shape.ts'
import { findProgram } from '../../src/kit/process/find-program.ts'
import { configureAgents, MODELS } from '../real/agent-setup.ts'
import {
  createWeather,
  type DrivenCall,
  type DrivenScript,
  type DrivenTurn,
  HONEST,
  readLines,
} from '../support/driven-home.ts'
import type { RealAgents } from './driven-run.ts'

const UPSTREAM = join(import.meta.dirname, '..', 'fake-upstream', 'server.mjs')

export const REAL_BACKENDS = ['claude', 'codex'] as const
export type RealBackend = (typeof REAL_BACKENDS)[number]

/** Undefined if it is not on PATH. */
export const programOf = (backend: RealBackend) => findProgram(backend, { env: process.env, cwd: process.cwd() })

/** The base URL of a model that does what the script says; see test/fake-upstream/scripted.mjs. */
function scriptedUrl(port: number, script: DrivenScript): string {
  const turns: Record<string, DrivenTurn | undefined> = {}
  const { isByAction: _, goals: _goals, ...all } = script
  for (const [kind, [first]] of Object.entries({ implement: [HONEST], ...all })) turns[kind] = first
  return `http://127.0.0.1:${port}/scripted~${Buffer.from(JSON.stringify(turns)).toString('base64url')}`
}

export type Upstream = Disposable & { readonly port: number; readonly log: string }

export async function startUpstream(directory: string): Promise<Upstream> {
  const log = join(directory, 'upstream.jsonl')
  writeFileSync(log, '')
  const child = spawn(process.execPath, [UPSTREAM, '0', log], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [first] = await once(child.stdout, 'data')
  return { port: JSON.parse(String(first)).listening, log, [Symbol.dispose]: () => void child.kill() }
}

/** Flags with which this agent does everything that the script says. */
export const optionsFor = (backend: RealBackend) => ['--with', `${backend}/${MODELS[backend]}`, '--approval', 'none']

/** For runs that are killed. */
export function realAgents(backend: RealBackend, upstream: Upstream, script: DrivenScript): RealAgents {
  return {
    options: [...optionsFor(backend), '--no-review'],
    settings: {
      drive: { approval_mode: 'none' },
      default_backend: backend,
      backends: { [backend]: { model: MODELS[backend] } },
    },
    createHome: (scratch) => {
      const home = createRealHome(scratch, backend, upstream)
      home.rewrite(script)
      return home
    },
  }
}

/** As `createDrivenHome`, with one real agent. The first turn of each kind counts. */
export function createRealHome(scratch: string, backend: RealBackend, { port, log }: Pick<Upstream, 'port' | 'log'>) {
  const [bin, home] = [join(scratch, 'bin'), join(scratch, 'home')]
  for (const folder of [bin, join(home, 'tmp'), join(home, '.drover')]) mkdirSync(folder, { recursive: true })
  symlinkSync(realpathSync(programOf(backend) ?? ''), join(bin, backend))
  const repository = createWeather(join(scratch, 'weather'))
  const runs = join(repository.root, '.git', 'drover', 'runs')
  const env = {
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    PATH: [bin, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    GIT_CONFIG_NOSYSTEM: '1',
    LANG: 'C.UTF-8',
    DROVER_HOME: join(home, '.drover'),
    DROVER_DRIVE_SANDBOX: 'off' as const,
  }
  return {
    repository,
    scratch,
    home,
    runs,
    env,
    rewrite: (script: DrivenScript) => {
      Object.assign(env, configureAgents(home, [backend], scriptedUrl(port, script)))
    },
    configure: (text: string) => writeFileSync(join(home, '.drover', 'config.yaml'), text),
    calls: () => promptsIn(log, scratch),
    records: (runId: string) => readLines<DriveEvent>(join(runs, runId, 'drive.jsonl')),
  }
}

type Logged = { ev: string; at: string; body?: object }

/** Each prompt that reached the model: the first request with it, and not those with the results of tools after it. */
function promptsIn(log: string, scratch: string): DrivenCall[] {
  if (!existsSync(log)) return []
  const lines = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes(scratch))
  return lines.flatMap((line): DrivenCall[] => {
    const { ev, at, body } = JSON.parse(line) as Logged
    const prompt = ev === 'request' && body !== undefined ? newPromptIn(body) : undefined
    if (prompt === undefined) return []
    const [, kind = '', actionId = ''] = /^drover action: (\w+) (\S+)/.exec(prompt) ?? []
    return [{ backend: '', kind, actionId, prompt, argv: [], pid: 0, at }]
  })
}

type Block = { type?: string; text?: string }
type Message = { role?: string; type?: string; content?: string | readonly Block[] }

/** The prompt of drover at the end of a conversation. */
function newPromptIn(body: object): string | undefined {
  const { messages, input } = body as { messages?: readonly Message[]; input?: readonly Message[] }
  const last = (messages ?? input)?.findLast(
    ({ role, type }) => messages !== undefined || role === 'user' || type !== 'message',
  )
  if (last?.role !== 'user' || typeof last.content === 'string') return undefined
  return last.content?.findLast(({ text }) => text?.startsWith('drover action: '))?.text
}
