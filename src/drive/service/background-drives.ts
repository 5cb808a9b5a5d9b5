/** The runs that this process drives in the background. */
import { setTimeout as delay } from 'node:timers/promises'
import { Fault } from '../../kit/fault.ts'
import type { Log } from '../../kit/log.ts'
import { waitAfter } from '../../notify/notify-event.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { type Announcing, announceRun, runNotifyCommand } from '../announce-run.ts'
import type { DriveTools, DriveUpdate } from '../drive-context.ts'
import { type DriveBegin, driveRounds, type RoundsResult } from '../drive-rounds.ts'
import { asStarter, DrivenRecordWriter, type RecordWriterOptions } from '../driven-record-writer.ts'
import { readTotals } from '../group-totals.ts'
import type { ProjectTrust } from '../project-settings.ts'
import type { DriveState } from '../record/drive-state.ts'
import type { DrivenRecord } from '../record/driven-record.shape.ts'
import { driveBusy } from '../record/faults.ts'
import { removeDelivered } from '../start/worktree-of-run.ts'

export type DrivesOptions = RecordWriterOptions & {
  readonly directories: { readonly worktrees: string }
  readonly projectTrust: ProjectTrust
  readonly templates: DriveTools['templates']
  readonly agentLimits: string
  readonly sandbox: DriveTools['sandbox']
  readonly log: Log
  /** Undefined: the settings have no targets. */
  readonly announcing: Announcing | undefined
  /** Aborted when the server stops: its drives are interrupted, and the next server continues them. */
  readonly shutdown: AbortSignal
  /** The server waits for it before it exits. */
  readonly track: (drive: Promise<void>) => void
}

