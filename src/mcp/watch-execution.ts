/** Waits for an execution, within a time limit, and reports what it does meanwhile. */
import { type CurrentActivity, nextActivity } from '../executions/activity.ts'
import type { ExecutionEvent } from '../executions/store/execution.shape.ts'
import { executionEventsGone } from '../executions/store/faults.ts'
import { Fault } from '../kit/fault.ts'
import type { Caller } from '../prompts/caller.ts'
import type { ToolDrover } from '../service/tool-drover.ts'
import type { Watched } from './tool-result.ts'

/** Tells the client that the work continues. Clients that know progress extend their time limit by it. */
export type Report = (message: string) => void

export type WatchOptions = {
  waitMs: number
  /** Aborted when the client gives up. */
  signal: AbortSignal
  report: Report
  /** Collect the events after this number. */
  eventsAfter?: number | undefined
}

type Watching = { readonly drover: Pick<ToolDrover, 'executions'>; readonly by: Caller; readonly closing: AbortSignal }

const REPORT_EVERY_MS = 5000
const MAX_EVENTS = 200

/** Returns at the end of the execution, of the time, of drover, or when the client gives up, whatever is first. */
export async function watchExecution(
  { drover, by, closing }: Watching,
  id: string,
  options: WatchOptions,
): Promise<Watched> {
  const { waitMs, signal, report, eventsAfter } = options
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), waitMs)
  const seen = new SeenEvents(eventsAfter)
  report(`execution ${id}`)
  const reporting = setInterval(() => report(seen.activity), REPORT_EVERY_MS)
  try {
    const stop = AbortSignal.any([signal, timeout.signal, closing])
    for await (const events of drover.executions.follow(by, id, { after: 0, signal: stop }))
      for (const event of events) seen.add(event)
  } catch (error) {
    // Its beginning is not stored; the result will be.
    if (!(error instanceof Fault) || error.code !== executionEventsGone.code) throw error
  } finally {
    clearTimeout(timer)
    clearInterval(reporting)
  }
  return seen
}

class SeenEvents implements Watched {
  readonly events: ExecutionEvent[] | undefined
  readonly #after: number
  text = ''
  #activity: CurrentActivity | undefined

  constructor(after: number | undefined) {
    this.#after = after ?? 0
    this.events = after === undefined ? undefined : []
  }

  /** What it does right now. */
  get activity(): string {
    return this.#activity?.text ?? 'waits for its agent'
  }

  add(event: ExecutionEvent): void {
    const { seq, type, content } = event
    this.#activity = nextActivity(this.#activity, event) ?? this.#activity
    if (type === 'message') {
      const { text = '', is_partial: isPartial = false } = content as { text?: string; is_partial?: boolean }
      this.text += isPartial ? text : `${text}\n`
    }
    if (seq > this.#after && this.events !== undefined && this.events.length < MAX_EVENTS) this.events.push(event)
  }
}
