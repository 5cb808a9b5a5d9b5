/** Notices which driven runs of this machine have changed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, toTimestamp } from '../../kit/clock.ts'
import { raceSignal } from '../../kit/race.ts'
import { USER } from '../../prompts/caller.ts'
import type { DriveEvent } from '../record/drive-event.shape.ts'
import type { DrivenRecord } from '../record/driven-record.shape.ts'
import type { BackgroundDrives } from './background-drives.ts'
import type { DrivenRun, DrivenState } from './driven-run.shape.ts'
import type { DrivenRunEvent } from './driven-run-event.shape.ts'
import type { RunReader } from './run-reader.ts'

/** Runs that a command drives are looked at this often. */
const SCAN_MS = 1000
/** Several records in a row are looked at together. */
const PAUSE_MS = 50

type Places = { readonly reader: RunReader; readonly drives: BackgroundDrives }

type Looking = {
  look(records: readonly DrivenRecord[]): Promise<void>
  /** It looks again. */
  onFailure(error: unknown): void
  signal: AbortSignal
}

/** Looks at the runs of this process when they change, and at all of them every second, until the signal is aborted. */
export async function lookAtRuns({ reader, drives }: Places, { look, onFailure, signal }: Looking): Promise<void> {
  let scannedAt = Number.NEGATIVE_INFINITY
  let before: string[] = []
  while (!signal.aborted) {
    const changed = drives.changed()
    const driven = drives.ids()
    const isScan = performance.now() - scannedAt >= SCAN_MS
    if (isScan) scannedAt = performance.now()
    try {
      // Without a scan, those that are driven or were until now.
      const ids = new Set([...driven, ...before])
      const found = isScan ? reader.list(USER) : [...ids].map((id) => reader.findHere(id))
      await look(found.filter((record) => record !== undefined))
    } catch (error) {
      onFailure(error)
    }
    before = driven
    await Promise.race([changed, pause(SCAN_MS, signal)])
    await pause(PAUSE_MS, signal)
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => {})
}

export type ChangedRun = { readonly record: DrivenRecord; readonly run: DrivenRun }

/** `mark` is of the files, `state` what no file tells; undefined until the run was read. */
type Seen = { readonly mark: string; readonly state?: string; readonly isElsewhere?: boolean }

/** Tells which runs have changed since now. Returns a function that stops it. */
export function watchChanges(
  places: Places,
  tell: (changed: ChangedRun) => void,
  onFailure: (error: unknown) => void,
): () => void {
  const { reader } = places
  const markOf = (record: DrivenRecord) => `${reader.markOf(record)} ${JSON.stringify(record)}`
  const seen = new Map(reader.list(USER).map((record): [string, Seen] => [record.run_id, { mark: markOf(record) }]))
  const stop = new AbortController()
  const lookAt = async (record: DrivenRecord) => {
    const mark = markOf(record)
    const known = seen.get(record.run_id)
    const isSame = known?.mark === mark
    if (isSame && known.state !== undefined && known.isElsewhere !== true) return
    const run = await reader.view(record)
    if (run === undefined || stop.signal.aborted) return
    const state = `${run.state} ${run.driven_by ?? ''}`
    if (!isSame || (known.state ?? state) !== state) tell({ record, run })
    seen.set(record.run_id, { mark, state, isElsewhere: run.driven_by === 'another_process' })
  }
  const look = async (records: readonly DrivenRecord[]) => {
    for (const record of records) await lookAt(record)
  }
  void lookAtRuns(places, { look, onFailure, signal: stop.signal })
  return () => stop.abort()
}

/** A driver in another process is noticed this late. */
const POLL_MS = 200
/** The end of a driver that was killed changes no file. */
const LOOK_MS = 2000

/** After these states no event follows. */
const FINAL: readonly DrivenState[] = ['ended', 'merged', 'discarded', 'continued']

export type EventSource = {
  readonly clock: Clock
  /** Changes whenever the run or its records do. */
  mark(): string
  /** Those after a number. */
  readEvents(after: number): Promise<readonly DriveEvent[]>
  readRun(): Promise<DrivenRun>
  /** Resolves at the next change that this process makes. */
  changed(): Promise<void>
}

export function isFinalState(state: DrivenState): boolean {
  return FINAL.includes(state)
}

/**
 * The events of a driven run: the records of its driver, numbered, then what is added, and every change of its state. The
 * events after a number, several at a time, until the run has ended or the signal is aborted.
 */
export async function* followEvents(
  source: EventSource,
  { after, signal }: { after: number; signal: AbortSignal },
): AsyncGenerator<DrivenRunEvent[], void, undefined> {
  let last = after
  let shown = ''
  let seen = { mark: '', at: Number.NEGATIVE_INFINITY }
  while (!signal.aborted) {
    const changed = source.changed()
    const mark = source.mark()
    if (mark !== seen.mark || performance.now() - seen.at >= LOOK_MS) {
      seen = { mark, at: performance.now() }
      // Read before the events: all events of a run that has ended are there.
      const { state, driven_by: drivenBy } = await source.readRun()
      const recorded = numbered(await source.readEvents(last), last)
      const data = { state, ...(drivenBy !== undefined && { driven_by: drivenBy }) }
      const isNew = JSON.stringify(data) !== shown
      const news = isNew ? [{ at: toTimestamp(source.clock.now()), type: 'state', data }] : []
      shown = JSON.stringify(data)
      last = recorded.at(-1)?.seq ?? last
      if (recorded.length + news.length > 0) yield [...recorded, ...news]
      if (isFinalState(state)) return
    }
    await raceSignal(Promise.race([changed, sleep(POLL_MS)]), signal)
  }
}

/** Clients do not need the state of every file. */
function numbered(events: readonly DriveEvent[], after: number): DrivenRunEvent[] {
  return events.map(({ type, at, data }, index) => {
    const { tree: _, ...rest } = data as { tree?: unknown }
    return { seq: after + index + 1, at, type, data: rest }
  })
}
