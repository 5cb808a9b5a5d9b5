/** Servers that are killed while they store executions, and readers that are cut off. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Execution, ExecutionEvent, ExecutionPage } from '../../src/executions/store/execution.shape.ts'
import type { Script } from '../fake-agent/script.ts'
import { ask, openStream, promptOf } from './client.ts'
import { type Scenario, serverEnds, serverSurvives } from './scenario.ts'
import type { ObservedServer } from './server-home.ts'

const PIECES = Array.from({ length: 300 }, (_, at) => `piece ${at}. `)
const ANSWER = PIECES.join('')
const TALKATIVE: Script = { text: PIECES, chunkMs: 2 }
const STREAMS = 4
/** From before the first agent prints something until after the last has ended. */
const LONGEST_WAIT_MS = 2500
const READERS = 100
const EXECUTIONS = '/api/v1/executions'

export const EXECUTION_FAULTS: readonly Scenario[] = [
  serverEnds({
    name: 'SIGKILL at a random moment while executions are stored; a new server starts',
    times: { gate: 1, full: 200 },
    options: { script: TALKATIVE },
    leaves: 'inactive',
    async provoke(home) {
      const server = await home.start()
      const work = startWork(server)
      await delay(Math.random() * LONGEST_WAIT_MS)
      await server.signal('SIGKILL')
      const received = await work
      await expectPrefixes(await home.start(), received)
    },
  }),
  serverSurvives({
    name: `${READERS} readers of an execution, cut off at random moments and attached again`,
    times: { gate: 0, full: 20 },
    options: { script: TALKATIVE },
    leaves: { completed: 1 },
    async provoke(server) {
      const started = await ask(server, { body: { ...promptOf('claude'), detach: true } })
      const { execution_id: id } = started.body
      const readers = await Promise.all(Array.from({ length: READERS }, () => readWithCuts(server, id)))
      const all = JSON.stringify(await eventsOf(server, id))
      const differing = readers.filter((events) => JSON.stringify(events) !== all)
      if (differing.length > 0) throw new Error(`${differing.length} readers got another sequence than the stored one`)
      expectWhole(await find(server, id), JSON.parse(all))
    },
  }),
]

/** What the clients of streams received: the text of each answer, by execution. */
type Received = Map<string, string>

/** Starts prompts of every kind, and resolves when their connections have ended. */
async function startWork(server: ObservedServer): Promise<Received> {
  const received: Received = new Map()
  const readStream = async () => {
    const stream = await openStream(server, promptOf('claude'))
    let text = ''
    for (const event of await stream.rest()) if (event.type === 'message') text += event.content.text
    received.set(stream.executionId, text)
  }
  const others = [
    { body: { ...promptOf('claude'), detach: true } },
    { path: '/api/v1/compare', body: { prompt: 'x', backends: ['claude', 'codex'] } },
    { path: '/api/v1/parallel', body: { tasks: [promptOf('claude'), promptOf('codex')] } },
  ]
  await Promise.allSettled([
    ...Array.from({ length: STREAMS }, readStream),
    ...others.map((request) => ask(server, request)),
  ])
  return received
}

/** Every execution has ended or is lost, and what is stored of it is a prefix of what its agent said. */
async function expectPrefixes(server: ObservedServer, received: Received): Promise<void> {
  const { executions } = (await ask(server, { path: `${EXECUTIONS}?limit=1000` })).body as ExecutionPage
  for (const execution of executions) {
    if (execution.ended_at === undefined) throw new Error(`${execution.id} is still ${execution.state}`)
    const text = expectWhole(execution, await eventsOf(server, execution.id))
    const client = received.get(execution.id)
    if (client !== undefined && !client.startsWith(text) && !text.startsWith(client)) {
      throw new Error(`${execution.id} has stored another text than its client received`)
    }
  }
  const missing = [...received.keys()].filter((id) => !executions.some((execution) => execution.id === id))
  for (const id of missing) {
    // A client that has received text was served for longer than it takes to save the execution.
    if ((received.get(id) ?? '').length > ANSWER.length / 2) throw new Error(`${id} was not stored`)
  }
}

/** The events are numbered without holes and end with the state of the record. Returns the text of the answer. */
function expectWhole({ id, state, kind }: Execution, events: readonly ExecutionEvent[]): string {
  for (const [at, { seq }] of events.entries()) {
    if (seq !== at + 1) throw new Error(`event ${at + 1} of ${id} has the number ${seq}`)
  }
  const last = events.at(-1)
  if (last?.type !== 'state' || last.content['state'] !== state) {
    throw new Error(`${id} is ${state}, but its last event is ${JSON.stringify(last)}`)
  }
  const text = events.flatMap(({ type, content }) => (type === 'message' ? [content['text']] : [])).join('')
  const isClaude = kind === 'prompt'
  if (isClaude && !ANSWER.startsWith(text)) throw new Error(`${id} has stored what its agent never said: ${text}`)
  if (isClaude && state === 'completed' && text !== ANSWER)
    throw new Error(`${id} is completed without its whole answer`)
  return text
}

/** Reads some events, hangs up, and continues after the last number, until the execution has ended. */
async function readWithCuts(server: ObservedServer, id: string): Promise<ExecutionEvent[]> {
  const events: ExecutionEvent[] = []
  for (;;) {
    const path = `${EXECUTIONS}/${id}/events?after=${events.at(-1)?.seq ?? 0}`
    const stream = await openStream<ExecutionEvent>(server, undefined, path)
    const cutAfter = Math.random() < 0.1 ? Number.POSITIVE_INFINITY : Math.floor(Math.random() * 100)
    for (let count = 0; count < cutAfter; count++) {
      const event = await stream.next()
      if (event === undefined) return events
      if (event.type !== 'heartbeat') events.push(event)
    }
    stream.hangUp()
  }
}

async function eventsOf(server: ObservedServer, id: string): Promise<ExecutionEvent[]> {
  return await (await openStream<ExecutionEvent>(server, undefined, `${EXECUTIONS}/${id}/events`)).rest()
}

async function find(server: ObservedServer, id: string): Promise<Execution> {
  return (await ask(server, { path: `${EXECUTIONS}/${id}` })).body
}
