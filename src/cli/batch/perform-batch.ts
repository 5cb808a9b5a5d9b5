/** Runs several prompts in front of a person or a pipe: shows what is going on, and ends all of them at Ctrl-C. */
import { toTimestamp } from '../../kit/clock.ts'
import type { PromptResult } from '../../prompts/prompt-result.ts'
import type { BatchOptions } from '../../prompts/run-batch.ts'
import type { Invocation } from '../command.ts'
import { exitCodeOfSignal, listenForInterruption } from '../interruption.ts'
import type { Span } from './batch-report.ts'
import {
  createFailureFollower,
  createLineFollower,
  createLiveFollower,
  type Follower,
  NO_FOLLOWER,
} from './follow-items.ts'
import type { FollowedItem } from './item-course.ts'
import { joinWatchers, watchPlaces, watchTimes } from './watch-items.ts'

type Ended = { result: PromptResult; span: Span }

type Batch<Item, Result> = {
  /** What is watched, in the order of the results. */
  items: readonly Item[]
  /** Lines that change in place, where there is a terminal. */
  isLive: boolean
  /** Nothing is going on. */
  isDryRun: boolean
  run(options: BatchOptions): Promise<Result>
  /** As soon as an item has ended. */
  onEnded?(item: Item, ended: Ended): void
}

type Performed<Result> = {
  result: Result
  span: Required<Span>
  spanOf(item: number): Span
  workdirOf(item: number): string | undefined
  /** What the program ends with, unless the results say otherwise. */
  exitCode(hasFailed: boolean): number
}

export async function performBatch<Item extends FollowedItem, Result>(
  invocation: Invocation,
  { items, isLive, isDryRun, run, onEnded }: Batch<Item, Result>,
): Promise<Performed<Result>> {
  const { clock } = invocation.runtime
  const interruption = listenForInterruption()
  const times = watchTimes(clock)
  const places = watchPlaces()
  const follower = isDryRun ? NO_FOLLOWER : followerOf(invocation, { items, isLive })
  const ended = (at: number, result: PromptResult) => {
    const item = items[at]
    if (item !== undefined) onEnded?.(item, { result, span: times.spanOf(at) })
  }
  const watcher = joinWatchers([times.watcher, places.watcher, follower.watcher, { ended }])
  const startTime = toTimestamp(clock.now())
  try {
    const result = await run({ signal: interruption.signal, watcher, wantsDeltas: follower.wantsDeltas })
    const by = interruption.by()
    return {
      result,
      span: { start_time: startTime, end_time: toTimestamp(clock.now()) },
      spanOf: times.spanOf,
      workdirOf: places.workdirOf,
      exitCode: (hasFailed) => (by === undefined ? Number(hasFailed) : exitCodeOfSignal(by)),
    }
  } finally {
    await follower.end()
  }
}

/** A program that reads JSON gets no lines in between; a person who waits for it does. */
function followerOf(
  { flags, runtime }: Invocation,
  { items, isLive }: { items: readonly FollowedItem[]; isLive: boolean },
): Follower {
  const { err } = runtime.terminal
  const [isQuiet, isJson] = [flags.isOn('quiet'), flags.isOn('json')]
  if (err.canRedraw && isLive && !isQuiet) return createLiveFollower(items, err)
  if (isJson) return NO_FOLLOWER
  return isQuiet ? createFailureFollower(items, err) : createLineFollower(items, err)
}
