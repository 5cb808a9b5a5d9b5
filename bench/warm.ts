/**
 * A prompt to an agent that is already up, compared with starting the agent by hand. The agents are the real ones on PATH,
 * with a model server on this machine that answers at once; without any, the scripted agents of the tests.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { request as send } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { NATIVE_BACKENDS, type NativeBackend } from '../src/agents/adapter/agent.ts'
import { buildCommand } from '../src/agents/build-command.ts'
import { newScratchDirectory } from '../src/agents/scratch-files.ts'
import { findProgram } from '../src/kit/process/find-program.ts'
import { createAgentSetup, MODELS } from '../test/real/agent-setup.ts'
import { agentRequest } from '../test/support/agent-request.ts'
import { installWarmAgents } from '../test/support/warm-agents.ts'
import { withPublished } from './published.ts'
import { type Served, withServer } from './served.ts'

const ROUNDS = 15
const UPSTREAM = join(import.meta.dirname, '..', 'test', 'fake-upstream', 'server.mjs')
/** An agent that was just started slows down what runs beside it; a user does not ask again at once either. */
const PAUSE_MS = 1500
const GOALS: Readonly<Record<string, { first: number; next?: number }>> = {
  claude: { first: 0.15, next: 0.06 },
  codex: { first: 0.4 },
  gemini: { first: 0.1 },
}

type Bench = { backend: NativeBackend; program: string; env: Record<string, string>; work: string }
/** Until the first piece of the answer, and until its end. */
type Taken = { firstMs: number; doneMs: number }

export async function benchWarm(): Promise<string> {
  const real = NATIVE_BACKENDS.flatMap((backend) => {
    const path = findProgram(backend, { env: process.env, cwd: process.cwd() })
    return path === undefined ? [] : [{ backend, path }]
  })
  if (real.length === 0) return await benchScripted()
  const tables: string[] = []
  await withUpstream(async (port) => {
    for (const { backend, path } of real) {
      const setup = createAgentSetup(backend, path, port)
      try {
        const bench = { backend, program: path, env: setup.env('plain'), work: setup.work }
        tables.push(await benchAgent(`The real ${backend}, with a model that answers at once`, bench))
      } finally {
        setup.remove()
      }
    }
  })
  return tables.join('\n\n')
}

