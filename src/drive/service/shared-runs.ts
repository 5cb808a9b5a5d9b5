/**
 * The driven runs of many machines with one PostgreSQL store. A run stays on its machine while a worker is there. That machine
 * publishes it, and a server on another one shows what is published and asks the machine to change it.
 */
import type { PublishedRuns, SharedRun } from '../../executions/store/published-runs.ts'
import type { RunCalls } from '../../executions/store/run-calls.ts'
import type { RunCopies } from '../../executions/store/run-copies.ts'
import type { WorkQueue } from '../../executions/store/work-queue.ts'
import type { Clock } from '../../kit/clock.ts'
import { Fault, isFault } from '../../kit/fault.ts'
import { Listeners } from '../../kit/listeners.ts'
import type { Log } from '../../kit/log.ts'
import { type Caller, visibleKeyId } from '../../prompts/caller.ts'
import type { PatchPart } from '../../workspace/worktrees/diff-worktree.ts'
import type { WorkAct } from '../act/act-on-run.ts'
import type { QueuePlace } from '../decide/queue.ts'
import {
  driveAnswerLost,
  driveLimitReached,
  driveMachineGone,
  driveNotPermitted,
  drivenRunAmbiguous,
  drivenRunNotFound,
  driveRepositoryNotNamed,
} from '../faults.ts'
import type { Receiving } from '../move/move-run.ts'
import type { NightReports } from '../night/night-report.shape.ts'
import type { DriveEvent } from '../record/drive-event.shape.ts'
import type { DrivenDiff, DrivenRun, DrivenRunPage, RunQueue } from './driven-run.shape.ts'
import type { DrivenRuns } from './driven-runs.ts'
import { RunPublisher } from './publish-runs.ts'
import { performWork, type RemoteCall, RemoteCallRunner, readAnswer, type Work } from './remote-call.ts'
import { type EventSource, followEvents, isFinalState } from './run-changes.ts'
import { RunMover } from './run-mover.ts'
import type { RunListQuery } from './run-reader.ts'
import type { FollowedRun, OfAction, RunService, RunWatcher } from './run-service.ts'
import type { DriveResumeRequest, DriveStartRequest, MoreWork, PreparedRun, Rights } from './run-starter.ts'
import { drivable, orderDrivers, partOfDiff, toNights, toShownRun } from './shared-view.ts'

export type SharedRunsOptions = {
  /** The runs of this machine. */
  readonly local: DrivenRuns
  readonly board: PublishedRuns
  readonly calls: RunCalls
  readonly copies: RunCopies
  readonly queue: WorkQueue
  /** Whether this process drives runs. */
  readonly isWorker: boolean
  /** The setting `work.required_labels`. */
  readonly labelRules: readonly string[]
  /** Who the user of this machine is on another one. Undefined: no one. */
  readonly userElsewhere: Caller | undefined
  /** Runs that ended this many days ago are removed from the database. */
  readonly keepDays: number
  /** The setting `drive.move_after_secs`. */
  readonly moveAfterSecs: number
  /** Of this machine: all worktrees, and the records of driven runs. */
  readonly directories: Receiving['directories']
  readonly clock: Clock
  readonly log: Log
}

/** A run that is not published has only an id. */
type FoundRun = SharedRun | { readonly id: string }

/** After these refusals another machine may start the run. Nothing was done. */
const PASSED_ON: readonly string[] = [driveLimitReached.code, driveMachineGone.code]
/** A shorter beginning of an id names no run. */
const SHORTEST_PREFIX = 4
/** Of other machines. */
const QUEUE_SHOWN = 1000

export class SharedRuns implements RunService {
  readonly #options: SharedRunsOptions
  readonly #publisher: RunPublisher
  readonly #server: RemoteCallRunner
  readonly #mover: RunMover
  readonly #changes = new Listeners<SharedRun | undefined>((tell) => this.#tellChanges(tell))

  constructor(options: SharedRunsOptions) {
    const { local: runs, board, calls, clock, keepDays, log } = options
    this.#options = options
    this.#publisher = new RunPublisher({ runs, board, clock, keepDays, log })
    this.#mover = new RunMover({ ...options, runs, publish: (id) => this.#publisher.publish(id) })
    this.#server = new RemoteCallRunner({ calls, log, perform: (work, by, rights) => this.#doHere(work, by, rights) })
  }

