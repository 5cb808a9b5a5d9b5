/** The executions that wait until a worker of many machines runs them, and what the workers can run. */

import { isInside } from '../../kit/label.ts'
import type { Priority, QueueShare } from '../../prompts/fair-queue.ts'
import { labelMissing } from '../../prompts/faults.ts'
import { sessionMachineGone } from '../../sessions/faults.ts'
import type { Execution } from './execution.shape.ts'
import type { KeepMode } from './execution-states.ts'
import type { AttachedContent } from './execution-store.ts'
import { workdirNotOnWorker, workerMissing } from './faults.ts'

/** What a worker makes known about itself. */
export type WorkerFacts = {
  /** The backends whose agents it has. */
  backends: readonly string[]
  /** The directories in which it works. Empty: every directory that it has. */
  repositories: readonly string[]
  /** How many prompts it runs at once. */
  slots: number
  /** How many of those that it has taken need no slot now, because they wait for their clients. Absent: none. */
  lent?: number
  /** What the machine is or has. Absent if it is older than that. */
  labels?: readonly string[]
  /** Where it drives runs, and the checks that clients can choose from. Absent if it is older than that. */
  drive?: { repositories: readonly string[]; checks: readonly string[] }
}

/** A worker that is alive. */
export type KnownWorker = WorkerFacts & { machine: string }

export type QueuedWork = {
  execution: Execution
  keep: KeepMode
  countsUsage: boolean
  /** What a worker needs to run it, as JSON. */
  request: string
  /** Only a worker on this machine may run it. */
  machine: string | undefined
  /** It is cancelled if this process dies before it has ended. */
  waiter: string | undefined
  /** Absent: `normal`. */
  priority?: Priority | undefined
  /** The content of its attachments. */
  attachments?: readonly AttachedContent[]
}

export type ClaimedWork = { id: string; request: string; lastSeq: number; createdAt: string }

export type WorkQueue = {
  /** The name of this machine. */
  readonly machine: string
  add(work: QueuedWork): Promise<void>
  /** Takes the next execution that this worker can run, if there is one. */
  claim(worker: WorkerFacts, limits: { perKey: number; perBackend: number }): Promise<ClaimedWork | undefined>
  /** Gives back what this process has taken and does not run, because the answer to a claim was lost. */
  release(running: readonly string[]): Promise<void>
  /** Makes known what this process runs; undefined: nothing any more. */
  announce(worker: WorkerFacts | undefined): Promise<void>
  workers(): Promise<KnownWorker[]>
  /** The machine that has a session, and whether another one can continue it. */
  homeOf(session: string): Promise<SessionHome | undefined>
  /** What a worker wants to know before it claims. */
  look(): Promise<QueueSight>
  /** A worker starts on this machine, so it takes work. */
  endDraining(): Promise<void>
  /** How many executions wait, how many of the queue run, and how long the oldest has waited. */
  load(): Promise<QueueLoad>
  /** How much of the queue a key has. */
  share(keyId: string): Promise<QueueShare>
  /** Removes what is only stored so that another process could read it: of one execution, or of all that ended long ago. */
  removeUnkept(id?: string): Promise<void>
}

export type QueueSight = {
  /** Whether the workers of this machine are to end. */
  isDraining: boolean
  /** Whether anything waits, also if only other workers can run it. */
  hasWaiting: boolean
}

export type SessionHome = { machine: string; isPortable: boolean }

export type QueueLoad = {
  waiting: number
  running: number
  oldestSecs: number
  /** Those of them that need a worker with a label, by label. */
  labeled: ReadonlyMap<string, number>
}

/** Whether no worker has room, and the queue has none either. */
export function isQueueFull(
  { waiting, running }: Pick<QueueLoad, 'waiting' | 'running'>,
  { workers, limit }: { workers: readonly KnownWorker[]; limit: number },
): boolean {
  const free = workers.reduce((sum, { slots, lent = 0 }) => sum + slots + lent, 0) - running
  return waiting - Math.max(0, free) >= limit
}

type Wanted = {
  backend: string
  workdir: string | undefined
  /** Only workers with it count. Undefined: all. */
  label: string | undefined
  session: ({ id: string } & SessionHome) | undefined
}

/**
 * The machine that must run it, if there is one. Throws a Fault if no worker can run it. If no worker has the label, it waits for one.
 */
export function chooseMachine(workers: readonly KnownWorker[], wanted: Wanted): string | undefined {
  const { backend, workdir, session, label } = wanted
  const isThere = session !== undefined && workers.some(({ machine }) => machine === session.machine)
  if (session !== undefined && !isThere && !session.isPortable) throw sessionMachineGone(session)
  const machine = isThere ? session.machine : undefined
  const labeled = workers.filter((each) => isAt(machine, each) && (label === undefined || each.labels?.includes(label)))
  if (label !== undefined && labeled.length === 0) {
    if (isThere) throw labelMissing({ label })
    return undefined
  }
  const able = labeled.filter(({ backends }) => backends.includes(backend))
  if (able.length === 0) throw workerMissing({ backend })
  if (workdir === undefined || able.some(({ repositories }) => hasDirectory(repositories, workdir))) return machine
  throw workdirNotOnWorker({ workdir, known: [...new Set(able.flatMap(({ repositories }) => repositories))] })
}

const isAt = (machine: string | undefined, worker: KnownWorker) => (machine ?? worker.machine) === worker.machine

/** The machines whose workers have the agent. */
export function machinesWith(workers: readonly KnownWorker[], backend: string): string[] {
  const able = workers.filter(({ backends }) => backends.includes(backend))
  return [...new Set(able.map(({ machine }) => machine))].sort()
}

/** Where a worker runs a prompt that names no directory: where it was started, if it may work there. */
export function defaultDirectory(repositories: readonly string[], cwd: string): string {
  return hasDirectory(repositories, cwd) ? cwd : (repositories[0] ?? cwd)
}

export function hasDirectory(repositories: readonly string[], directory: string): boolean {
  return repositories.length === 0 || repositories.some((each) => isInside(directory, each))
}
