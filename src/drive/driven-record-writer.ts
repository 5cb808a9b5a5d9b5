/** Keeps the list of driven runs up to date while a run is driven, in all of its rounds. */
import { type Clock, toTimestamp } from '../kit/clock.ts'
import { Fault } from '../kit/fault.ts'
import { depthIn } from '../kit/process/environment-variables.ts'
import type { Caller } from '../prompts/caller.ts'
import type { RunContext } from '../runs/run-context.ts'
import type { DriveUpdate } from './drive-context.ts'
import type { DrivenRecord } from './record/driven-record.shape.ts'
import { findDriven, saveDriven } from './record/driven-records.ts'

export type RecordWriterOptions = {
  readonly directories: { readonly drivenRuns: string }
  readonly clock: Clock
  /** A list that cannot be written must not end the run. */
  readonly onNoteFailure: (fault: Fault) => void
}

export class DrivenRecordWriter {
  readonly #options: RecordWriterOptions
  readonly #record: DrivenRecord
  /** That of the latest round. */
  #current: DrivenRecord
  hasBegun = false

  constructor(options: RecordWriterOptions, record: DrivenRecord) {
    const { problem: _, queued: __, ...rest } = record
    this.#options = options
    this.#record = rest
    this.#current = rest
  }

  /** The first record shows that no other process drives the run. */
  update(update: DriveUpdate): void {
    if (update.is !== 'recorded') return
    if (!this.hasBegun) this.#save(this.#record)
    this.hasBegun = true
    if (update.event.type === 'round_started') this.#addRound(update.event.data.next_run_id)
    // A driver that was killed may have announced the round, and not listed it.
    else if (![this.#record.run_id, this.#current.run_id].includes(update.runId)) this.#addRound(update.runId)
  }

  /** No process drives the run any more. */
  end(problem?: NonNullable<DrivenRecord['problem']>): void {
    this.#save({ ...this.#record, is_server_driven: false })
    if (problem !== undefined) this.#save({ ...this.#current, is_server_driven: false, problem })
  }

  /** A server that starts again continues with the first round, which leads to the others. */
  #addRound(nextId: string): void {
    const created_at = toTimestamp(this.#options.clock.now())
    const known = findDriven(this.#options.directories.drivenRuns, nextId)
    this.#current = known ?? { ...this.#record, run_id: nextId, is_server_driven: false, created_at }
    if (known === undefined) this.#save(this.#current)
  }

  #save(record: DrivenRecord): void {
    try {
      const { drivenRuns } = this.#options.directories
      // A person may have changed the limits of its group meanwhile.
      const group = findDriven(drivenRuns, this.#record.run_id)?.group
      saveDriven(drivenRuns, { ...record, ...(group !== undefined && { group }) })
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      this.#options.onNoteFailure(error)
    }
  }
}

type OwnRun = {
  readonly runId: string
  readonly repository: string
  readonly context: RunContext
  /** Of the caller. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The record of a run that the user drives here. A run keeps the record that it has. */
export function recordOfUser(directory: string, { runId, repository, context, env }: OwnRun): DrivenRecord {
  const { clock, workspace } = context
  const found = findDriven(directory, runId)
  if (found !== undefined) {
    const { queued: _, was_server_driven: __, ...kept } = found
    return { ...kept, is_server_driven: false }
  }
  return {
    version: 1,
    run_id: runId,
    repository,
    git_common_dir: workspace.git_common_dir,
    asked_by: 'user',
    ...toRecordedDepth(env),
    is_server_driven: false,
    created_at: toTimestamp(clock.now()),
  }
}

/** What a run does belongs to the key, the label and the trace that have started it, even if someone else resumes it. */
export function asStarter(by: Caller, { api_key: name = '', key_id: id = '', label, trace }: DrivenRecord): Caller {
  const { is_own: isOwn, ...context } = trace ?? { traceparent: '' }
  const traced = trace === undefined ? by : { ...by, trace: { ...context, ...(isOwn && { isOwn }) } }
  const labeled = { ...traced, label }
  return labeled.is === 'client' ? { ...labeled, key: id === '' ? undefined : { id, name } } : labeled
}

/** A server that continues the run later has another depth. */
export function toRecordedTrace({ trace }: Caller): Pick<DrivenRecord, 'trace'> {
  if (trace === undefined) return {}
  const { traceparent, tracestate, isOwn } = trace
  return { trace: { traceparent, ...(tracestate !== undefined && { tracestate }), ...(isOwn && { is_own: true }) } }
}

export function toRecordedDepth(env: OwnRun['env']): Pick<DrivenRecord, 'depth'> {
  const depth = depthIn(env)
  return depth > 0 ? { depth } : {}
}
