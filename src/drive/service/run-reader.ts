/** Finds and reads driven runs of all repositories of the user. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readRunHeader } from '../../journal/read-run.ts'
import { drivePathIn, keptDrivePathIn, openRunStore, type RunStore, toJournalPath } from '../../journal/run-store.ts'
import type { Clock } from '../../kit/clock.ts'
import { ignoreFault, tryTo } from '../../kit/fault.ts'
import { fileMark } from '../../kit/files/read-file.ts'
import { randomIds } from '../../kit/ids.ts'
import { type Caller, visibleKeyId } from '../../prompts/caller.ts'
import { readPinnedSource } from '../../runs/read-material.ts'
import { outlineRun } from '../../runs/read-status.ts'
import { matchRunIds } from '../../runs/resolve-run-id.ts'
import type { RunContext } from '../../runs/run-context.ts'
import type { Git } from '../../workspace/git.ts'
import type { Patch, PatchPart } from '../../workspace/worktrees/diff-worktree.ts'
import { drivenRunAmbiguous, drivenRunInPlace, drivenRunNotFound } from '../faults.ts'
import type { NightReports } from '../night/night-report.shape.ts'
import { readQueueWait } from '../read-queue-wait.ts'
import { surroundings } from '../read-verdict.ts'
import { isDriven, readDriveEvents } from '../record/drive-journal.ts'
import { toDriveState } from '../record/drive-state.ts'
import type { DrivenRecord } from '../record/driven-record.shape.ts'
import { findDriven, type KnownRecords, listDriven, listDrivenIds } from '../record/driven-records.ts'
import { describeRun, patchOfRun } from '../report-run.ts'
import type { DrivenRun } from './driven-run.shape.ts'
import { type DetailedRun, type DrivenFacts, toDrivenRun, toDrivenRunDetail, toSource } from './driven-view.ts'

const READ_AT_ONCE = 16

type ReaderOptions = {
  /** The directory of the records of driven runs. */
  readonly directory: string
  readonly git: Git
  readonly clock: Clock
  readonly version: string
  /** Whether this process drives the run. */
  readonly isDrivenHere: (runId: string) => boolean
}

export class RunReader {
  readonly #options: ReaderOptions
  readonly #records: KnownRecords = new Map()
  readonly #views = new Map<string, { mark: string; run: DrivenRun }>()

  constructor(options: ReaderOptions) {
    this.#options = options
  }

  /** Finds a run by its id or a unique prefix. Whether another key has such a run is not revealed. */
  find(id: string, by: Caller): DrivenRecord {
    const { directory } = this.#options
    const records = matchRunIds(id, listDrivenIds(directory))
      .map((each) => findDriven(directory, each))
      .filter((record) => record !== undefined && isVisible(record, by))
    const [only, ...others] = records
    if (only === undefined) throw drivenRunNotFound({ id })
    if (others.length > 0) throw drivenRunAmbiguous({ id })
    return only
  }

