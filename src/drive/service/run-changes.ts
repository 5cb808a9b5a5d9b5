/** Notices which driven runs of this machine have changed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { USER } from '../../prompts/caller.ts'
import type { DrivenRecord } from '../record/driven-record.shape.ts'
import type { BackgroundDrives } from './background-drives.ts'
import type { DrivenRun } from './driven-run.shape.ts'
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
