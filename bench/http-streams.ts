/** Measures 200 concurrent streams: the delay from an agent's line to the client, and the memory of a stream. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { type Served, withServer } from './served.ts'

const STREAMS = 200
const LINES = 30
const PAUSE_SECS = 0.5
/**
 * Prints the time repeatedly, in the format of claude. It is a shell script, because 200 Node processes would overload the
 * machine. It waits with `read`, because `sleep` would start a process for every line.
 */
const AGENT = `#!/bin/bash
exec 3<> <(:)
say() { printf '%s\\n' "$1"; }
say '{"type":"system","subtype":"init","session_id":"13cdfb0e-45f8-4d6b-8c3f-10dfe48e3870","model":"bench"}'
for ((line = 0; line < ${LINES}; line++)); do
  read -rt ${PAUSE_SECS} -u 3
  say '{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"at '$EPOCHREALTIME' "}}}'
done
say '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"13cdfb0e-45f8-4d6b-8c3f-10dfe48e3870"}'
`

/** When a line was printed, and how much later it was read. */
type Heard = { saidAt: number; delayMs: number }
type Trial = { heard: Heard[]; steady: Heard[]; kibibytes?: number }

export async function benchStreams(drover: string): Promise<string> {
  const room = mkdtempSync(join(tmpdir(), 'drover-bench-'))
  const agent = join(room, 'claude')
  writeFileSync(agent, AGENT, { mode: 0o755 })
  const env = { DROVER_BACKENDS_CLAUDE_COMMAND: agent, DROVER_SERVER_MAX_CONCURRENT_RUNS: String(STREAMS) }
  try {
    const direct = await listenToAll(() => startDirectly(agent))
    const served = await withServer({ args: [drover, 'serve', '-p', '0'], env }, (server) => throughServer(server))
    return format({ direct, served })
  } finally {
    rmSync(room, { recursive: true, force: true })
  }
}

/** The first 200 streams are not measured, because Node keeps memory that it has used once. */
async function throughServer(server: Served): Promise<Trial> {
  await listenToAll(() => openStream(server.port))
  const before = server.residentMiB()
  let most = before
  const looking = setInterval(() => {
    most = Math.max(most, server.residentMiB())
  }, 1000)
  const trial = await listenToAll(() => openStream(server.port))
  clearInterval(looking)
  return { ...trial, kibibytes: ((most - before) * 1024) / STREAMS }
}

async function listenToAll(open: () => Promise<Readable>): Promise<Trial> {
  const streams = await Promise.all(Array.from({ length: STREAMS }, async () => listenTo(await open())))
  const heard = streams.flat()
  if (heard.length !== STREAMS * LINES) throw new Error(`${heard.length} of ${STREAMS * LINES} lines have arrived`)
  const allBegan = Math.max(...streams.map(([first]) => (first?.saidAt ?? 0) + (first?.delayMs ?? 0)))
  const oneEnded = Math.min(...streams.map((lines) => lines.at(-1)?.saidAt ?? 0))
  return { heard, steady: heard.filter(({ saidAt }) => saidAt > allBegan && saidAt < oneEnded) }
}

async function listenTo(stream: Readable): Promise<Heard[]> {
  const heard: Heard[] = []
  let rest = ''
  for await (const chunk of stream.setEncoding('utf8')) {
    const now = performance.timeOrigin + performance.now()
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const said = /"at (\d+\.\d+) "/.exec(line)?.[1]
      if (said !== undefined) heard.push({ saidAt: Number(said) * 1000, delayMs: now - Number(said) * 1000 })
    }
  }
  return heard
}

async function startDirectly(agent: string): Promise<Readable> {
  return spawn(agent, { detached: true, stdio: ['ignore', 'pipe', 'ignore'] }).stdout
}

function openStream(port: number): Promise<Readable> {
  const headers = { 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const target = { host: '127.0.0.1', port, path: '/api/v1/prompt', method: 'POST', headers, agent: false }
    const outgoing = request(target, (response: IncomingMessage) => resolve(response))
    outgoing.on('error', reject)
    outgoing.end(JSON.stringify({ backend: 'claude', prompt: 'say hello', output_format: 'stream-json' }))
  })
}

function format({ direct, served }: { direct: Trial; served: Trial }): string {
  const rows: Record<string, readonly Heard[]> = {
    "read from the agents' pipes": direct.steady,
    'read from drover over HTTP': served.steady,
    'the same, while all start or end at once: pipes': direct.heard,
    'the same, while all start or end at once: HTTP': served.heard,
  }
  const width = Math.max(...Object.keys(rows).map((name) => name.length))
  const line = (name: string, cells: readonly string[]) =>
    `  ${name.padEnd(width)}  ${cells.map((cell) => cell.padStart(9)).join('  ')}`
  return [
    `${STREAMS} streams at once, ${STREAMS / PAUSE_SECS} lines a second: from the agent's line to the reader's`,
    line('', ['median', 'p99', 'longest']),
    ...Object.entries(rows).map(([name, heard]) => line(name, quantiles(heard))),
    `  memory of the server: ${served.kibibytes?.toFixed(0)} KiB a stream`,
  ].join('\n')
}

function quantiles(heard: readonly Heard[]): string[] {
  const delays = heard.map(({ delayMs }) => delayMs).sort((a, b) => a - b)
  return [0.5, 0.99, 1].map((share) => `${(delays[Math.ceil(delays.length * share) - 1] ?? Number.NaN).toFixed(1)} ms`)
}