  /** The record of a run of this machine, by its whole id. */
  findHere(id: string): DrivenRecord | undefined {
    return findDriven(this.#options.directory, id)
  }

  /** Newest first. */
  list(by: Caller): DrivenRecord[] {
    return listDriven(this.#options.directory, this.#records).filter((record) => isVisible(record, by))
  }

  /** Newest first. At least one more than the limit if there are more. */
  async page(by: Caller, { before, limit, ...filter }: RunListQuery): Promise<DrivenRun[]> {
    const all = this.list(by)
    const at = all.findIndex(({ run_id }) => run_id === before)
    // After a run that is not in the list there is no page: returning the first page again would make a client loop forever.
    const older = before === undefined ? all : all.slice(at === -1 ? all.length : at + 1)
    const runs: DrivenRun[] = []
    for (let at = 0; at < older.length && runs.length <= limit; at += READ_AT_ONCE) {
      const read = await Promise.all(older.slice(at, at + READ_AT_ONCE).map((record) => this.view(record)))
      runs.push(...read.filter((run) => run !== undefined).filter((run) => isWanted(run, filter)))
    }
    return runs
  }

  async read(record: DrivenRecord): Promise<DrivenFacts> {
    const { run_id: runId } = record
    const context = this.contextFor(record)
    const drivenBy = await this.#driverOf(context.store, runId)
    const run = await outlineRun(context, runId)
    const events = readDriveEvents(context.store, runId)
    const drive = toDriveState(events)
    if (drive === undefined) throw drivenRunNotFound({ id: runId })
    const waitsFor = await readQueueWait(context, drive, this.#options.directory)
    const around = { ...surroundings(context.store, drive), waitsFor, now: context.clock.now() }
    return { record, run, drive, lastSeq: events.length, drivenBy, ...around }
  }

  /** Undefined if the run is gone, or cannot be read. */
  async tryRead(record: DrivenRecord): Promise<DrivenFacts | undefined> {
    return await this.read(record).catch(ignoreFault)
  }

  /** As lists show it. It is read again only if something has changed. Undefined if the run is gone, or cannot be read. */
  async view(record: DrivenRecord): Promise<DrivenRun | undefined> {
    const mark = `${this.markOf(record)} ${JSON.stringify(record)}`
    const known = this.#views.get(record.run_id)
    if (known?.mark === mark && !this.#mayDiffer(known.run)) return known.run
    const facts = await this.tryRead(record)
    const run = facts && toDrivenRun(facts)
    if (run === undefined) this.#views.delete(record.run_id)
    else this.#views.set(record.run_id, { mark, run })
    return run
  }

  /** What no file of the run tells: the end of a driver in another process, what a queued run waits for, the worktree, and how long ago a driver ended. */
  #mayDiffer({ driven_by: drivenBy, state, worktree, verdict }: DrivenRun): boolean {
    const isElsewhere = drivenBy === 'another_process' || state === 'interrupted' || state === 'queued'
    return isElsewhere || existsSync(worktree) !== (verdict.exists.worktree !== undefined)
  }

  /** With everything that is known. An earlier report saves the work of git. */
  async detail(facts: DrivenFacts, earlierReport?: string): Promise<DetailedRun> {
    const [report, source] = await Promise.all([earlierReport ?? this.#report(facts), this.#source(facts)])
    return toDrivenRunDetail(facts, { report, source })
  }

  /** In Markdown. */
  async #report(facts: DrivenFacts): Promise<string> {
    const { record, run, drive } = facts
    return await describeRun(this.contextFor(record), run, { state: drive, verdict: toDrivenRun(facts).verdict })
  }

  /** Throws `driven_run_in_place` if there is no branch. */
  async patch({ record, drive }: DrivenFacts, part: PatchPart = {}): Promise<Patch> {
    const patch = await patchOfRun(this.contextFor(record), drive, part)
    if (patch === undefined) throw drivenRunInPlace({ id: record.run_id })
    return patch
  }

  /** The sections of the issue that the run is bound to. */
  async #source({ record, run }: DrivenFacts): Promise<DrivenRun['source']> {
    if (run.pinned_source === undefined) return undefined
    const pinned = await readPinnedSource(this.contextFor(record), record.run_id)
    return pinned && toSource(pinned)
  }

  /** What became of the runs that have changed since then, by repository. */
  async nights(by: Caller, since: string): Promise<NightReports> {
    const { readNight } = await import('../night/read-night.ts')
    const repositories: NightReports['repositories'][number][] = []
    for (const [directory, records] of Map.groupBy(this.list(by), (record) => record.git_common_dir)) {
      const [first] = records
      const context = records.map((record) => this.#tryContext(record)).find((found) => found !== undefined)
      if (context === undefined || first === undefined) continue
      const ids = records.map(({ run_id }) => run_id)
      const report = await readNight(context, { since, ids, directory, records: this.#options.directory })
      if (report.runs.length > 0) repositories.push({ repository: first.repository, report })
    }
    return { since, repositories }
  }

  /** Undefined if the run is gone. */
  #tryContext(record: DrivenRecord): RunContext | undefined {
    return tryTo(() => this.contextFor(record))
  }

  readEvents({ git_common_dir: gitCommonDir, run_id: runId }: DrivenRecord) {
    return readDriveEvents(openRunStore({ gitCommonDir }), runId)
  }

  /** Changes whenever the run, its records or its driver here do. */
  markOf({ git_common_dir: gitCommonDir, run_id: runId }: DrivenRecord): string {
    const journal = toJournalPath(openRunStore({ gitCommonDir }), runId)
    const files = [journal, drivePathIn(join(journal, '..')), keptDrivePathIn(join(journal, '..'))].map(fileMark)
    return [...files, this.#options.isDrivenHere(runId)].join(' ')
  }

  async #driverOf(store: RunStore, runId: string): Promise<DrivenFacts['drivenBy']> {
    if (this.#options.isDrivenHere(runId)) return 'this_server'
    return (await isDriven(store, runId)) ? 'another_process' : undefined
  }

  /** For reading, which needs no worktree: that of a delivered run is removed. */
  contextFor({ git_common_dir: gitCommonDir, run_id: runId }: DrivenRecord): RunContext {
    const { git, clock, version } = this.#options
    const { signal } = new AbortController()
    const store = openRunStore({ gitCommonDir, version, signal })
    return { workspace: readRunHeader(store, runId).workspace_identity, store, git, clock, ids: randomIds, signal }
  }
}

export function isVisible({ key_id: keyId }: DrivenRecord, by: Caller): boolean {
  const visible = visibleKeyId(by)
  return visible === undefined || keyId === visible
}

/** `before` is a run; `search` is a part of the goal, or the beginning of an id; `key` the name of an API key. */
export type RunListQuery = RunFilter & { readonly before?: string; readonly limit: number }

type RunFilter = { readonly states?: readonly string[] } & {
  readonly [F in 'repository' | 'backend' | 'label' | 'key' | 'search']?: string
}

/** As `wanted` in published-runs.ts does. */
export function isWanted(run: DrivenRun, { states, repository, backend, label, key, search }: RunFilter): boolean {
  const isEqual = (asked: string | undefined, found: string | undefined) => asked === undefined || asked === found
  const needle = search?.toLowerCase() ?? ''
  return (
    states?.includes(run.state) !== false &&
    isEqual(repository, run.repository) &&
    isEqual(backend, run.backend) &&
    isEqual(label, run.label) &&
    isEqual(key, run.api_key) &&
    (run.goal.toLowerCase().includes(needle) || run.id.startsWith(needle))
  )
}
