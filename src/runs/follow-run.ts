import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalRun } from '../contract/run-status.shape.ts'
import { runBusy } from '../journal/faults.ts'
import { journalPathOf } from '../journal/run-store.ts'
import { Fault } from '../kit/fault.ts'
import { runInterrupted } from './faults.ts'
import { showStatus } from './show-status.ts'
import type { Worksite } from './worksite.ts'

/** Asking for the size of a file this often costs nothing, and works where nothing tells of changes. */
const POLL_MS = 200

/** A run as it is and after every change, until it has ended or `signal` fires. */
export async function* followRun(site: Worksite, runId: string): AsyncGenerator<LocalRun> {
  const path = journalPathOf(site.store, runId)
  let last = ''
  while (!site.signal.aborted) {
    // Looked at before the run is read: what is written in between is noticed the next time.
    const mark = markOf(path)
    if (mark !== last) {
      const status = await lookAt(site, runId, { isFirst: last === '' })
      if (status !== undefined) {
        yield status
        if (status.state === 'ended') return
        last = mark
      }
    }
    await sleep(POLL_MS, undefined, { signal: site.signal }).catch(() => undefined)
  }
}

/** Undefined while there is nothing to be seen: somebody else is still at work on the run, or nobody looks any more. */
async function lookAt(site: Worksite, runId: string, { isFirst }: { isFirst: boolean }): Promise<LocalRun | undefined> {
  try {
    return await showStatus(site, runId)
  } catch (error) {
    const code = error instanceof Fault ? error.code : undefined
    if (code === runInterrupted.code || (code === runBusy.code && !isFirst)) return undefined
    throw error
  }
}

/** Different whenever the file is; "gone" is for the reader of the run to complain about. */
function markOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? 'gone' : [found.ino, found.size, found.mtimeNs].join()
}
