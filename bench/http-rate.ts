/** Measures prompts per second without starting an agent, against a bare JSON server. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { measure } from './measure.ts'
import { type Served, withServer } from './served.ts'

const GOAL = 0.4
const CONNECTIONS = 32
const WARM_UP_ROUNDS = 10
const ROUNDS = 21
const BARE = fileURLToPath(import.meta.resolve('./bare-json-server.ts'))
/** Any existing program works: it is located but not started. */
const env = { DROVER_BACKENDS_CLAUDE_COMMAND: process.execPath }

type Load = { server: Served; sockets: readonly Socket[]; request: string; requests: number }
type Row = { name: string; rate: number; cpuUs: number }

export async function benchRate(drover: string): Promise<string> {
  const serving = { args: [drover, 'serve', '-p', '0'], env }
  // Each load has its own server, so that the memory of one does not slow down the other.
  return await withServer({ args: [BARE] }, (bare) =>
    withServer(serving, (served) => withServer(serving, (withSessions) => compare({ bare, served, withSessions }))),
  )
}

async function compare({
  bare,
  served,
  withSessions,
}: Record<'bare' | 'served' | 'withSessions', Served>): Promise<string> {
  const loads: Record<string, Load> = {
    'bare node:http': await loadOf(bare, { requests: 4000 }),
    'dry runs without a session': await loadOf(served, { ephemeral: true, requests: 2000 }),
    // Each session is written to disk twice.
    'dry runs with a session': await loadOf(withSessions, { requests: 200 }),
  }
  for (const load of Object.values(loads)) await put({ ...load, requests: load.requests * WARM_UP_ROUNDS })
  const cpu = new Map(Object.keys(loads).map((name) => [name, { ms: 0, requests: 0 }]))
  const contenders = Object.entries(loads).map(([name, load]) => ({
    name,
    once: async () => {
      const before = load.server.cpuMs()
      await put(load)
      const sum = cpu.get(name) ?? { ms: 0, requests: 0 }
      sum.ms += load.server.cpuMs() - before
      sum.requests += load.requests
    },
  }))
  const timings = await measure(contenders, ROUNDS)
  for (const { sockets } of Object.values(loads)) for (const socket of sockets) socket.destroy()
  return format(
    timings.map(({ name, medianMs }) => {
      const { ms = 0, requests = 0 } = cpu.get(name) ?? {}
      return { name, rate: (loads[name]?.requests ?? 0) / (medianMs / 1000), cpuUs: (ms / requests) * 1000 }
    }),
  )
}

function format(rates: readonly Row[]): string {
  const [bare] = rates
  const width = Math.max(...rates.map(({ name }) => name.length))
  const rows = rates.map(({ name, rate, cpuUs }) => {
    const cells = [
      `${rate.toFixed(0)}/s`,
      (rate / (bare?.rate ?? Number.NaN)).toFixed(2),
      `${cpuUs.toFixed(0)} us`,
      ((bare?.cpuUs ?? Number.NaN) / cpuUs).toFixed(2),
    ]
    return `  ${name.padEnd(width)}  ${cells.map((cell) => cell.padStart(9)).join('  ')}`
  })
  return [
    `Dry-run prompts over ${CONNECTIONS} connections, compared with a bare server: requests per second, and CPU time per`,
    `request. The client needs a core too, so on few cores the first ratio favors the slower server.`,
    ...rows,
    `  goal: at least ${GOAL.toFixed(2)}`,
  ].join('\n')
}

/** Connections stay open for all rounds, like those of a busy client. */
async function loadOf(server: Served, { requests, ...wishes }: { requests: number; ephemeral?: true }): Promise<Load> {
  const body = JSON.stringify({ backend: 'claude', prompt: 'say hello', dry_run: true, ...wishes })
  const head = `POST /api/v1/prompt HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
  const sockets = Array.from({ length: CONNECTIONS }, () =>
    connect({ host: '127.0.0.1', port: server.port, noDelay: true }),
  )
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  return { server, sockets, request: `${head}\r\n\r\n${body}`, requests }
}

/** Uses bare sockets, because Node's HTTP client is slower than the servers. */
async function put({ sockets, request, requests }: Load): Promise<void> {
  let left = requests
  const work = async (socket: Socket) => {
    while (left-- > 0) await exchange(socket, request)
  }
  await Promise.all(sockets.map(work))
}

function exchange(socket: Socket, request: string): Promise<void> {
  let heard = ''
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      heard += chunk.toString('latin1')
      const end = heard.indexOf('\r\n\r\n')
      const length = Number(/^content-length: (\d+)/im.exec(heard)?.[1])
      if (end === -1 || heard.length < end + 4 + length) return
      socket.off('data', read)
      if (heard.startsWith('HTTP/1.1 200')) resolve()
      else reject(new Error(heard))
    }
    socket.on('data', read)
    socket.write(request)
  })
}