export type Drive = {
  readonly record: DrivenRecord
  /** In the worktree of the run. */
  readonly context: RunContext
  readonly begin: DriveBegin
  readonly prompts: PromptContext
  /** The environment of checks and of `gh`. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A run that waits or has ended. */
type RestingRun = Pick<Drive, 'record' | 'context'>

export class BackgroundDrives {
  readonly #options: DrivesOptions
  /** By the id of every run that is driven, with all rounds. */
  readonly #ended = new Map<string, Promise<void>>()
  readonly #interruptions = new WeakMap<Promise<void>, AbortController>()
  /** The drives that only follow a pull request, by the id of their first run. */
  readonly #watching = new Set<string>()
  #wake = Promise.withResolvers<void>()
  #interruption = new AbortController()
  #onEnd = () => {}
  #keepCopy: DriveTools['keepCopy']

  constructor(options: DrivesOptions) {
    this.#options = options
  }

  /** Called whenever a drive has ended. */
  onEnd(listener: () => void): void {
    this.#onEnd = listener
  }

  /** Called with each run before and after an attempt. */
  keepCopies(keep: NonNullable<DriveTools['keepCopy']>): void {
    this.#keepCopy = keep
  }

  /** The number of drives; further rounds are part of a drive. */
  get count(): number {
    return new Set(this.#ended.values()).size
  }

  /** How many of them work. The others wait for people, for days. */
  get working(): number {
    return this.count - this.#watching.size
  }

  has(runId: string): boolean {
    return this.#ended.has(runId)
  }

  /** The runs that are driven, with all rounds. */
  ids(): string[] {
    return [...this.#ended.keys()]
  }

  /** Interrupts all drives. Resolves when they have ended; they can continue as after a restart. */
  async interrupt(): Promise<void> {
    this.#interruption.abort()
    this.#interruption = new AbortController()
    await Promise.allSettled(this.#ended.values())
  }

  /** Interrupts the drive of one run. Resolves when another one can begin. */
  async interruptRun(runId: string): Promise<void> {
    const ended = this.#ended.get(runId)
    if (ended === undefined) return
    this.#interruptions.get(ended)?.abort()
    await ended
  }

  /** Resolves at the next change of any run. */
  changed(): Promise<void> {
    return this.#wake.promise
  }

  /** Resolves when the run is not driven here any more. */
  async ended(runId: string): Promise<void> {
    await this.#ended.get(runId)
  }

  /** Resolves when the run is driven. Throws if it cannot be, for example because another process drives it. */
  async launch(drive: Drive): Promise<void> {
    const { run_id: runId } = drive.record
    if (this.has(runId)) throw driveBusy({ run_id: runId })
    const begun = Promise.withResolvers<void>()
    const own = new AbortController()
    const ended = this.#drive(drive, begun, own.signal)
    this.#interruptions.set(ended, own)
    this.#ended.set(runId, ended)
    this.#options.track(ended)
    const forget = () => {
      for (const [id, each] of this.#ended) if (each === ended) this.#ended.delete(id)
      this.#watching.delete(runId)
      this.#notify()
      this.#onEnd()
    }
    void ended.then(forget, forget)
    await begun.promise
  }

  /** Rejects only because of a bug. */
  async #drive(drive: Drive, begun: PromiseWithResolvers<void>, own: AbortSignal): Promise<void> {
    const { record } = drive
    const { log } = this.#options
    const interrupted = AbortSignal.any([this.#options.shutdown, this.#interruption.signal, own])
    const note = new DrivenRecordWriter(this.#options, {
      ...record,
      is_server_driven: true,
      was_server_driven: true,
    })
    const onUpdate = (update: DriveUpdate) => {
      note.update(update)
      if (update.is !== 'recorded') return
      this.#addRound(record.run_id, update.runId)
      if (update.event.type === 'round_started') this.#addRound(record.run_id, update.event.data.next_run_id)
      if (isWatching(update.state)) this.#watching.add(record.run_id)
      else this.#watching.delete(record.run_id)
      if (update.event.type === 'waiting_for_limit') void this.#tell(drive)
      begun.resolve()
      this.#notify()
    }
    try {
      const result = await this.#driveToRest(drive, onUpdate, interrupted)
      begun.resolve()
      if (result.end.is === 'interrupted' && interrupted.aborted) return
      await this.rest(drive, () => note.end())
      await this.#runNotifyCommand(drive)
    } catch (error) {
      // Its work was interrupted too. The next drive does it again.
      if (error instanceof Fault && interrupted.aborted) log.info({ run: record.run_id }, 'a run was interrupted')
      else if (note.hasBegun) await this.#fail(note, drive, error)
      begun.reject(error)
      // The caller of `launch` gets the error, unless the drive had begun.
      begun.promise.catch(() => undefined)
    }
  }

  /** `signal` is its own, because listeners are added to it. */
  async #driveToRest(
    drive: Drive,
    onUpdate: (update: DriveUpdate) => void,
    signal: AbortSignal,
  ): Promise<RoundsResult> {
    const { record, context, begin, prompts, env } = drive
    const runs = { ...context, signal, store: { ...context.store, signal } }
    const result = await driveRounds(
      {
        runs,
        prompts: { ...prompts, by: asStarter(prompts.by, record) },
        env,
        wantsDeltas: true,
        projectTrust: this.#options.projectTrust,
        templates: this.#options.templates,
        agentLimits: this.#options.agentLimits,
        totals: () => readTotals(this.#options.directories.drivenRuns, record.run_id),
        sandbox: this.#options.sandbox,
        keepCopy: this.#keepCopy,
        onUpdate,
      },
      record.run_id,
      begin,
    )
    if (result.end.is === 'ended') await removeDelivered(this.#options.directories.worktrees, runs, result.state)
    return result
  }

  /** Announces that the run rests before it is noted: a server that is killed in between announces it when it starts again. */
  async rest(run: RestingRun, note: () => void): Promise<void> {
    if (await this.#announce(run)) return note()
    this.#options.track(this.#restLater(run, note))
  }

  /** The store could not take the event, for example because the disk is full. */
  async #restLater(run: RestingRun, note: () => void): Promise<void> {
    const { run_id: id } = run.record
    const since = performance.now()
    await this.ended(id)
    for (let attempts = 1; ; attempts += 1) {
      const waitMs = waitAfter(attempts, performance.now() - since, Math.random())
      if (waitMs === undefined) return
      await delay(waitMs, undefined, { signal: this.#options.shutdown, ref: false }).catch(() => {})
      // If it is driven again, that drive announces how it ends.
      if (this.#options.shutdown.aborted || this.has(id)) return
      if (await this.#announce(run)) return note()
    }
  }

  /** Whether it cannot be lost any more. */
  async #announce({ context, record }: RestingRun): Promise<boolean> {
    const { announcing, log } = this.#options
    try {
      if (announcing !== undefined) await announceRun(context, record, announcing)
      return true
    } catch (error) {
      log.error({ run: record.run_id, reason: String(error) }, 'no one could be notified of a run yet')
      return false
    }
  }

  async #tell(drive: Drive): Promise<void> {
    await this.#announce(drive)
    await this.#runNotifyCommand(drive)
  }

  async #runNotifyCommand({ record, env, context }: Drive): Promise<void> {
    if (record.notify === undefined) return
    const places = { env, cwd: record.repository, runs: context }
    const problem = await runNotifyCommand(record.notify, places, record.run_id)
    if (problem !== undefined) this.#options.log.warn({ run: record.run_id, problem }, 'the --notify command failed')
  }

  #addRound(runId: string, nextId: string): void {
    const ended = this.#ended.get(runId)
    if (ended !== undefined) this.#ended.set(nextId, ended)
  }

  async #fail(note: DrivenRecordWriter, drive: Drive, error: unknown): Promise<void> {
    this.#options.log.error({ run: drive.record.run_id, reason: String(error) }, 'a run could not be driven on')
    await this.rest(drive, () => note.end(toProblem(error)))
    await this.#runNotifyCommand(drive)
  }

  #notify(): void {
    this.#wake.resolve()
    this.#wake = Promise.withResolvers<void>()
  }
}

function isWatching({ delivered, next_run_id: next, options }: DriveState): boolean {
  return options.follow === true && delivered !== undefined && next === undefined
}

/** Why a server cannot continue a run. */
export function toProblem(error: unknown): NonNullable<DrivenRecord['problem']> {
  if (error instanceof Fault) return { code: error.code, message: error.message }
  return { code: 'internal_error', message: 'an internal error; the server log has the reason' }
}