  get count(): number {
    return this.#options.local.count
  }

  async start(by: Caller, request: DriveStartRequest): Promise<DrivenRun> {
    // It starts on a branch that only that machine has.
    const { after } = request.queue ?? {}
    if (after !== undefined) return await this.#change(after, by, () => ({ do: 'start', request }))
    const found = await this.#driversFor(by, request)
    if (found === undefined) return (await this.#doHere({ do: 'start', request }, by)) as DrivenRun
    const work: Work = { do: 'start', request: { ...request, repository: found.repository } }
    let refusal: unknown
    for (const machine of found.machines) {
      try {
        return (await this.#do({ machine }, work, by)) as DrivenRun
      } catch (error) {
        if (!(error instanceof Fault) || !PASSED_ON.includes(error.code)) throw error
        refusal = error
      }
    }
    throw refusal
  }

  async adopt(by: Caller, run: PreparedRun): Promise<DrivenRun> {
    return await this.#published(await this.#options.local.adopt(by, run))
  }

  async show(by: Caller, id: string): Promise<DrivenRun> {
    const run = await this.#find(id, by)
    const { local, board } = this.#options
    if (this.#isElsewhere(run)) return local.seenBy(by, this.#shown(run))
    return { ...(await local.show(by, run.id)), machine: board.machine }
  }

  /** For a machine that is gone, this is the state of the run when it last stopped. */
  async diff(by: Caller, id: string, part?: PatchPart): Promise<DrivenDiff> {
    const run = await this.#find(id, by)
    const { local, board } = this.#options
    if (!this.#isElsewhere(run)) return await local.diff(by, run.id, part)
    const stored = run.isMachineGone ? await board.diff(run.id) : undefined
    if (stored !== undefined) return partOfDiff(JSON.parse(stored), part)
    return (await this.#do(run, { do: 'diff', id: run.id, part }, by)) as DrivenDiff
  }

  watch(by: Caller, { onRun, onMissed }: RunWatcher): () => void {
    const keyId = visibleKeyId(by)
    return this.#changes.add((run) => {
      if (run === undefined) onMissed()
      else if (keyId === undefined || run.keyId === keyId) onRun(this.#asListed(run, by))
    })
  }

  /** Undefined: something may have been missed. The changes are told in their order. */
  #tellChanges(tell: (run: SharedRun | undefined) => void): () => void {
    const { board, log } = this.#options
    let last: Promise<void> = Promise.resolve()
    const read = async (ids: readonly string[] | undefined) => {
      if (ids === undefined) return tell(undefined)
      for (const run of await board.list({ ids, limit: ids.length })) tell(run)
    }
    return board.watch((ids) => {
      last = last
        .then(() => read(ids))
        .catch((error: unknown) => {
          log.warn({ reason: String(error) }, 'runs of other machines could not be watched')
          tell(undefined)
        })
    })
  }

  #asListed(shared: SharedRun, by: Caller): DrivenRun {
    const { local } = this.#options
    const run = local.seenBy(by, this.#shown(shared))
    return local.drives.has(run.id) ? { ...run, driven_by: 'this_server' } : run
  }

  async list(by: Caller, { limit, ...query }: RunListQuery): Promise<DrivenRunPage> {
    const { board, queue, isWorker } = this.#options
    // What commands have done here since the last look.
    if (isWorker) await this.#publisher.scan()
    const [found, workers] = await Promise.all([
      board.list({ ...query, keyId: visibleKeyId(by), limit }),
      queue.workers(),
    ])
    const runs = found.slice(0, limit).map((each) => this.#asListed(each, by))
    return { runs, ...(found.length > limit && { next: runs.at(-1)?.id ?? '' }), ...drivable(workers) }
  }

  async follow(by: Caller, id: string, from: { after: number; signal: AbortSignal }): Promise<FollowedRun> {
    const found = await this.#find(id, by)
    if (!this.#isElsewhere(found)) return await this.#options.local.follow(by, found.id, from)
    const isOver = isFinalState(this.#shown(found).state) && from.after >= found.lastSeq
    return { isOver, events: this.#followStored(found, by, from) }
  }

  async *#followStored(run: SharedRun, by: Caller, from: { after: number; signal: AbortSignal }) {
    const { board, clock } = this.#options
    let [changes, wake] = [0, Promise.withResolvers<void>()]
    const unwatch = board.watch((ids) => {
      if (ids !== undefined && !ids.includes(run.id)) return
      changes += 1
      wake.resolve()
      wake = Promise.withResolvers<void>()
    })
    const source: EventSource = {
      clock,
      mark: () => String(changes),
      readEvents: async (after) => (await board.events(run.id, after)).map((text): DriveEvent => JSON.parse(text)),
      readRun: async () => this.#shown({ ...run, ...(await this.#find(run.id, by)) }),
      changed: () => wake.promise,
    }
    try {
      yield* followEvents(source, from)
    } finally {
      unwatch()
    }
  }

  async answer(by: Caller, id: string, given: OfAction & { text: string }): Promise<DrivenRun> {
    return await this.#change(id, by, (found) => ({ do: 'answer', id: found, given }))
  }

  async confirm(by: Caller, id: string, given: OfAction & { scopeSha256: string }): Promise<DrivenRun> {
    return await this.#change(id, by, (found) => ({ do: 'confirm', id: found, given }))
  }

  async skip(by: Caller, id: string, given: OfAction): Promise<DrivenRun> {
    return await this.#change(id, by, (found) => ({ do: 'skip', id: found, given }))
  }

  async stop(by: Caller, id: string): Promise<DrivenRun> {
    return await this.#change(id, by, (found) => ({ do: 'stop', id: found }))
  }

  async resume(by: Caller, id: string, given: DriveResumeRequest): Promise<DrivenRun> {
    return await this.#change(id, by, (found) => ({ do: 'resume', id: found, given }))
  }

  async followUp(by: Caller, id: string, given: MoreWork): Promise<DrivenRun> {
    return await this.#change(id, by, (found) => ({ do: 'follow_up', id: found, given }))
  }

  async act(by: Caller, id: string, act: WorkAct): Promise<DrivenRun> {
    return await this.#change(id, by, (found) => ({ do: 'act', id: found, act }))
  }

  async move(by: Caller, id: string, place: QueuePlace): Promise<DrivenRun> {
    return await this.#change(id, by, (found) => ({ do: 'move', id: found, place }))
  }

  enqueue(by: Caller, run: PreparedRun): void {
    this.#options.local.enqueue(by, run)
  }

  /** A worker knows the order of its own queue. Of other machines, the queued runs are shown, oldest first. */
  async queue(by: Caller): Promise<RunQueue> {
    const { local, isWorker, board } = this.#options
    const own = isWorker ? await local.queue(by) : { parallel: 1, runs: [] }
    const ids = new Set(own.runs.map(({ id }) => id))
    const { runs } = await this.list(by, { states: ['queued'], limit: QUEUE_SHOWN })
    const others = runs.filter(({ id, machine }) => !ids.has(id) && !(isWorker && machine === board.machine))
    return { ...own, runs: [...own.runs, ...others.toReversed()] }
  }

  /** What other machines have published names no files, and no order to merge in. */
  async report(by: Caller, since: string): Promise<NightReports> {
    const { local, isWorker, board } = this.#options
    const own = isWorker ? (await local.report(by, since)).repositories : []
    const { runs } = await this.list(by, { limit: QUEUE_SHOWN })
    const others = runs.filter(({ machine, updated_at }) => machine !== board.machine && updated_at >= since)
    return {
      since,
      repositories: [...own.map((each) => ({ ...each, machine: board.machine })), ...toNights(others, since)],
    }
  }

  /** Only a worker drives runs. */
  async continueAll(): Promise<void> {
    const { isWorker, local } = this.#options
    if (!isWorker) return
    await this.#mover.leaveMoved()
    await this.#publisher.start()
    this.#server.start()
    this.#mover.start()
    await local.continueAll()
  }

  async restart(ready: () => Promise<void>): Promise<void> {
    const { isWorker, local } = this.#options
    if (!isWorker) return
    await local.restart(async () => {
      await ready()
      await this.#mover.leaveMoved()
    })
    this.#publisher.forget()
  }

  async close(): Promise<void> {
    if (!this.#options.isWorker) return
    await this.#mover.close()
    await this.#server.close()
    await this.#publisher.close()
  }

  async #change(id: string, by: Caller, toWork: (id: string) => Work): Promise<DrivenRun> {
    const run = await this.#find(id, by)
    const work = toWork(run.id)
    return (await (this.#isElsewhere(run) ? this.#do(run, work, by) : this.#doHere(work, by))) as DrivenRun
  }

  /** The machines that can drive a new run. Undefined: this machine starts it, or reports what is wrong. */
  async #driversFor(by: Caller, { repository, given }: DriveStartRequest) {
    const { queue, board, isWorker, labelRules } = this.#options
    if (isWorker && by.is === 'user') return undefined
    const [workers, load] = await Promise.all([queue.workers(), board.load()])
    try {
      return orderDrivers(workers, { repository, backend: given.backend, labelRules, load, here: queue.machine })
    } catch (error) {
      // The settings of this machine may name it by another path.
      if (isWorker && isFault(error, driveRepositoryNotNamed)) return undefined
      throw error
    }
  }

  /** If it is not published, only this machine can know it. */
  async #find(id: string, by: Caller): Promise<FoundRun> {
    const [run, another] = id.length < SHORTEST_PREFIX ? [] : await this.#options.board.find(id, visibleKeyId(by))
    if (another !== undefined && run?.id !== id) throw drivenRunAmbiguous({ id })
    if (run === undefined && !this.#options.isWorker) throw drivenRunNotFound({ id })
    return run ?? { id }
  }

  #shown(run: SharedRun): DrivenRun {
    return toShownRun(run, this.#options.clock.now())
  }

  /** Also if this machine had it, and its disk is not the same any more. */
  #isElsewhere(run: FoundRun): run is SharedRun {
    const { isWorker, local } = this.#options
    return 'machine' in run && !(isWorker && local.reader.findHere(run.id) !== undefined)
  }

  async #doHere(work: Work, by: Caller, rights?: Rights): Promise<DrivenRun | DrivenDiff> {
    const done = await performWork(this.#options.local, work, { by, ...(rights !== undefined && { rights }) })
    return 'goal' in done ? await this.#published(done) : done
  }

  async #published(run: DrivenRun): Promise<DrivenRun> {
    await this.#publisher.publish(run.id)
    return { ...run, machine: this.#options.board.machine }
  }

  async #do(
    place: Pick<SharedRun, 'machine'> & Partial<SharedRun>,
    work: Work,
    by: Caller,
  ): Promise<DrivenRun | DrivenDiff> {
    const { machine } = place
    const { board, calls, isWorker, local } = this.#options
    if (isWorker && machine === board.machine) return await this.#doHere(work, by)
    if (place.isMachineGone === true) throw driveMachineGone({ machine })
    const { askedBy, apiKey: name, keyId: id = '' } = place
    const key = name === undefined ? undefined : { id, name }
    const starter = askedBy === 'client' ? local.rightsOf({ is: 'client', role: 'client', key }) : undefined
    const call: RemoteCall = { by: this.#asSeenElsewhere(by), starter, work }
    const result = await calls.ask(machine, JSON.stringify(call))
    if (result.is === 'refused') throw driveMachineGone({ machine })
    if (result.is === 'unknown') throw driveAnswerLost({ machine })
    return asSeenHere(readAnswer(result.answer))
  }

  /** The user of this machine is a client of another one. Its agents there are as deep as they would be here. */
  #asSeenElsewhere(by: Caller): Caller {
    const { local, userElsewhere } = this.#options
    const depth = local.depthOf(by)
    const there = by.is === 'client' ? by : userElsewhere && local.rightsOf(userElsewhere)
    if (there === undefined) throw driveNotPermitted({ key: undefined })
    return { ...there, depth }
  }
}

/** A process of another machine drives it. */
function asSeenHere(answer: DrivenRun | DrivenDiff): DrivenRun | DrivenDiff {
  if (!('goal' in answer) || answer.driven_by === undefined) return answer
  return { ...answer, driven_by: 'another_process' }
}
