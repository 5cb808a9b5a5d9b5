import { type Clock, toTimestamp } from '../../kit/clock.ts'
import type { BatchWatcher } from '../../prompts/run-batch.ts'
import type { Span } from './batch-report.ts'

/** Records when each item started and ended. */
export function recordTimes(clock: Clock): { watcher: BatchWatcher; spanOf(item: number): Span } {
  const spans = new Map<number, Span>()
  const now = () => toTimestamp(clock.now())
  return {
    watcher: {
      started: (item) => void spans.set(item, { start_time: now() }),
      ended: (item) => void spans.set(item, { ...spans.get(item), end_time: now() }),
    },
    spanOf: (item) => spans.get(item) ?? {},
  }
}

/** Records the directory that each item works in. */
export function recordWorkdirs(): { watcher: BatchWatcher; workdirOf(item: number): string | undefined } {
  const workdirs = new Map<number, string | undefined>()
  return {
    watcher: {
      event: (item, event) => void (event.type === 'init' && workdirs.set(item, event.content.working_dir)),
    },
    workdirOf: (item) => workdirs.get(item),
  }
}

/** One watcher that calls several in this order. */
export function joinWatchers(watchers: readonly BatchWatcher[]): Required<BatchWatcher> {
  return {
    started: (item) => watchers.forEach((watcher) => void watcher.started?.(item)),
    event: (item, event) => watchers.forEach((watcher) => void watcher.event?.(item, event)),
    ended: (item, result) => watchers.forEach((watcher) => void watcher.ended?.(item, result)),
    checked: (name, check) => watchers.forEach((watcher) => void watcher.checked?.(name, check)),
    noted: (note) => watchers.forEach((watcher) => void watcher.noted?.(note)),
  }
}
