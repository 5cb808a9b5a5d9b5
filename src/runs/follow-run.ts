import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { runBusy } from '../journal/faults.ts'
import { journalPathOf } from '../journal/run-store.ts'
import { Fault } from '../kit/fault.ts'
import { runInterrupted } from './faults.ts'
import type { RunContext } from './run-context.ts'

/** Asking for the size of a file this often costs nothing, and works where nothing tells of changes. */
const POLL_MS = 200

/** What is to be seen of a run, and how it is looked at. */
type View<R> = { readonly runId: string; readonly show: (context: RunContext, runId: string) => Promise<R> }

/** A run as it is and after every change, until it has ended or `signal` fires. */
export async function* followRun<R extends { state: string }>(context: RunContext, view: View<R>): AsyncGenerator<R> {
  const path = journalPathOf(context.store, view.runId)
  let last = ''
  while (!context.signal.aborted) {
    // Looked at before the run is read: what is written in between is noticed the next time.
    const mark = markOf(path)
    if (mark !== last) {
      const status = await lookAt(context, view, { isFirst: last === '' })
      if (status !== undefined) {
        yield status
        if (status.state === 'ended') return
        last = mark
      }
    }
    await sleep(POLL_MS, undefined, { signal: context.signal }).catch(() => undefined)
  }
}

/** Undefined while there is nothing to be seen: somebody else is still at work on the run, or nobody looks any more. */
async function lookAt<R>(
  context: RunContext,
  { runId, show }: View<R>,
  { isFirst }: { isFirst: boolean },
): Promise<R | undefined> {
  try {
    return await show(context, runId)
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
