/** Servers that are told to end, or are ended, while agents work. */
import type { Script } from '../fake-agent/script.ts'
import { expectDone } from './agent-faults.ts'
import { ask, openStream, promptOf, type Stream } from './client.ts'
import { processesOf } from './observation.ts'
import type { ObservedServer, Room } from './room.ts'
import { ended, expectFields, type Scenario } from './scenario.ts'

const AGENTS = 3
const DRAIN_MS = 200
/** Says nothing more, so that it never notices that nobody listens. */
const SILENT: Script = { hangAfter: 'init' }
const STUBBORN: Script = { ...SILENT, ignoreSigterm: true, ignoreSigint: true, forkDaemon: true }

export const SERVER_FAULTS: readonly Scenario[] = [
  ended({
    name: `SIGTERM while ${AGENTS} agents work that soon end`,
    times: { gate: 1, full: 10 },
    options: { script: { text: Array(10).fill('word '), chunkMs: 50 } },
    leaves: { completed: AGENTS },
    async provoke(room) {
      const { server, streams } = await startWork(room)
      const code = server.signal('SIGTERM')
      for (const stream of streams) expectDone(await stream.rest(), 0)
      expectFields({ code: await code }, { code: 0 })
    },
  }),
  ended({
    name: `SIGTERM while ${AGENTS} agents work that never end`,
    times: { gate: 1, full: 10 },
    options: { script: SILENT, drainMs: DRAIN_MS },
    leaves: { paused: AGENTS },
    provoke: endWithoutEnd,
  }),
  ended({
    name: `SIGTERM while ${AGENTS} agents work that never end, ignore signals and have daemons`,
    times: { gate: 1, full: 10 },
    options: { script: STUBBORN, drainMs: DRAIN_MS },
    leaves: { paused: AGENTS },
    provoke: endWithoutEnd,
  }),
  ended({
    name: `SIGTERM twice while ${AGENTS} agents work; a new server`,
    times: { gate: 1, full: 10 },
    options: { script: STUBBORN },
    leaves: { paused: AGENTS },
    async provoke(room) {
      const { server } = await startWork(room)
      const first = server.signal('SIGTERM')
      await server.hasLogged('drover: stopping')
      await server.signal('SIGTERM')
      expectFields({ code: await first, left: processesOf(room.home).length }, { code: 1, left: 0 })
      await room.start()
    },
  }),
  ...[
    { agents: 'silent', script: SILENT },
    { agents: 'silent, stubborn', script: STUBBORN },
  ].map(({ agents, script }) =>
    ended({
      name: `SIGKILL while ${AGENTS} ${agents} agents work; a new server`,
      times: { gate: 1, full: 10 },
      options: { script },
      leaves: { paused: AGENTS },
      async provoke(room) {
        const { server } = await startWork(room)
        await server.signal('SIGKILL')
        const orphans = processesOf(room.home)
        if (orphans.length < AGENTS) throw new Error('the agents have not outlived their server')
        await room.start()
        const left = processesOf(room.home).filter((pid) => orphans.includes(pid))
        expectFields({ left: left.length }, { left: 0 })
      },
    }),
  ),
  ended({
    name: `SIGKILL while ${AGENTS} agents work; another server goes on with one of the sessions`,
    times: { gate: 1, full: 10 },
    options: { script: SILENT },
    leaves: { paused: AGENTS },
    async provoke(room) {
      const other = await room.start()
      const { server, sessions } = await startWork(room)
      await server.signal('SIGKILL')
      const orphans = processesOf(room.home)
      if (orphans.length < AGENTS) throw new Error('the agents have not outlived their server')
      const { status } = await ask(other, {
        path: `/api/v1/sessions/${sessions[0]}/resume`,
        body: { prompt: 'go on', timeout_secs: 1 },
      })
      const left = processesOf(room.home).filter((pid) => orphans.includes(pid))
      expectFields({ status, left: left.length }, { status: 200, left: 0 })
    },
  }),
]

/** Agents that have begun, and whose sessions are known to be theirs. */
async function startWork(room: Room): Promise<{ server: ObservedServer; streams: Stream[]; sessions: string[] }> {
  const server = await room.start()
  const streams = await Promise.all(Array.from({ length: AGENTS }, () => openStream(server, promptOf('claude'))))
  const events = await Promise.all(streams.map((stream) => stream.next()))
  return { server, streams, sessions: events.map((event) => event?.session_id ?? '') }
}

/** The agents are ended when the time is up, and their clients are told so before the server goes. */
async function endWithoutEnd(room: Room): Promise<void> {
  const { server, streams } = await startWork(room)
  const code = server.signal('SIGTERM')
  for (const stream of streams) expectFields({ ...(await stream.rest()).at(-1) }, { type: 'done' })
  expectFields({ code: await code }, { code: 0 })
}
