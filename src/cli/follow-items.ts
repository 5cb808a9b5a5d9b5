/** Shows on stderr what several agents are doing: lines that change on a terminal, one line an occasion elsewhere. */
import type { AgentEvent } from '../agents/agent.ts'
import { type PromptResult, standingOf } from '../prompts/prompt-result.ts'
import type { Watcher } from '../prompts/run-items.ts'
import { activityOf } from './activity.ts'
import { LiveLines } from './live-lines.ts'
import { sayDuration } from './moments.ts'
import { toOneLine } from './printable.ts'
import { totalOf } from './session-text.ts'
import type { Channel } from './terminal.ts'
import { formatTable } from './text-table.ts'

/** What an item is called while it runs. */
export type FollowedItem = { mark: string; name: string; backend: string }

export type Follower = {
  watcher: Watcher
  /** Takes the lines away, and waits until all is written. */
  end(): Promise<void>
}

const REDRAWN_EVERY_MS = 200
const NAME_COLUMNS = 32

/** Where nobody wants to be told. */
export const NO_FOLLOWER: Follower = { watcher: {}, end: async () => undefined }

/** Plain lines. */
export function createLineFollower(items: readonly FollowedItem[], channel: Channel): Follower {
  const writing = createQueue()
  const say = (item: number, words: string) => {
    const { mark, name, backend } = items[item] ?? { mark: '', name: '', backend: '' }
    const called = name === backend ? name : `${toOneLine(name, 80)} (${backend})`
    writing.add(() => channel.write(`${mark} ${words}: ${called}\n`))
  }
  return {
    watcher: {
      started: (item) => say(item, 'started'),
      ended: (item, result) => say(item, `${sayEnd(result)} after ${sayDuration(result.duration_ms)}`),
    },
    end: writing.done,
  }
}

function sayEnd(result: PromptResult): string {
  const standing = standingOf(result)
  return standing === 'completed' ? 'finished' : standing
}

/** Lines that are drawn anew in place: one for each item that runs, and one that counts. */
export function createLiveFollower(items: readonly FollowedItem[], channel: Channel): Follower {
  const lines = new LiveLines(channel)
  const course = new Course(items)
  const drawing = createQueue()
  const draw = () => drawing.add(() => lines.draw(course.toLines(channel.columns)))
  const timer = setInterval(draw, REDRAWN_EVERY_MS)
  draw()
  return {
    watcher: course,
    async end() {
      clearInterval(timer)
      await drawing.done()
      await lines.clear()
    },
  }
}

type Running = { since: number; tokens: number; activity: string }

/** What is going on, as the watcher hears it. */
class Course implements Required<Watcher> {
  readonly #items: readonly FollowedItem[]
  readonly #running = new Map<number, Running>()
  readonly #ended = { completed: 0, failed: 0, canceled: 0 }

  constructor(items: readonly FollowedItem[]) {
    this.#items = items
  }

  started = (item: number) => {
    this.#running.set(item, { since: performance.now(), tokens: 0, activity: 'starting' })
  }

  event = (item: number, event: AgentEvent) => {
    const running = this.#running.get(item)
    if (running === undefined) return
    if (event.type === 'token_usage') running.tokens = totalOf(event.content)
    running.activity = (event.type === 'message' ? sayMessage(event.content) : activityOf(event)) ?? running.activity
  }

  ended = (item: number, result: PromptResult) => {
    this.#running.delete(item)
    this.#ended[standingOf(result)] += 1
  }

  toLines(columns: number): string[] {
    const rows = [...this.#running].map(([item, { since, tokens, activity }]) => [
      this.#items[item]?.mark ?? '',
      toOneLine(this.#items[item]?.name ?? '', NAME_COLUMNS),
      sayDuration(performance.now() - since),
      tokens === 0 ? '' : `${tokens} tokens`,
      activity,
    ])
    return [...formatTable(rows, columns - 1), this.#count()]
  }

  #count(): string {
    const { completed, failed, canceled } = this.#ended
    const waiting = this.#items.length - completed - failed - canceled - this.#running.size
    const parts = [`${completed} of ${this.#items.length} done`, `${this.#running.size} running`]
    if (waiting > 0) parts.push(`${waiting} waiting`)
    if (failed > 0) parts.push(`${failed} failed`)
    if (canceled > 0) parts.push(`${canceled} canceled`)
    return parts.join(', ')
  }
}

/** Pieces of an answer come too quickly to be read. */
function sayMessage({ text, is_partial: isPartial }: { text: string; is_partial?: boolean }): string {
  return isPartial === true ? 'answering' : text
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
