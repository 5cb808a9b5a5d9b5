/** The one order in which a server starts and stops: with clients, in a program, or as a worker. */
import { sweepScratch } from '../agents/scratch-files.ts'
import type { Config } from '../config/config.shape.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { raceTime } from '../kit/race.ts'
import { startStoreCleanup } from './clean-store.ts'
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
