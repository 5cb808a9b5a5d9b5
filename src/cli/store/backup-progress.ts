import type { BackupProgress, StoreCounts } from '../../store/backup-store.ts'
import type { Runtime } from '../command.ts'
import { exitCodeOfSignal, listenForInterruption } from '../interruption.ts'
import { LiveLines } from '../output/live-lines.ts'

/** A small store is copied sooner, and shows no progress. */
const QUIET_MS = 300
const REDRAW_MS = 100

/** Shows on a terminal how far a long backup is. A signal stops it before anything has changed; then the result is the exit code. */
export async function withBackupProgress<T>(
  { terminal: { err } }: Runtime,
  work: (onProgress: BackupProgress) => Promise<T>,
): Promise<T | number> {
  using interruption = listenForInterruption()
  const lines = new LiveLines(err)
  let next = performance.now() + QUIET_MS
  const onProgress: BackupProgress = (step, share) => {
    interruption.signal.throwIfAborted()
    if (!err.canRedraw || performance.now() < next) return
    next = performance.now() + REDRAW_MS
    void lines.draw([step === 'copy' ? `copying: ${Math.floor(share * 100)} %` : 'checking the copy'])
  }
  try {
    return await work(onProgress)
  } catch (error) {
    const by = interruption.by()
    if (by === undefined || error !== interruption.signal.reason) throw error
    return exitCodeOfSignal(by)
  } finally {
    await lines.clear()
  }
}

export function formatCounts({ sessions, executions, execution_events: events }: StoreCounts): string {
  const count = (number: number, name: string) => `${number} ${name}${number === 1 ? '' : 's'}`
  return `${count(sessions, 'session')} and ${count(executions, 'execution')} with ${count(events, 'event')}`
}
