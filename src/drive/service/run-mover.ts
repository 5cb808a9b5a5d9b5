/** Keeps copies of the runs of this machine, and continues those of machines that are gone. */
import type { LeftRun, RunCopies } from '../../executions/store/run-copies.ts'
import type { KnownWorker, WorkQueue } from '../../executions/store/work-queue.ts'
import { openRunStore } from '../../journal/run-store.ts'
import { ignoreFault, tryTo } from '../../kit/fault.ts'
import type { Log } from '../../kit/log.ts'
import { USER } from '../../prompts/caller.ts'
import type { DriveContext } from '../drive-context.ts'
import { copyRun, type Receiving, readCopy, receiveRun, whyNotHere } from '../move/move-run.ts'
import { readDrive } from '../record/drive-journal.ts'
import type { DrivenRecord } from '../record/driven-record.shape.ts'
import { removeDriven } from '../record/driven-records.ts'
import { stopDriven } from '../stop-driven.ts'
import type { DrivenRuns } from './driven-runs.ts'
import { orderDrivers } from './shared-view.ts'

type MoverOptions = {
  readonly runs: DrivenRuns
  readonly copies: RunCopies
  readonly queue: WorkQueue
  readonly directories: Receiving['directories']
  /** A machine has lost its runs if it had no worker for this many seconds. 0: never. */
  readonly moveAfterSecs: number
  readonly labelRules: readonly string[]
  /** Publishes the run: a copy belongs to what is published. */
  readonly publish: (runId: string) => Promise<void>
  readonly log: Log
}

const LOOK_MS = 5000

export class RunMover {
  readonly #options: MoverOptions
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  /** Runs that cannot be continued here, and why. It is said once. */
  readonly #refused = new Map<string, string>()

  constructor(options: MoverOptions) {
    this.#options = options
  }

  start(): void {
    const { moveAfterSecs, runs } = this.#options
    if (moveAfterSecs === 0 || this.#timer !== undefined) return
    runs.drives.keepCopies((context) => this.#keep(context))
    this.#timer = setInterval(() => this.#look(), Math.min(LOOK_MS, moveAfterSecs * 1000))
    this.#look()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
  }

  /** Runs that other machines took while no worker was here are not continued. */
  async leaveMoved(): Promise<void> {
    const { runs, copies, log } = this.#options
    const records = runs.reader.list(USER)
    const moved = records.length === 0 ? new Map() : await copies.movedAway(records.map(({ run_id: id }) => id))
    for (const record of records.filter(({ run_id: id }) => moved.has(id))) {
      await this.#leave(record)
      log.warn({ run: record.run_id, machine: moved.get(record.run_id) }, 'another machine has continued a run')
    }
  }

  /** What is here of it stays, and nothing is done with it any more. */
  async #leave({ repository, run_id: id }: DrivenRecord): Promise<void> {
    const { runs, directories } = this.#options
    const opened = runs.starter.openRepository(repository)
    await opened.then((context) => stopDriven(context, id)).catch(ignoreFault)
    removeDriven(directories.drivenRuns, id)
  }

  /** Without a copy, the run waits for its machine, so nothing ends it. */
  async #keep(context: DriveContext): Promise<void> {
    const { copies, directories, publish, log } = this.#options
    const { runId } = context
    try {
      const copy = await copyRun(context, directories.drivenRuns)
      if (copy === undefined) return
      await publish(runId)
      await copies.save(runId, JSON.stringify(copy))
    } catch (error) {
      log.warn({ run: runId, reason: String(error) }, 'a run could not be copied for other machines')
    }
  }

  #look(): void {
    this.#looking ??= this.#takeAll()
      .catch((error: unknown) => {
        this.#options.log.warn({ reason: String(error) }, 'runs of machines that are gone could not be read')
      })
      .finally(() => {
        this.#looking = undefined
      })
  }

  async #takeAll(): Promise<void> {
    const { copies, queue, moveAfterSecs } = this.#options
    const left = (await copies.left(moveAfterSecs)).filter((run) => !this.#isHere(run))
    if (left.length === 0) return
    const workers = await queue.workers()
    for (const run of left.filter((each) => this.#isAble(each, workers))) await this.#take(run)
  }

  /** It has arrived. */
  #isHere({ id, machine }: LeftRun): boolean {
    const { runs, queue } = this.#options
    const record = machine === queue.machine ? runs.reader.findHere(id) : undefined
    return (
      record !== undefined &&
      readDrive(openRunStore({ gitCommonDir: record.git_common_dir }), id)?.moved?.to === machine
    )
  }

  #isAble({ repository, backend }: LeftRun, workers: readonly KnownWorker[]): boolean {
    const { queue, labelRules } = this.#options
    const wanted = { repository, backend, labelRules, load: new Map(), here: queue.machine }
    return tryTo(() => orderDrivers(workers, wanted))?.machines.includes(queue.machine) === true
  }

  async #take(run: LeftRun): Promise<void> {
    const { runs, copies, queue, directories, moveAfterSecs: seconds, publish, log } = this.#options
    const { id, machine: from } = run
    try {
      const copy = readCopy((await copies.read(id)) ?? '')
      const receiving = { copy, from, to: queue.machine, directories }
      const context = await runs.starter.openRepository(run.repository)
      const problem = await whyNotHere(context, receiving)
      if (problem !== undefined) return this.#refuse(run, problem)
      const rounds = copy.rounds.map(({ record, events }) => ({ id: record.run_id, events }))
      if (!(await copies.take({ id, seconds }, rounds))) return
      await runs.continueRun(await receiveRun(context, receiving))
      await publish(id)
      log.info({ run: id, machine: from }, 'continues a run of a machine that is gone')
    } catch (error) {
      this.#refuse(run, String(error))
    }
  }

  #refuse({ id, machine }: LeftRun, problem: string): void {
    if (this.#refused.get(id) === problem) return
    this.#refused.set(id, problem)
    this.#options.log.warn({ run: id, machine, problem }, 'a run of a machine that is gone cannot continue here')
  }
}
