/** Reads which open runs of a repository change the same files. */
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { drivePathIn, listRunIds, type RunStore, toJournalPath } from '../journal/run-store.ts'
import { tryTo } from '../kit/fault.ts'
import { outlineRun } from '../runs/read-status.ts'
import type { RunContext } from '../runs/run-context.ts'
import { asOwner } from '../runs/run-worktree.ts'
import { filesOf, type Overlap, overlapsOf } from './decide/queue.ts'
import { roundsOf } from './read-verdict.ts'
import { readDrive } from './record/drive-journal.ts'
import type { DriveState } from './record/drive-state.ts'

/** A run that has rested longer is not looked at: a repository may have thousands. */
const RECENT_MS = 30 * 86_400_000

/** Empty for a run that has delivered: what is merged first is a question for the report. */
export async function readOverlaps(context: RunContext, drive: DriveState): Promise<Overlap[]> {
  const own = toOpen(context.store, drive)
  if (own === undefined) return []
  const since = new Date(context.clock.now().getTime() - RECENT_MS).toISOString()
  const others = listRunIds(context.store)
    .filter((id) => id !== drive.run_id && hasChanged(context.store, id, since))
    .flatMap((id) => tryOpen(context.store, id) ?? [])
  const found = overlapsOf(own, others)
  const states = await Promise.all(found.map(({ run_id: id }) => outlineRun(asOwner(context, id), id)))
  return found.filter((_, at) => ['active', 'paused'].includes(states[at]?.state ?? ''))
}

function toOpen(store: RunStore, drive: DriveState) {
  if (drive.delivered !== undefined || drive.next_run_id !== undefined) return undefined
  const files = filesOf(roundsOf(store, drive))
  return { id: drive.run_id, repository: '', after: drive.after, files }
}

/** Undefined if it is not open, or cannot be read. */
function tryOpen(store: RunStore, id: string): ReturnType<typeof toOpen> {
  return tryTo(() => {
    const drive = readDrive(store, id)
    return drive && toOpen(store, drive)
  })
}

/** Whether a file of the run was written since then. A repository may have thousands of runs, and a night has few. */
export function hasChanged(store: RunStore, id: string, since: string): boolean {
  const journal = toJournalPath(store, id)
  return [journal, drivePathIn(dirname(journal))].some((path) => {
    const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
    return written >= Date.parse(since)
  })
}
