/** The executions that wait until a worker of many machines runs them, and what the workers can run. */
import type { QueueShare } from '../../prompts/fair-queue.ts'
import { sessionMachineGone } from '../../sessions/faults.ts'
import type { Execution } from './execution.shape.ts'
import type { KeepMode } from './execution-states.ts'
import { workdirNotOnWorker, workerMissing } from './faults.ts'

/** What a worker makes known about itself. */
export type WorkerFacts = {
  /** The backends whose agents it has. */
  backends: readonly string[]
  /** The directories in which it works. Empty: every directory that it has. */
  repositories: readonly string[]
  /** How many prompts it runs at once. */
  slots: number
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
  /** How many executions wait, how many of the queue run, and how long the oldest has waited. */
  load(): Promise<QueueLoad>
  /** How much of the queue a key has. */
  share(keyId: string): Promise<QueueShare>
  /** Removes what is only stored so that another process could read it: of one execution, or of all that ended long ago. */
  removeUnkept(id?: string): Promise<void>
}

export type SessionHome = { machine: string; isPortable: boolean }

export type QueueLoad = { waiting: number; running: number; oldestSecs: number }

/** Whether no worker has room, and the queue has none either. */
export function isQueueFull(
  { waiting, running }: QueueLoad,
  { workers, limit }: { workers: readonly KnownWorker[]; limit: number },
): boolean {
  const free = workers.reduce((sum, { slots }) => sum + slots, 0) - running
  return waiting - Math.max(0, free) >= limit
}

type Wanted = {
  backend: string
  workdir: string | undefined
  session: ({ id: string } & SessionHome) | undefined
}

/** The machine that must run it, if there is one. Throws a Fault if no worker can run it. */
export function chooseMachine(workers: readonly KnownWorker[], wanted: Wanted): string | undefined {
  const { backend, workdir, session } = wanted
  const isThere = session !== undefined && workers.some(({ machine }) => machine === session.machine)
  if (session !== undefined && !isThere && !session.isPortable) throw sessionMachineGone(session)
  const machine = isThere ? session.machine : undefined
  const able = workers.filter((each) => each.backends.includes(backend) && (machine ?? each.machine) === each.machine)
  if (able.length === 0) throw workerMissing({ backend })
  if (workdir === undefined || able.some(({ repositories }) => hasDirectory(repositories, workdir))) return machine
  throw workdirNotOnWorker({ workdir, known: [...new Set(able.flatMap(({ repositories }) => repositories))] })
}

/** The machines whose workers have the agent. */
export function machinesWith(workers: readonly KnownWorker[], backend: string): string[] {
  const able = workers.filter(({ backends }) => backends.includes(backend))
  return [...new Set(able.map(({ machine }) => machine))].sort()
}

/** Where a worker runs a prompt that names no directory: where it was started, if it may work there. */
export function defaultDirectory(repositories: readonly string[], cwd: string): string {
  return hasDirectory(repositories, cwd) ? cwd : (repositories[0] ?? cwd)
}

/** By name, as the claims of PostgreSQL do. */
export function hasDirectory(repositories: readonly string[], directory: string): boolean {
  const withSlash = (path: string) => path.replace(/\/*$/, '/')
  return repositories.length === 0 || repositories.some((each) => withSlash(directory).startsWith(withSlash(each)))
}
