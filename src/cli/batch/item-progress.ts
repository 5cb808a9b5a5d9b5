/** Collects the progress of several agents and formats it as lines for a terminal. */
import type { AgentEvent } from '../../agents/adapter/agent.ts'
import { type PromptResult, toPromptStatus } from '../../prompts/prompt-result.ts'
import type { BatchWatcher } from '../../prompts/run-batch.ts'
import { formatDuration } from '../output/format-time.ts'
import { describeAgentEvent } from '../prompt/describe-activity.ts'
import { TokenCounter } from '../prompt/token-count.ts'
import { layOutItems } from './item-lines.ts'

export type BatchItem = { mark: string; name: string; backend: string }

type RunningItem = {
  startedAt: number
  tokens: TokenCounter
  activity: string
}

export class ItemProgress implements Required<Pick<BatchWatcher, 'started' | 'event' | 'ended'>> {
  readonly #items: readonly BatchItem[]
  readonly #running = new Map<number, RunningItem>()
  readonly #ended = { completed: 0, failed: 0, canceled: 0 }

  constructor(items: readonly BatchItem[]) {
    this.#items = items
  }

  started = (item: number) => {
    this.#running.set(item, { startedAt: performance.now(), tokens: new TokenCounter(), activity: 'starting' })
  }

  event = (item: number, event: AgentEvent) => {
    const running = this.#running.get(item)
    if (running === undefined) return
    running.tokens.note(event)
    running.activity = describeAgentEvent(event) ?? running.activity
  }

  ended = (item: number, result: PromptResult) => {
    this.#running.delete(item)
    this.#ended[toPromptStatus(result)] += 1
  }

  /** One line per running item, as far as they fit, and one with the counts. */
  toLines(size: { columns: number; rows: number }): string[] {
    const rows = [...this.#running].map(([item, { startedAt, activity, tokens }]) => {
      const { mark, name, backend } = this.#items[item] ?? { mark: '', name: '', backend: '' }
      const time = formatDuration(performance.now() - startedAt)
      return { mark, name, backend: name === backend ? '' : backend, time, tokens: tokens.format(), activity }
    })
    return [...layOutItems(rows, { ...size, rows: size.rows - 1 }), this.#formatCounts()]
  }

  #formatCounts(): string {
    const { completed, failed, canceled } = this.#ended
    const done = completed + failed + canceled
    const waiting = this.#items.length - done - this.#running.size
    const parts = [`${done} of ${this.#items.length} done`, `${this.#running.size} running`]
    if (waiting > 0) parts.push(`${waiting} waiting`)
    if (failed > 0) parts.push(`${failed} failed`)
    if (canceled > 0) parts.push(`${canceled} canceled`)
    return parts.join(', ')
  }
}
