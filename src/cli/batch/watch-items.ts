import { type Clock, toTimestamp } from '../../kit/clock.ts'
import type { BatchWatcher } from '../../prompts/run-batch.ts'
import type { Span } from './batch-report.ts'

/** Notes when each item began and ended. */
export function watchTimes(clock: Clock): { watcher: BatchWatcher; spanOf(item: number): Span } {
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

/** Notes in which directory each item works. */
export function watchPlaces(): { watcher: BatchWatcher; workdirOf(item: number): string | undefined } {
  const places = new Map<number, string | undefined>()
  return {
    watcher: {
      event: (item, event) => void (event.type === 'init' && places.set(item, event.content.working_dir)),
    },
    workdirOf: (item) => places.get(item),
  }
}

/** Several that watch the same, in this order. */
export function joinWatchers(watchers: readonly BatchWatcher[]): Required<BatchWatcher> {
  return {
    started: (item) => watchers.forEach((watcher) => void watcher.started?.(item)),
    event: (item, event) => watchers.forEach((watcher) => void watcher.event?.(item, event)),
    ended: (item, result) => watchers.forEach((watcher) => void watcher.ended?.(item, result)),
  }
}
