/** What several agents are doing, as a watcher hears it, in lines for a terminal. */
import type { AgentEvent } from '../../agents/adapter/agent.ts'
import { type PromptResult, statusOf } from '../../prompts/prompt-result.ts'
import type { BatchWatcher } from '../../prompts/run-batch.ts'
import { formatDuration } from '../output/format-time.ts'
import { totalTokens } from '../output/usage-text.ts'
import { activityOf } from '../prompt/activity.ts'
import { layOutItems } from './item-lines.ts'

/** What an item is called while it runs. */
export type FollowedItem = { mark: string; name: string; backend: string }

/** `told` by the agent, and what has been `heard` since, in bytes of text. */
type Running = { since: number; told: number; heard: number; activity: string }

/** Roughly, for text that people write. */
const BYTES_PER_TOKEN = 4

export class ItemCourse implements Required<BatchWatcher> {
  readonly #items: readonly FollowedItem[]
  readonly #running = new Map<number, Running>()
  readonly #ended = { completed: 0, failed: 0, canceled: 0 }

  constructor(items: readonly FollowedItem[]) {
    this.#items = items
  }

  started = (item: number) => {
    this.#running.set(item, { since: performance.now(), told: 0, heard: 0, activity: 'starting' })
  }

  event = (item: number, event: AgentEvent) => {
    const running = this.#running.get(item)
    if (running === undefined) return
    if (event.type === 'token_usage') Object.assign(running, { told: totalTokens(event.content), heard: 0 })
    if (event.type === 'message' || event.type === 'thinking') running.heard += Buffer.byteLength(event.content.text)
    running.activity = activityOf(event) ?? running.activity
  }

  ended = (item: number, result: PromptResult) => {
    this.#running.delete(item)
    this.#ended[statusOf(result)] += 1
  }

  /** One line for each that runs, as far as there is room, and one that counts. */
  toLines(size: { columns: number; rows: number }): string[] {
    const rows = [...this.#running].map(([item, { since, activity, ...tokens }]) => {
      const { mark, name, backend } = this.#items[item] ?? { mark: '', name: '', backend: '' }
      const time = formatDuration(performance.now() - since)
      return { mark, name, backend: name === backend ? '' : backend, time, tokens: sayTokens(tokens), activity }
    })
    return [...layOutItems(rows, { ...size, rows: size.rows - 1 }), this.#count()]
  }

  #count(): string {
    const { completed, failed, canceled } = this.#ended
    const done = completed + failed + canceled
    const waiting = this.#items.length - done - this.#running.size
    const parts = [`${done} of ${this.#items.length} done`, `${this.#running.size} running`]
    if (waiting > 0) parts.push(`${waiting} waiting`)
    if (failed > 0) parts.push(`${failed} failed`)
    if (canceled > 0) parts.push(`${canceled} cancelled`)
    return parts.join(', ')
  }
}

/** Most agents count only at the end; until then, and after each count, the text that came stands for the tokens. */
function sayTokens({ told, heard }: { told: number; heard: number }): string {
  const tokens = told + Math.ceil(heard / BYTES_PER_TOKEN)
  return tokens === 0 ? '' : `${heard === 0 ? '' : '~'}${tokens} tok`
}
