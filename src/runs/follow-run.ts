import { setTimeout as sleep } from 'node:timers/promises'
import { runBusy } from '../journal/faults.ts'
import { toJournalPath } from '../journal/run-store.ts'
import { Fault } from '../kit/fault.ts'
import { fileMark } from '../kit/files/read-file.ts'
import { runInterrupted } from './faults.ts'
import type { RunContext } from './run-context.ts'

/** Polling is cheap, and works on file systems without change notifications. */
const POLL_MS = 200

/** The run to follow, and how to read it. */
type View<R> = { readonly runId: string; readonly show: (context: RunContext, runId: string) => Promise<R> }

/** Yields a run now and after every change, until it has ended or the signal is aborted. */
export async function* followRun<R extends { state: string }>(context: RunContext, view: View<R>): AsyncGenerator<R> {
  const path = toJournalPath(context.store, view.runId)
  let last = ''
  while (!context.signal.aborted) {
    // Taken before the run is read, so that a change in between is noticed in the next round.
    const mark = fileMark(path)
    if (mark !== last) {
      const status = await tryRead(context, view, { isFirst: last === '' })
      if (status !== undefined) {
        yield status
        if (status.state === 'ended') return
        last = mark
      }
    }
    await sleep(POLL_MS, undefined, { signal: context.signal }).catch(() => undefined)
  }
}

/** Undefined if another process is still changing the run, or if the signal was aborted. */
async function tryRead<R>(
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
