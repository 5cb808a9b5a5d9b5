/** Publishes the driven runs of this machine, so that every server shows them, also when this machine is gone. */
import type { PublishedRun, PublishedRuns } from '../../executions/store/published-runs.ts'
import { type Clock, daysAgo } from '../../kit/clock.ts'
import { ignoreFault } from '../../kit/fault.ts'
import type { Log } from '../../kit/log.ts'
import { USER } from '../../prompts/caller.ts'
import type { DrivenRecord } from '../record/driven-record.shape.ts'
import type { DrivenRun, DrivenState } from './driven-run.shape.ts'
import type { DrivenRuns } from './driven-runs.ts'
import { type DrivenFacts, toDrivenDiff, toDrivenRun } from './driven-view.ts'
import { isFinalState, lookAtRuns } from './run-changes.ts'

type PublisherOptions = {
  runs: DrivenRuns
  board: PublishedRuns
  clock: Clock
  /** Runs that ended this many days ago are removed from the database. */
  keepDays: number
  log: Log
}

const REPORT_MS = 2000

type Published = {
  /** Of the run when it was published. */
  mark: string
  state: string
  lastSeq: number
  /** While the run is driven, its report is remade only after a while. */
  report?: { text: string; madeAt: number }
}

export class RunPublisher {
  readonly #options: PublisherOptions
  readonly #published = new Map<string, Published>()
  /** Publications follow each other. */
  #last: Promise<unknown> = Promise.resolve()
  readonly #stop = new AbortController()
  #loop: Promise<void> | undefined

  constructor(options: PublisherOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    for (const [id, found] of await this.#options.board.published()) this.#published.set(id, { mark: '', ...found })
    this.#loop ??= lookAtRuns(this.#options.runs, {
      look: (records) => this.#publishAll(records),
      onFailure: (error) => this.#report(error),
      signal: this.#stop.signal,
    })
  }

  /** Everything is published again, because others took this process for dead. */
  forget(): void {
    for (const [id, each] of this.#published) this.#published.set(id, { ...each, mark: '' })
  }

  /** Publishes one run. A failure is logged: it is published later. */
  async publish(id: string): Promise<void> {
    const record = this.#options.runs.reader.findHere(id)
    if (record !== undefined) await this.#inOrder(() => this.#publishIfChanged(record))
  }

  /** Publishes all runs that have changed. */
  async scan(): Promise<void> {
    await this.#publishAll(this.#options.runs.reader.list(USER))
  }

  /** Publishes what is left, and ends. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#loop
    await this.scan()
  }

  #publishAll(records: readonly DrivenRecord[]): Promise<void> {
    return this.#inOrder(async () => {
      for (const record of records) await this.#publishIfChanged(record)
    })
  }

  #inOrder(work: () => Promise<void>): Promise<void> {
    const next = this.#last.then(work)
    this.#last = next.catch(() => {})
    return next
  }

  async #publishIfChanged(record: DrivenRecord): Promise<void> {
    const { runs } = this.#options
    const { run_id: runId } = record
    try {
      const mark = `${runs.reader.markOf(record)} ${JSON.stringify(record)}`
      const known = this.#published.get(runId)
      if (known !== undefined && isUpToDate(known, { mark, isDrivenHere: runs.drives.has(runId) })) return
      const published = await this.#publishNow(record, known)
      if (published !== undefined) this.#published.set(runId, { mark, ...published })
    } catch (error) {
      this.#report(error, runId)
    }
  }

  /** It is tried again. */
  #report(error: unknown, run?: string): void {
    this.#options.log.warn({ run, reason: String(error) }, 'a run could not be published to other machines')
  }

  async #publishNow(record: DrivenRecord, known: Published | undefined): Promise<Omit<Published, 'mark'> | undefined> {
    const { runs, board, clock, keepDays } = this.#options
    const facts = await runs.reader.tryRead(record)
    if (facts === undefined) return undefined
    const summary = toDrivenRun(facts)
    const { state } = summary
    if (isForgotten(known, summary, daysAgo(keepDays, clock))) return { state, lastSeq: facts.lastSeq }
    const now = performance.now()
    const isRecent = state === 'running' && known?.report !== undefined && now - known.report.madeAt < REPORT_MS
    const detail = await runs.reader.detail(facts, isRecent ? known.report?.text : undefined)
    const run = await toPublished(runs, { facts, detail, after: known?.lastSeq ?? 0 })
    if (!(await board.publish(run))) return undefined
    const report = isRecent && known.report ? known.report : { text: detail.report ?? '', madeAt: now }
    return { state, lastSeq: run.lastSeq, report }
  }
}

/** The end of a driver in another process changes no file. What has ended is published once. */
export function isUpToDate(known: Published, { mark, isDrivenHere }: { mark: string; isDrivenHere: boolean }): boolean {
  if (known.mark === '') return isFinalState(known.state as DrivenState)
  return known.mark === mark && (known.state !== 'running' || isDrivenHere)
}

/** A run that ended long ago was published, and was removed. */
export function isForgotten(
  known: Published | undefined,
  { state, updated_at: updatedAt }: Pick<DrivenRun, 'state' | 'updated_at'>,
  oldest: string,
): boolean {
  return known === undefined && isFinalState(state) && updatedAt < oldest
}

type Publication = { facts: DrivenFacts; detail: DrivenRun; after: number }

async function toPublished({ reader }: DrivenRuns, { facts, detail, after }: Publication): Promise<PublishedRun> {
  const { record, lastSeq, drivenBy } = facts
  const summary = toDrivenRun(facts)
  const isRunning = summary.state === 'running'
  const added = reader.readEvents(record).slice(after, lastSeq)
  return {
    id: record.run_id,
    askedBy: record.asked_by,
    apiKey: record.api_key,
    keyId: record.key_id,
    repository: record.repository,
    state: summary.state,
    createdAt: record.created_at,
    updatedAt: summary.updated_at,
    isOver: isFinalState(summary.state),
    lastSeq,
    summary: JSON.stringify(summary),
    detail: JSON.stringify(detail),
    diff: isRunning ? undefined : await tryDiff(reader, facts),
    events: added.map((event, index) => ({ seq: after + index + 1, content: JSON.stringify(event) })),
    driver: drivenBy && (drivenBy === 'this_server' ? 'this' : 'other'),
  }
}

/** Undefined if there is no branch, or git cannot tell any more. */
async function tryDiff(reader: DrivenRuns['reader'], facts: DrivenFacts): Promise<string | undefined> {
  const patch = await reader.patch(facts).catch(ignoreFault)
  return patch && JSON.stringify(toDrivenDiff(facts, patch))
}
