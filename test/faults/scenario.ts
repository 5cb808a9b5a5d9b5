/** A fault, how often it is caused, and what must be true afterwards. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { until } from '../support/until.ts'
import { ask, promptOf } from './client.ts'
import { childrenOf, descriptorsOf, processesOf, type Sessions, sessionsIn } from './observation.ts'
import { type HomeOptions, type ObservedServer, type ResourceUse, ServerHome } from './server-home.ts'

export type Scenario = {
  name: string
  /** In the tests, and in `npm run faults`. */
  times: { gate: number; full: number }
  /** Why the fault cannot be caused on this machine. */
  obstacle?: string | undefined
  run(times: number, warmUps: number): Promise<Figures>
}

export type Figures = {
  times: number
  seconds: number
  /** The sessions left behind, by status. */
  sessions: Sessions
  /** The agents, tools, daemons and zombies left behind. */
  processes: number
  /** Of a server that survived. */
  resources?: { before: ResourceUse; after: ResourceUse }
  /** What is wrong afterwards. */
  problems: string[]
}

const STABLE_READINGS = 20

/** The sessions that each time leaves; `inactive`: any number, of any status but active. */
type Leaves = Sessions | 'inactive'

type Spec = { name: string; times: Scenario['times']; options?: HomeOptions; leaves: Leaves }

type SurvivedSpec = Spec & {
  /** How often it is caused at the same time. */
  atOnce?: number
  /** Causes it once; throws if a client gets a wrong answer. */
  provoke(server: ObservedServer, home: ServerHome, at: number): Promise<void>
}

type EndedSpec = Spec & {
  /** Causes it once, and resolves when the server has ended. */
  provoke(home: ServerHome): Promise<void>
}

/** A fault that the server survives. */
export function serverSurvives(spec: SurvivedSpec): Scenario {
  const { name, times, options = {}, atOnce = 1, leaves } = spec
  const run = async (count: number, warmUps: number): Promise<Figures> => {
    await using home = new ServerHome(options)
    const server = await home.start()
    const provoke = (often: number) => repeat({ often, atOnce }, (at) => spec.provoke(server, home, at))
    await expectHealthy(server)
    const descriptors = await descriptorsAtRest(server)
    await provoke(warmUps)
    await waitUntilIdle(server, { home, descriptors })
    const [before, sessionsBefore] = [await server.resourceUse(), sessionsIn(home.path)]
    const since = performance.now()
    await provoke(count)
    await waitUntilIdle(server, { home, descriptors })
    const seconds = (performance.now() - since) / 1000
    const after = await server.resourceUse()
    const sessions = difference(sessionsIn(home.path), sessionsBefore)
    const processes = new Set([...processesOf(home.path), ...childrenOf(server.pid)]).size
    await expectHealthy(server)
    const figures = { times: count, seconds, sessions, processes, resources: { before, after } }
    return { ...figures, problems: problemsOf(figures, leaves) }
  }
  return { name, times, run }
}

/** A fault that ends the server; each time a new one is started. */
export function serverEnds(spec: EndedSpec): Scenario {
  const { name, times, options = {}, leaves } = spec
  const run = async (count: number): Promise<Figures> => {
    const since = performance.now()
    let figures = { times: count, seconds: 0, sessions: {} as Sessions, processes: 0 }
    for (let at = 0; at < count; at++) {
      await using home = new ServerHome(options)
      await spec.provoke(home)
      await until(() => processesOf(home.path).length === 0).catch(() => undefined)
      const { sessions, processes } = figures
      figures = {
        ...figures,
        sessions: sum(sessions, sessionsIn(home.path)),
        processes: processes + processesOf(home.path).length,
      }
    }
    figures.seconds = (performance.now() - since) / 1000
    return { ...figures, problems: problemsOf(figures, leaves) }
  }
  return { name, times, run }
}

/** The other agent still answers. */
async function expectHealthy(server: ObservedServer): Promise<void> {
  const { status, body } = await ask(server, { body: promptOf('codex', 'json') })
  expectFields({ status, ...body }, { status: 200, exit_code: 0 })
}

/** Compares fields. Scenarios also run without vitest, so its `expect` cannot be used. */
export function expectFields(actual: object, expected: Record<string, unknown>): void {
  const differing = Object.entries(expected).filter(([name, value]) => Reflect.get(actual, name) !== value)
  if (differing.length > 0) throw new Error(`expected ${JSON.stringify(differing)} in ${JSON.stringify(actual)}`)
}

/** The number of open descriptors once it stays the same: connections take a moment to close. */
async function descriptorsAtRest({ pid }: ObservedServer): Promise<number> {
  let last = { count: 0, readings: 0 }
  return await until(() => {
    const count = descriptorsOf(pid)
    last = { count, readings: count === last.count ? last.readings + 1 : 0 }
    return last.readings === STABLE_READINGS && count
  })
}

/** Waits until no process works for the server. After the time limit it returns too; the figures show what is left. */
async function waitUntilIdle(
  server: ObservedServer,
  { home, descriptors }: { home: ServerHome; descriptors: number },
): Promise<void> {
  // The most expensive check comes last.
  const isIdle = () =>
    childrenOf(server.pid).length === 0 &&
    descriptorsOf(server.pid) <= descriptors &&
    sessionsIn(home.path).active === undefined &&
    processesOf(home.path).length === 0
  // A busy server may not have accepted its last clients yet. It accepts them in order, this request last.
  await ask(server, { path: '/nothing' })
  let readings = 0
  // Several times in a row: an agent that stays up starts its replacement a moment after the answer.
  const staysIdle = () => {
    readings = isIdle() ? readings + 1 : 0
    return readings > STABLE_READINGS
  }
  await until(staysIdle).catch(() => undefined)
}

export async function repeat(
  { often, atOnce }: { often: number; atOnce: number },
  work: (at: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < often) {
      await work(next++)
      await yieldToEventLoop()
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, often) }, worker))
}

function problemsOf(figures: Omit<Figures, 'problems'>, leaves: Leaves): string[] {
  const { times, sessions, processes, resources } = figures
  const problems: string[] = []
  if (processes > 0) problems.push(`${processes} processes are left`)
  if (sessions.active !== undefined) problems.push(`${sessions.active} sessions are still active`)
  const expected = leaves === 'inactive' ? undefined : formatSessions(mapCounts(leaves, (count) => count * times))
  if (expected !== undefined && formatSessions(sessions) !== expected) {
    problems.push(`sessions are ${formatSessions(sessions)} and should be ${expected}`)
  }
  if (resources !== undefined && resources.after.descriptors > resources.before.descriptors) {
    problems.push(`${resources.after.descriptors - resources.before.descriptors} descriptors are left open`)
  }
  return problems
}

/** `3 completed, 1 paused`; `none`. */
export function formatSessions(sessions: Sessions): string {
  const entries = Object.entries(sessions).sort(([a], [b]) => a.localeCompare(b))
  return entries.map(([status, count]) => `${count} ${status}`).join(', ') || 'none'
}

function difference(after: Sessions, before: Sessions): Sessions {
  return sum(
    after,
    mapCounts(before, (count) => -count),
  )
}

export function sum(a: Sessions, b: Sessions): Sessions {
  const total = new Map(Object.entries(a))
  for (const [status, count] of Object.entries(b)) total.set(status, (total.get(status) ?? 0) + count)
  return Object.fromEntries([...total].filter(([, count]) => count !== 0))
}

function mapCounts(sessions: Sessions, change: (count: number) => number): Sessions {
  return Object.fromEntries(Object.entries(sessions).map(([status, count]) => [status, change(count)]))
}
