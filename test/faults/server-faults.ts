/** Servers that are stopped or killed while agents work. */
import type { Script } from '../fake-agent/script.ts'
import { expectDone } from './agent-faults.ts'
import { ask, openStream, promptOf, type Stream } from './client.ts'
import { processesOf } from './observation.ts'
import { expectFields, type Scenario, serverEnds } from './scenario.ts'
import type { ObservedServer, ServerHome } from './server-home.ts'

const AGENTS = 3
const DRAIN_MS = 200
/** Prints nothing more, so that it does not notice when its output is not read any more. */
const SILENT: Script = { hangAfter: 'init' }
const STUBBORN: Script = { ...SILENT, ignoreSigterm: true, ignoreSigint: true, forkDaemon: true }

export const SERVER_FAULTS: readonly Scenario[] = [
  serverEnds({
    name: `SIGTERM while ${AGENTS} agents work that end soon`,
    times: { gate: 0, full: 10 },
    options: { script: { text: Array(10).fill('word '), chunkMs: 50 } },
    leaves: { completed: AGENTS },
    async provoke(home) {
      const { server, streams } = await startWork(home)
      const code = server.signal('SIGTERM')
      for (const stream of streams) expectDone(await stream.rest(), 0)
      expectFields({ code: await code }, { code: 0 })
    },
  }),
  serverEnds({
    name: `SIGTERM while ${AGENTS} agents work that never end`,
    times: { gate: 0, full: 10 },
    options: { script: SILENT, drainMs: DRAIN_MS },
    leaves: { paused: AGENTS },
    provoke: expectDrainTimeout,
  }),
  serverEnds({
    name: `SIGTERM while ${AGENTS} agents work that never end, ignore signals and have daemons`,
    times: { gate: 0, full: 10 },
    options: { script: STUBBORN, drainMs: DRAIN_MS },
    leaves: { paused: AGENTS },
    provoke: expectDrainTimeout,
  }),
  serverEnds({
    name: `SIGTERM twice while ${AGENTS} agents work; a new server starts`,
    times: { gate: 0, full: 10 },
    options: { script: STUBBORN },
    leaves: { paused: AGENTS },
    async provoke(home) {
      const { server } = await startWork(home)
      const first = server.signal('SIGTERM')
      await server.hasLogged('drover: stopping')
      await server.signal('SIGTERM')
      expectFields({ code: await first, left: processesOf(home.path).length }, { code: 1, left: 0 })
      await home.start()
    },
  }),
  ...[
    { agents: 'silent', script: SILENT, gate: 0 },
    { agents: 'silent, signal-ignoring', script: STUBBORN, gate: 1 },
  ].map(({ agents, script, gate }) =>
    serverEnds({
      name: `SIGKILL while ${AGENTS} ${agents} agents work; a new server starts`,
      times: { gate, full: 10 },
      options: { script },
      leaves: { paused: AGENTS },
      async provoke(home) {
        const { server } = await startWork(home)
        await server.signal('SIGKILL')
        const orphans = processesOf(home.path)
        if (orphans.length < AGENTS) throw new Error('the agents did not outlive their server')
        await home.start()
        const left = processesOf(home.path).filter((pid) => orphans.includes(pid))
        expectFields({ left: left.length }, { left: 0 })
      },
    }),
  ),
  serverEnds({
    name: `SIGKILL while ${AGENTS} agents work; another server resumes one of the sessions`,
    times: { gate: 0, full: 10 },
    options: { script: SILENT },
    leaves: { paused: AGENTS },
    async provoke(home) {
      const other = await home.start()
      const { server, sessions } = await startWork(home)
      await server.signal('SIGKILL')
      const orphans = processesOf(home.path)
      if (orphans.length < AGENTS) throw new Error('the agents did not outlive their server')
      const { status } = await ask(other, {
        path: `/api/v1/sessions/${sessions[0]}/resume`,
        body: { prompt: 'say more', timeout_secs: 1 },
      })
      const left = processesOf(home.path).filter((pid) => orphans.includes(pid))
      expectFields({ status, left: left.length }, { status: 200, left: 0 })
    },
  }),
]

/** Starts a server and its agents, and waits for the first event of each. */
async function startWork(home: ServerHome): Promise<{ server: ObservedServer; streams: Stream[]; sessions: string[] }> {
  const server = await home.start()
  const streams = await Promise.all(Array.from({ length: AGENTS }, () => openStream(server, promptOf('claude'))))
  const events = await Promise.all(streams.map((stream) => stream.next()))
  return { server, streams, sessions: events.map((event) => event?.session_id ?? '') }
}

/** When the drain time is over, the agents are ended and their clients get the last event before the server ends. */
async function expectDrainTimeout(home: ServerHome): Promise<void> {
  const { server, streams } = await startWork(home)
  const code = server.signal('SIGTERM')
  for (const stream of streams) expectFields({ ...(await stream.rest()).at(-1) }, { type: 'done' })
  expectFields({ code: await code }, { code: 0 })
}
