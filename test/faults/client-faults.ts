/** Clients that disconnect at every possible moment. */

import { once } from 'node:events'
import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'
import { IS_FULL } from '../support/full-counts.ts'
import { until } from '../support/until.ts'
import { ask, connectTo, openStream, promptOf, rawPrompt, send } from './client.ts'
import { childrenOf } from './observation.ts'
import { type Scenario, serverSurvives } from './scenario.ts'
import type { ObservedServer } from './server-home.ts'

const QUEUED = 8
const REQUEST = rawPrompt()
const PART_OF_THE_HEADERS = REQUEST.slice(0, REQUEST.indexOf('\r\n\r\n') / 2)
const PART_OF_THE_BODY = REQUEST.slice(0, -10)
/** The end of a chunked answer (RFC 9112, section 7.1). */
const LAST_CHUNK = '0\r\n\r\n'

export const CLIENT_FAULTS: readonly Scenario[] = [
  serverSurvives({
    name: 'client disconnects while it sends the headers',
    times: { gate: 0, full: 1000 },
    leaves: {},
    provoke: (server, _home, at) => disconnectAfter(server, PART_OF_THE_HEADERS, at),
  }),
  serverSurvives({
    name: 'client disconnects while it sends the body',
    times: { gate: 0, full: 1000 },
    leaves: {},
    provoke: (server, _home, at) => disconnectAfter(server, PART_OF_THE_BODY, at),
  }),
  serverSurvives({
    name: `${QUEUED} clients disconnect while they wait in the queue`,
    times: { gate: 0, full: 50 },
    options: { script: { hangAfter: 'init' }, server: { max_concurrent_runs: 1, metrics_enabled: true } },
    leaves: { paused: 1 },
    async provoke(server) {
      const running = await openStream(server, promptOf('claude'))
      await running.next()
      const waiting = Array.from({ length: QUEUED }, () => send(server, { body: promptOf('claude') }))
      await until(async () => (await queueLength(server)) === QUEUED)
      for (const request of waiting) request.destroy()
      await until(async () => (await queueLength(server)) === 0)
      running.hangUp()
      await until(() => childrenOf(server.pid).length === 0)
    },
  }),
  serverSurvives({
    name: 'client disconnects before the first event',
    times: { gate: 0, full: 200 },
    options: { script: { hangAfter: 'start' } },
    leaves: { error: 1 },
    async provoke(server) {
      const request = send(server, { body: promptOf('claude') })
      await until(() => childrenOf(server.pid).length > 0)
      await disconnect(request)
      await until(() => childrenOf(server.pid).length === 0)
    },
  }),
  serverSurvives({
    name: 'client disconnects in mid-stream',
    times: { gate: 0, full: 200 },
    atOnce: 4,
    options: { script: { hangAfter: 'word' } },
    leaves: { paused: 1 },
    async provoke(server) {
      const stream = await openStream(server, promptOf('claude'))
      while ((await stream.next())?.type !== 'message');
      stream.hangUp()
    },
  }),
  serverSurvives({
    name: 'client disconnects right after the last byte',
    times: { gate: 0, full: 200 },
    atOnce: 4,
    leaves: { completed: 1 },
    async provoke(server, _home, at) {
      const socket = await connectTo(server)
      let heard = ''
      socket.setEncoding('latin1').on('data', (text) => (heard += text))
      socket.write(REQUEST)
      while (!heard.endsWith(LAST_CHUNK)) await once(socket, 'data')
      close(socket, at)
    },
  }),
  serverSurvives({
    name: 'requests cancelled in a row: when sent, when the agent starts, when it prints text',
    times: { gate: IS_FULL ? 9 : 3, full: 1000 },
    options: { script: { hangAfter: 'text', text: ['a', 'b', 'c'] } },
    leaves: 'inactive',
    async provoke(server, _home, at) {
      const others = childrenOf(server.pid)
      const request = send(server, { body: promptOf('claude') })
      if (at % 3 === 0) await once(request, 'finish')
      if (at % 3 === 1) await until(() => childrenOf(server.pid).some((pid) => !others.includes(pid)))
      if (at % 3 === 2) await once(request, 'response')
      await disconnect(request)
    },
  }),
]

/** Sends part of a request and disconnects: half of the clients close the connection, half reset it. */
async function disconnectAfter(server: ObservedServer, part: string, at: number): Promise<void> {
  const socket = await connectTo(server)
  await new Promise((resolve) => socket.write(part, resolve))
  close(socket, at)
}

function close(socket: Socket, at: number): void {
  if (at % 2 === 0) socket.destroy()
  else socket.resetAndDestroy()
}

function disconnect(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => request.once('close', resolve).destroy())
}

async function queueLength(server: ObservedServer): Promise<number> {
  const { text } = await ask(server, { path: '/metrics' })
  return Number(/^drover_queue_length (\d+)$/m.exec(text)?.[1])
}
