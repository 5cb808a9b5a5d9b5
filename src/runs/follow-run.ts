import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalRun } from '../contract/run-status.shape.ts'
import { journalPathOf } from '../journal/run-store.ts'
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
      const status = await showStatus(site, runId)
      yield status
      if (status.state === 'ended') return
      last = mark
    }
    await sleep(POLL_MS, undefined, { signal: site.signal }).catch(() => undefined)
  }
}

/** Different whenever the file is; "gone" is for the reader of the run to complain about. */
function markOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? 'gone' : [found.ino, found.size, found.mtimeNs].join()
}
