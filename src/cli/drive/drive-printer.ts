/** Prints a driven run: lines for people, with a live view on a terminal, or JSON for programs. */

import { spentBy } from '../../drive/decide/budget.ts'
import type { DriveUpdate } from '../../drive/drive-context.ts'
import type { DriveState } from '../../drive/record/drive-state.ts'
import { describeRecord, formatMicro } from '../driven/drive-text.ts'
import { formatDuration } from '../output/format-time.ts'
import { LiveLines } from '../output/live-lines.ts'
import { toOneLine } from '../output/printable.ts'
import { activityOf } from '../prompt/activity.ts'
import type { Terminal } from '../terminal.ts'

export type DrivePrinter = {
  update(update: DriveUpdate): void
  /** Takes the live view away, so that others can write. */
  rest(): Promise<void>
}

const REDRAW_MS = 250

/** One JSON object per line. */
export function createJsonDrivePrinter({ out }: Terminal): DrivePrinter {
  const queue = new WriteQueue()
  return {
    update: (update) => queue.add(() => out.write(`${JSON.stringify(toJson(update))}\n`)),
    rest: () => queue.idle(),
  }
}

function toJson(update: DriveUpdate): object {
  return update.is === 'recorded'
    ? { run_id: update.runId, ...update.event }
    : { run_id: update.runId, type: 'agent_event', attempt: update.attempt, event: update.event }
}

export function createTextDrivePrinter({ out }: Terminal): DrivePrinter {
  return out.canRedraw ? new LivePrinter(out) : createLinePrinter(out)
}

function createLinePrinter(out: Terminal['out']): DrivePrinter {
  const queue = new WriteQueue()
  return {
    update(update) {
      if (update.is !== 'recorded') return
      const lines = describeRecord(update.event, update.state)
      if (lines.length > 0) queue.add(() => out.write(`${lines.join('\n')}\n`))
    },
    rest: () => queue.idle(),
  }
}

/** What happened stays above; the last lines say what is happening now. */
class LivePrinter implements DrivePrinter {
  readonly #out: Terminal['out']
  readonly #live: LiveLines
  readonly #queue = new WriteQueue()
  #state: DriveState | undefined
  #activity = ''
  #startedAt = performance.now()
  #timer: NodeJS.Timeout | undefined

  constructor(out: Terminal['out']) {
    this.#out = out
    this.#live = new LiveLines(out)
  }

  update(update: DriveUpdate): void {
    this.#timer ??= setInterval(() => this.#draw([]), REDRAW_MS).unref()
    if (update.is === 'recorded') {
      this.#state = update.state
      if (update.event.type === 'attempt_started') this.#startedAt = performance.now()
      this.#activity = ''
      this.#draw(describeRecord(update.event, this.#state))
      return
    }
    const { event } = update
    this.#activity = activityOf(event) ?? this.#activity
    if (event.type === 'tool_use') this.#draw([this.#out.style('dim', `  ${this.#fit(this.#activity)}`)])
  }

  async rest(): Promise<void> {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#queue.add(() => this.#live.clear())
    await this.#queue.idle()
  }

  #draw(above: readonly string[]): void {
    this.#queue.add(() => this.#live.draw(this.#status(), above))
  }

  #status(): string[] {
    const attempt = this.#state?.attempts.at(-1)
    if (this.#state === undefined || attempt === undefined || attempt.ended !== undefined) return []
    const { tokens, cost_microusd } = spentBy(this.#state)
    const cost = cost_microusd > 0 ? formatMicro(cost_microusd) : undefined
    const actions = new Set(this.#state.attempts.map(({ action_id }) => action_id)).size
    const parts = [
      `${attempt.action_kind} by ${attempt.backend}`,
      `action ${actions}`,
      formatDuration(performance.now() - this.#startedAt),
      `${tokens} tokens`,
      ...(cost === undefined ? [] : [cost]),
      this.#activity,
    ]
    return [this.#out.style('dim', this.#fit(parts.filter((part) => part !== '').join(' · ')))]
  }

  #fit(line: string): string {
    return toOneLine(line, this.#out.columns - 3)
  }
}

/** Writes one after the other; a reader that has gone away is noticed by the command itself. */
class WriteQueue {
  #last: Promise<unknown> = Promise.resolve()

  add(write: () => Promise<unknown>): void {
    this.#last = this.#last.then(write).catch(() => undefined)
  }

  async idle(): Promise<void> {
    await this.#last
  }
}
