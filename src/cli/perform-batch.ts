/** Runs several prompts in front of a person or a pipe: shows what is going on, and ends all of them at Ctrl-C. */
import { toTimestamp } from '../kit/clock.ts'
import type { PromptResult } from '../prompts/prompt-result.ts'
import type { ItemOptions } from '../prompts/run-items.ts'
import type { Span } from './batch-report.ts'
import type { Invocation } from './command.ts'
import {
  createLineFollower,
  createLiveFollower,
  type FollowedItem,
  type Follower,
  NO_FOLLOWER,
} from './follow-items.ts'
import { exitCodeOfSignal, listenForInterruption } from './interruption.ts'
import { joinWatchers, watchTimes } from './watch-times.ts'

type Ended = { result: PromptResult; span: Span }

type Batch<Item, Result> = {
  /** What is watched, in the order of the results. */
  items: readonly Item[]
  /** Lines that change in place, where there is a terminal. */
  isLive: boolean
  run(options: ItemOptions): Promise<Result>
  /** As soon as an item has ended. */
  onEnded?(item: Item, ended: Ended): void
}

type Performed<Result> = {
  result: Result
  span: Required<Span>
  spanOf(item: number): Span
  /** What the program ends with, unless the results say otherwise. */
  exitCode(hasFailed: boolean): number
}

export async function performBatch<Item extends FollowedItem, Result>(
  invocation: Invocation,
  { items, isLive, run, onEnded }: Batch<Item, Result>,
): Promise<Performed<Result>> {
  const { clock } = invocation.world
  const interruption = listenForInterruption()
  const times = watchTimes(clock)
  const follower = followerOf(invocation, { items, isLive })
  const ended = (at: number, result: PromptResult) => {
    const item = items[at]
    if (item !== undefined) onEnded?.(item, { result, span: times.spanOf(at) })
  }
  const watcher = joinWatchers([times.watcher, follower.watcher, { ended }])
  const startTime = toTimestamp(clock.now())
  try {
    const result = await run({ signal: interruption.signal, watcher })
    const by = interruption.by()
    return {
      result,
      span: { start_time: startTime, end_time: toTimestamp(clock.now()) },
      spanOf: times.spanOf,
      exitCode: (hasFailed) => (by === undefined ? Number(hasFailed) : exitCodeOfSignal(by)),
    }
  } finally {
    await follower.end()
  }
}

/** A program that reads JSON gets no lines in between; a person who waits for it does. */
function followerOf(
  { flags, world }: Invocation,
  { items, isLive }: { items: readonly FollowedItem[]; isLive: boolean },
): Follower {
  const { err } = world.terminal
  if (flags.isOn('quiet')) return NO_FOLLOWER
  if (err.isTty && isLive) return createLiveFollower(items, err)
  return flags.isOn('json') ? NO_FOLLOWER : createLineFollower(items, err)
}
