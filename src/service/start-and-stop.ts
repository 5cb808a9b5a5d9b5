/** The one order in which a server starts and stops: with clients, in a program, or as a worker. */
import { sweepScratch } from '../agents/scratch-files.ts'
import type { Config } from '../config/config.shape.ts'
import type { Stores } from '../executions/store/stores.ts'
import { type Clock, daysAgo } from '../kit/clock.ts'
import { toErrorMessage } from '../kit/fault.ts'
import type { Log } from '../kit/log.ts'
import { raceTime } from '../kit/race.ts'
import type { ServedDrover } from './served.ts'

/** `shutdown`: new work is refused, and running work may finish. `drainDeadline`: it is canceled. */
export class Ending {
  readonly shutdown = new AbortController()
  readonly drainDeadline = new AbortController()

  get signals(): { shutdown: AbortSignal; drainDeadline: AbortSignal } {
    return { shutdown: this.shutdown.signal, drainDeadline: this.drainDeadline.signal }
  }
}

export type Face = {
  /** Lets clients in. Their rights depend on the address, so runs are resumed after it. */
  open(): Promise<void>
  /** Waits until all clients have their answers, and calls `endAgents` then, or when that takes too long. */
  drain(drainMs: number, endAgents: () => Promise<void>): Promise<void>
}

type LifeParts = {
  drover: ServedDrover
  ending: Ending
  config: Config
  clock: Clock
  log: Log
  /** How clients reach it. A worker has none. */
  face?: Face
  /** It removes what is past its retention. */
  cleansStore: boolean
  /** It resumes driven runs, and takes work from the queue of many machines. */
  takesWork: boolean
}

export type ServerLife = {
  /** Resolves when everything has ended. */
  stop(end: {
    /** How long running work may take. */
    drainMs: number
    /** Ends the processes of all agents. Undefined: others in this process may run some. */
    endProcesses?: () => Promise<void>
  }): Promise<void>
}

export async function startServerLife(parts: LifeParts): Promise<ServerLife> {
  const { drover, ending, config, clock, log } = parts
  const { opened: stores } = drover
  sweepScratch()
  // A process with a name also looks for others that have died.
  if (stores.queue !== undefined) await stores.sessions.owner()
  if (parts.takesWork) await drover.trySandbox()
  await parts.face?.open()
  const cleaning = parts.cleansStore
    ? startStoreCleanup({
        ...{ stores, clock, log },
        sessionDays: config.session.retention_days,
        executionDays: config.executions.keep_days,
        maxExecutionMb: config.executions.max_mb,
      })
    : undefined
  if (parts.takesWork) await drover.begin()
  return {
    async stop({ drainMs, endProcesses }) {
      const cleaned = cleaning?.stop()
      // Driven runs are interrupted, and resumed when a server starts here again.
      ending.shutdown.abort()
      const work = drover.worker?.stop()
      const warm = drover.warm?.close()
      const endAgents = async () => {
        // Before ending the agents, so that no prompt that waits starts a new one.
        ending.drainDeadline.abort()
        await endProcesses?.()
      }
      if (parts.face !== undefined) await parts.face.drain(drainMs, endAgents)
      else await finishWork(Promise.all([work, drover.background.idle()]), drainMs, endAgents)
      await Promise.all([work, warm, cleaned])
      await drover.runs.close?.()
      await drover.records.close()
      await drover.closeTelemetry()
    },
  }
}

async function finishWork(work: Promise<unknown>, drainMs: number, endAgents: () => Promise<void>): Promise<void> {
  const isDone = await raceTime(
    work.then(() => true),
    drainMs,
  )
  if (isDone !== true) await endAgents()
  await work
}

type Retention = {
  stores: Stores
  clock: Clock
  log: Log
  /** Sessions that were not used for this many days are deleted. 0 keeps all sessions. */
  sessionDays: number
  /** Executions that ended this many days ago are deleted, and with PostgreSQL also the copies of driven runs. */
  executionDays: number
  /** Executions of the keys that use most are deleted until the rest fits. */
  maxExecutionMb: number
}

const MB = 1024 * 1024
const SESSIONS_EVERY_MS = 24 * 60 * 60 * 1000
/** More often, because executions have a size limit too. */
const EXECUTIONS_EVERY_MS = 60_000

/** Deletes what is past its retention, in the background: now and again and again. `stop` waits for the piece that is being deleted. */
export function startStoreCleanup(retention: Retention): { stop(): Promise<void> } {
  const stopped = new AbortController()
  let running = Promise.resolve()
  const tasks = [
    { everyMs: EXECUTIONS_EVERY_MS, task: cleanExecutions },
    ...(retention.sessionDays === 0 ? [] : [{ everyMs: SESSIONS_EVERY_MS, task: cleanSessions }]),
  ]
  const run = (task: typeof cleanSessions) => {
    running = running.then(() => (stopped.signal.aborted ? undefined : task(retention, stopped.signal)))
  }
  for (const { task } of tasks) run(task)
  const timers = tasks.map(({ everyMs, task }) => setInterval(() => run(task), everyMs).unref())
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer)
      stopped.abort()
      await running
    },
  }
}

/** Of the servers with one PostgreSQL store, one deletes. */
async function isLeader({ stores }: Retention): Promise<boolean> {
  return (await stores.leads?.('retention')) ?? true
}

async function cleanSessions(retention: Retention, signal: AbortSignal): Promise<void> {
  const { stores, log, clock, sessionDays: days } = retention
  await logFailure(log, 'old sessions could not be deleted', async () => {
    if (!(await isLeader(retention))) return
    const deleted = await stores.sessions.deleteUnusedSince(daysAgo(days, clock), { isDryRun: false, signal })
    if (deleted.length > 0) log.info({ sessions: deleted.length, days }, 'deleted sessions past their retention')
  })
}

async function cleanExecutions(retention: Retention, signal: AbortSignal): Promise<void> {
  const { stores, log, clock, executionDays: days, maxExecutionMb } = retention
  await logFailure(log, 'old executions could not be deleted', async () => {
    if (!(await isLeader(retention))) return
    const limits = { endedBefore: daysAgo(days, clock), maxBytes: maxExecutionMb * MB, signal }
    const executions = await stores.executions.removeOld(limits)
    if (executions > 0) log.info({ executions, days }, 'deleted executions past their retention')
    const runs = (await stores.runs?.board.removeOld(limits.endedBefore, signal)) ?? 0
    if (runs > 0) log.info({ runs, days }, 'deleted copies of driven runs past their retention')
  })
}

/** A failure is only logged: the server can still serve, and the cleanup runs again. */
async function logFailure(log: Log, message: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    log.error({ reason: toErrorMessage(error) }, message)
  }
}