/** They start as fast as Node does, so their ratios say little about real agents. */
async function benchScripted(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'drover-bench-'))
  const [bin, work] = [installWarmAgents(join(home, 'bin')), join(home, 'work')]
  mkdirSync(work)
  try {
    const env = { HOME: home, PATH: `${bin}:/usr/bin:/bin` }
    const tables: string[] = []
    for (const backend of ['claude', 'codex'] as const) {
      const title = `No real agent is on PATH: a scripted ${backend}, which starts as fast as Node does`
      tables.push(await benchAgent(title, { backend, program: join(bin, backend), env, work }))
    }
    return tables.join('\n\n')
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function benchAgent(title: string, bench: Bench): Promise<string> {
  return await withPublished(async (drover) => {
    const serve = (enabled: boolean) => ({
      args: [drover, 'serve', '--port', '0', '--quiet'],
      env: {
        ...bench.env,
        DROVER_HOME: join(bench.env['HOME'] ?? '', `.drover-${enabled}`),
        DROVER_WARM_ENABLED: String(enabled),
      },
    })
    return await withServer(serve(false), (cold) =>
      withServer(serve(true), (warm) => compare(title, bench, { cold, warm })),
    )
  })
}

async function compare(title: string, bench: Bench, { cold, warm }: { cold: Served; warm: Served }): Promise<string> {
  const taken = new Map<string, Taken[]>()
  const measure = async (name: string, once: () => Promise<Taken>) => {
    const list = taken.get(name) ?? []
    taken.set(name, [...list, await once()])
  }
  for (const _ of [1, 2]) await ask(bench, warm, '/api/v1/prompt')
  for (let round = 0; round <= ROUNDS; round++) {
    if (round === 1) taken.clear()
    let session = ''
    await measure('the agent by hand', () => byHand(bench))
    await measure('over HTTP, cold', () => ask(bench, cold, '/api/v1/prompt'))
    await delay(PAUSE_MS)
    await measure('over HTTP, warm, new session', async () => {
      const { sessionId, ...times } = await ask(bench, warm, '/api/v1/prompt')
      session = sessionId
      return times
    })
    await delay(PAUSE_MS)
    await measure('over HTTP, warm, next prompt of the session', () =>
      ask(bench, warm, `/api/v1/sessions/${session}/resume`),
    )
  }
  return format(title, taken, GOALS[bench.backend] ?? { first: 1 })
}

function format(
  title: string,
  taken: ReadonlyMap<string, readonly Taken[]>,
  goals: { first: number; next?: number },
): string {
  const rows = [...taken].map(([name, times]) => {
    return { name, first: median(times.map(({ firstMs }) => firstMs)), done: median(times.map(({ doneMs }) => doneMs)) }
  })
  const base = rows[0]?.done ?? Number.NaN
  const width = Math.max(...rows.map(({ name }) => name.length))
  const cells = (values: readonly string[]) => values.map((value) => value.padStart(11)).join('')
  const lines = rows.map(({ name, first, done }) => {
    return `  ${name.padEnd(width)}${cells([ms(first), ms(done), `${(done / base).toFixed(2)}x`])}`
  })
  const next = goals.next === undefined ? '' : `, for its next prompt at most ${goals.next.toFixed(2)}x`
  const goal = `  goal: for a new session at most ${goals.first.toFixed(2)}x${next}`
  return [title, `  ${' '.repeat(width)}${cells(['first text', 'done', 'ratio'])}`, ...lines, goal].join('\n')
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`
}

const TEXT = /"text_delta"|"agent_message"|"delta":true|"type":"message"|"type":"assistant"/

function byHand({ backend, program, env, work }: Bench): Promise<Taken> {
  const options = { model: MODELS[backend], workdir: work, wantsDeltas: true, program: [program] as const, env }
  const { argv, stdin } = buildCommand(agentRequest(backend, { ...options, scratchDirectory: newScratchDirectory() }))
  const [file, ...args] = argv
  const started = performance.now()
  const child = spawn(file, args, { cwd: work, env, stdio: ['pipe', 'pipe', 'ignore'] })
  let firstMs = Number.NaN
  child.stdout.on('data', (text: Buffer) => {
    if (Number.isNaN(firstMs) && TEXT.test(text.toString())) firstMs = performance.now() - started
  })
  child.stdin.end(stdin)
  return new Promise((resolve, reject) => {
    child.once('close', (code) => {
      if (code === 0) resolve({ firstMs, doneMs: performance.now() - started })
      else reject(new Error(`${backend} ended with exit code ${code}`))
    })
  })
}

/** Sends a prompt as a stream, so that its first text is seen. */
function ask({ backend, work }: Bench, { port }: Served, path: string): Promise<Taken & { sessionId: string }> {
  const isNew = path === '/api/v1/prompt'
  const fields = isNew ? { backend, model: MODELS[backend], workdir: work } : {}
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const request = send(
      { port, path, method: 'POST', headers: { 'content-type': 'application/json' } },
      (response) => {
        let [text, firstMs] = ['', Number.NaN]
        response.setEncoding('utf8').on('data', (piece) => {
          text += piece
          if (Number.isNaN(firstMs) && text.includes('"type":"message"')) firstMs = performance.now() - started
        })
        response.once('end', () => {
          const doneMs = performance.now() - started
          const sessionId = /"session_id":"([0-9a-f]+)"/.exec(text)?.[1] ?? ''
          if (text.includes('"exit_code":0')) resolve({ firstMs, doneMs, sessionId })
          else reject(new Error(text.slice(-500)))
        })
      },
    )
    request.once('error', reject)
    request.end(JSON.stringify({ ...fields, prompt: 'say hello', output_format: 'stream-json' }))
  })
}

async function withUpstream(work: (port: number) => Promise<void>): Promise<void> {
  const log = join(mkdtempSync(join(tmpdir(), 'drover-upstream-')), 'log')
  const server = spawn(process.execPath, [UPSTREAM, '0', log], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const first = await new Promise<string>((resolve) => server.stdout.once('data', (text) => resolve(String(text))))
    await work(JSON.parse(first).listening)
  } finally {
    server.kill()
    rmSync(dirname(log), { recursive: true })
  }
}
