/** Shows on stderr what several agents are doing: lines that change on a terminal, one line an occasion elsewhere. */
import { type PromptResult, type PromptStatus, statusOf } from '../../prompts/prompt-result.ts'
import type { BatchWatcher } from '../../prompts/run-batch.ts'
import { formatDuration } from '../output/format-time.ts'
import { LiveLines } from '../output/live-lines.ts'
import { toOneLine } from '../output/printable.ts'
import type { Channel } from '../terminal.ts'
import { reasonOf } from './batch-text.ts'
import { type FollowedItem, ItemCourse } from './item-course.ts'

export type Follower = {
  watcher: BatchWatcher
  /** Whether text is wanted in pieces, to show that it comes. */
  wantsDeltas: boolean
  /** Takes the lines away, and waits until all is written. */
  end(): Promise<void>
}

const REDRAWN_EVERY_MS = 200
const NAME_COLUMNS = 80
const REASON_COLUMNS = 300

/** Where nobody wants to be told. */
export const NO_FOLLOWER: Follower = { watcher: {}, wantsDeltas: false, end: async () => undefined }

/** Plain lines. */
export function createLineFollower(items: readonly FollowedItem[], channel: Channel): Follower {
  const writing = createQueue()
  const say = (item: number, words: (called: FollowedItem) => string) => {
    const called = items[item]
    if (called !== undefined) writing.add(() => channel.write(`${words(called)}\n`))
  }
  return {
    watcher: {
      started: (item) => say(item, (called) => `${called.mark} started: ${nameOf(called)}`),
      ended: (item, result) => say(item, (called) => sayEnd(called, result)),
    },
    wantsDeltas: false,
    end: writing.done,
  }
}

/** For those who want to be told of nothing but failures. */
export function createFailureFollower(items: readonly FollowedItem[], channel: Channel): Follower {
  const { watcher, ...rest } = createLineFollower(items, channel)
  return { ...rest, watcher: { ended: (item, result) => hasFailed(result) && watcher.ended?.(item, result) } }
}

/** Lines that are drawn anew in place: one for each item that runs, and one that counts. Failures stay above them. */
export function createLiveFollower(items: readonly FollowedItem[], channel: Channel): Follower {
  const lines = new LiveLines(channel)
  const course = new ItemCourse(items)
  const drawing = createQueue()
  const draw = (above: readonly string[] = []) => drawing.add(() => lines.draw(course.toLines(channel), above))
  const timer = setInterval(() => draw(), REDRAWN_EVERY_MS)
  draw()
  return {
    watcher: {
      started: course.started,
      event: course.event,
      ended: (item, result) => {
        course.ended(item, result)
        const called = items[item]
        if (called !== undefined && hasFailed(result)) draw([sayEnd(called, result)])
      },
    },
    wantsDeltas: true,
    async end() {
      clearInterval(timer)
      await drawing.done()
      await lines.clear()
    },
  }
}

function hasFailed(result: PromptResult): boolean {
  return statusOf(result) === 'failed'
}

const ENDS: Readonly<Record<PromptStatus, string>> = { completed: 'finished', failed: 'failed', canceled: 'cancelled' }

/** `[2] failed after 1.5 s: beta (codex): the reason`. */
function sayEnd(called: FollowedItem, result: PromptResult): string {
  const status = statusOf(result)
  const reason = status === 'failed' ? `: ${toOneLine(reasonOf(result), REASON_COLUMNS)}` : ''
  return `${called.mark} ${ENDS[status]} after ${formatDuration(result.duration_ms)}: ${nameOf(called)}${reason}`
}

function nameOf({ name, backend }: FollowedItem): string {
  return name === backend ? name : `${toOneLine(name, NAME_COLUMNS)} (${backend})`
}

/** Watchers are not waited for, so writing is lined up. What cannot be shown must not end what is running. */
function createQueue() {
  let last: Promise<unknown> = Promise.resolve()
  return {
    add(work: () => Promise<unknown>): void {
      last = last.then(work).catch(() => undefined)
    },
    async done(): Promise<void> {
      await last
    },
  }
}
