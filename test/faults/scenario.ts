/** A fault, how often it is brought about, and what must be true afterwards. */
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { until } from '../support/until.ts'
import { ask, promptOf } from './client.ts'
import { childrenOf, descriptorsOf, processesOf, type Sessions, sessionsIn } from './observation.ts'
import { type Level, type ObservedServer, Room, type RoomOptions } from './room.ts'

export type Scenario = {
  name: string
  /** In the gate, and when figures are wanted. */
  times: { gate: number; full: number }
  /** Why this machine cannot show it; undefined if it can. */
  obstacle?: string | undefined
  run(times: number, warmUps: number): Promise<Figures>
}

export type Figures = {
  times: number
  seconds: number
  /** Sessions that it left, by status. */
  sessions: Sessions
  /** Agents, tools, daemons and zombies that it left. */
  processes: number
  /** Of a server that has survived. */
  levels?: { before: Level; after: Level }
  /** What must not be; empty if all is well. */
  problems: string[]
}

const STILL_LOOKS = 20

/** What each time leaves; `settled`: it depends on the moment, but none is active. */
type Leaves = Sessions | 'settled'

type Spec = { name: string; times: Scenario['times']; options?: RoomOptions; leaves: Leaves }

type SurvivedSpec = Spec & {
  /** How many side by side. */
  atOnce?: number
  /** Brings it about once; throws when the client is told anything wrong. */
  provoke(server: ObservedServer, room: Room, at: number): Promise<void>
}

type EndedSpec = Spec & {
  /** Resolves when everything has ended that is to end. */
  provoke(room: Room): Promise<void>
}

/** A fault that the server outlives. */
export function survived(spec: SurvivedSpec): Scenario {
  const { name, times, options = {}, atOnce = 1, leaves } = spec
  const run = async (count: number, warmUps: number): Promise<Figures> => {
    await using room = new Room(options)
    const server = await room.start()
    const bringAbout = (often: number) => repeat({ often, atOnce }, (at) => spec.provoke(server, room, at))
    await expectSound(server)
    const descriptors = await descriptorsAtRest(server)
    await bringAbout(warmUps)
    await calm(server, { room, descriptors })
    const [before, sessionsBefore] = [await server.level(), sessionsIn(room.home)]
    const since = performance.now()
    await bringAbout(count)
    await calm(server, { room, descriptors })
    const seconds = (performance.now() - since) / 1000
    const after = await server.level()
    const sessions = difference(sessionsIn(room.home), sessionsBefore)
    const processes = new Set([...processesOf(room.home), ...childrenOf(server.pid)]).size
    await expectSound(server)
    const figures = { times: count, seconds, sessions, processes, levels: { before, after } }
    return { ...figures, problems: problemsOf(figures, leaves) }
  }
  return { name, times, run }
}

/** A fault that is the end of the server; each time there is a new one. */
export function ended(spec: EndedSpec): Scenario {
  const { name, times, options = {}, leaves } = spec
  const run = async (count: number): Promise<Figures> => {
    const since = performance.now()
    let figures = { times: count, seconds: 0, sessions: {} as Sessions, processes: 0 }
    for (let at = 0; at < count; at++) {
      await using room = new Room(options)
      await spec.provoke(room)
      await until(() => processesOf(room.home).length === 0).catch(() => undefined)
      const { sessions, processes } = figures
      figures = {
        ...figures,
        sessions: sum(sessions, sessionsIn(room.home)),
        processes: processes + processesOf(room.home).length,
      }
    }
    figures.seconds = (performance.now() - since) / 1000
    return { ...figures, problems: problemsOf(figures, leaves) }
  }
  return { name, times, run }
}

/** An agent that is well still answers. */
async function expectSound(server: ObservedServer): Promise<void> {
  const { status, body } = await ask(server, { body: promptOf('codex', 'json') })
  expectFields({ status, ...body }, { status: 200, exit_code: 0 })
}

/** Scenarios run outside of the test runner too, which therefore cannot compare for them. */
export function expectFields(found: object, wanted: Record<string, unknown>): void {
  const differing = Object.entries(wanted).filter(([name, value]) => Reflect.get(found, name) !== value)
  if (differing.length > 0) throw new Error(`${JSON.stringify(differing)} was expected of ${JSON.stringify(found)}`)
}

/** Those that are still there when nothing has changed for a while: connections take a moment to close. */
async function descriptorsAtRest({ pid }: ObservedServer): Promise<number> {
  let last = { count: 0, looks: 0 }
  return await until(() => {
    const count = descriptorsOf(pid)
    last = { count, looks: count === last.count ? last.looks + 1 : 0 }
    return last.looks === STILL_LOOKS && count
  })
}

/** Nobody works for the server any more. Gives up silently when time is up: then the figures tell. */
async function calm(server: ObservedServer, { room, descriptors }: { room: Room; descriptors: number }): Promise<void> {
  // What costs most to find out comes last.
  const isCalm = () =>
    childrenOf(server.pid).length === 0 &&
    descriptorsOf(server.pid) <= descriptors &&
    sessionsIn(room.home).active === undefined &&
    processesOf(room.home).length === 0
  // A busy server may not have met its last clients yet. It takes them in the order in which they came, this one last.
  await ask(server, { path: '/nothing' })
  await until(isCalm).catch(() => undefined)
}

async function repeat(
  { often, atOnce }: { often: number; atOnce: number },
  work: (at: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < often) {
      await work(next++)
      await turnOfTheLoop()
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, often) }, worker))
}

function problemsOf(figures: Omit<Figures, 'problems'>, leaves: Leaves): string[] {
  const { times, sessions, processes, levels } = figures
  const problems: string[] = []
  if (processes > 0) problems.push(`${processes} processes are left`)
  if (sessions.active !== undefined) problems.push(`${sessions.active} sessions are not settled`)
  const wanted = leaves === 'settled' ? undefined : describe(mapCounts(leaves, (count) => count * times))
  if (wanted !== undefined && describe(sessions) !== wanted) {
    problems.push(`sessions are ${describe(sessions)} and should be ${wanted}`)
  }
  if (levels !== undefined && levels.after.descriptors > levels.before.descriptors) {
    problems.push(`${levels.after.descriptors - levels.before.descriptors} descriptors are left open`)
  }
  return problems
}

/** `3 completed, 1 paused`; `none`. */
export function describe(sessions: Sessions): string {
  const entries = Object.entries(sessions).sort(([a], [b]) => a.localeCompare(b))
  return entries.map(([status, count]) => `${count} ${status}`).join(', ') || 'none'
}

function difference(after: Sessions, before: Sessions): Sessions {
  return sum(
    after,
    mapCounts(before, (count) => -count),
  )
}

function sum(a: Sessions, b: Sessions): Sessions {
  const total = new Map(Object.entries(a))
  for (const [status, count] of Object.entries(b)) total.set(status, (total.get(status) ?? 0) + count)
  return Object.fromEntries([...total].filter(([, count]) => count !== 0))
}

function mapCounts(sessions: Sessions, change: (count: number) => number): Sessions {
  return Object.fromEntries(Object.entries(sessions).map(([status, count]) => [status, change(count)]))
}
