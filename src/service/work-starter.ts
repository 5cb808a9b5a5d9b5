/** Starts prompts and batches: while their caller reads them, or in the background. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Usage } from '../agents/adapter/agent.ts'
import { NO_USAGE, withoutPrior } from '../agents/adapter/token-usage.ts'
import type { BackgroundRuns } from '../executions/background-runs.ts'
import type { Executions } from '../executions/local-executions.ts'
import { replayEvents } from '../executions/replay.ts'
import { newExecutionId } from '../executions/store/execution-id.ts'
import type { Stores } from '../executions/store/stores.ts'
import { randomIds } from '../kit/ids.ts'
import type { ExecutionOptions } from '../prompts/execution-recorder.ts'
import type { PromptContext, PromptStream } from '../prompts/prompt-context.ts'
import type { PromptEvent } from '../prompts/prompt-event.ts'
import type { PromptRequest } from '../prompts/prompt-request.ts'
import type { PartResult, PromptResult } from '../prompts/prompt-result.ts'
import type { BatchRunOptions } from '../prompts/run-batch.ts'
import { runPrompt, runPromptToEnd } from '../prompts/run-prompt.ts'
import type { BatchStart, Running, RunningBatch, StartOptions } from './drover-service.ts'

type StarterParts = {
  records: Executions
  stores(): Promise<Stores>
  background: BackgroundRuns
  /** Ends what runs in the background. */
  drainDeadline: AbortSignal | undefined
}

/** How long a detached prompt waits for its session, and the same if a worker on another machine creates it. */
const SESSION_WAIT_MS = 200
const SHARED_SESSION_WAIT_MS = 1000

export class WorkStarter {
  readonly #parts: StarterParts

  constructor(parts: StarterParts) {
    this.#parts = parts
  }

  async prompt(
    context: PromptContext,
    request: PromptRequest,
    { signal, isInBackground = false, isDetached = false, settle, onLine, onApproval, ...known }: StartOptions,
  ): Promise<Running<PartResult>> {
    const id = known.id ?? newExecutionId(randomIds)
    // A turn that waits for its client must not end with the request that began it.
    const isKept = isInBackground || request.clientTools !== undefined
    const execution: ExecutionOptions = { ...known, id, isInBackground: isKept }
    if (!isKept) {
      const options = { signal, execution, ...(onLine !== undefined && { onLine }), onApproval }
      return {
        id,
        events: () => runPrompt(request, context, options),
        result: (onEvent) =>
          runPromptToEnd(request, context, { ...options, ...(onEvent !== undefined && { onEvent }) }),
      }
    }
    const [begun, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const onBegin: ExecutionOptions['onBegin'] = (begins) => {
      known.onBegin?.(begins)
      begun.resolve()
    }
    const work = runPromptToEnd(request, context, {
      signal: this.#untilDrained(),
      execution: { ...execution, onBegin, onSession: () => opened.resolve() },
    })
    const result = this.#parts.background.add(settle?.(work) ?? work)
    // With a queue it is stored only now, and then it can be followed.
    await Promise.race([result, begun.promise])
    if (isDetached) {
      const waitMs = context.dispatch === undefined ? SESSION_WAIT_MS : SHARED_SESSION_WAIT_MS
      await Promise.race([result, opened.promise, sleep(waitMs, undefined, { ref: false })])
    }
    if (request.clientTools === undefined) return this.follow(id, signal, () => result)
    return this.segment({ id, signal, isInBackground, after: 0, before: NO_USAGE, part: 0 }, () => result)
  }

  /** The part of a turn that begins after an event. If the caller leaves before its end, the turn ends too. */
  segment(segmentStart: SegmentStart, result: () => Promise<PromptResult>): Running<PartResult> {
    const { id, signal, isInBackground, after, before, part } = segmentStart
    const { records } = this.#parts
    const leave = () => void records.cancel({ id }).catch(() => {})
    const events = async function* (this: WorkStarter): PromptStream {
      if (!isInBackground) signal.addEventListener('abort', leave, { once: true })
      try {
        return yield* this.#replay(id, { signal, result, after })
      } finally {
        signal.removeEventListener('abort', leave)
      }
    }.bind(this)
    return runSegment({ id, part, before, events })
  }

  async batch<R extends object>(
    { signal, isInBackground = false, settle, id, onBegin, ...options }: BatchStart,
    run: (options: BatchRunOptions) => Promise<R>,
  ): Promise<RunningBatch<R>> {
    const begun = Promise.withResolvers<void>()
    const begin: ExecutionOptions['onBegin'] = (begins) => {
      onBegin?.(begins)
      begun.resolve()
    }
    const execution = { id: id ?? newExecutionId(randomIds), onBegin: begin }
    if (!isInBackground) return { id: execution.id, result: () => run({ ...options, signal, execution }) }
    const work = run({ ...options, signal: this.#untilDrained(), execution })
    const result = this.#parts.background.add(settle?.(work) ?? work)
    // A batch that cannot be run is refused at once.
    await Promise.race([result, begun.promise])
    await Promise.race([result, nextTurn()])
    return { id: execution.id, result: () => result }
  }

  /** A signal for one prompt, because listeners are added to it. */
  #untilDrained(): AbortSignal {
    const { drainDeadline } = this.#parts
    return AbortSignal.any(drainDeadline === undefined ? [] : [drainDeadline])
  }

  /** The events and the result of something that runs without its caller, or has ended. */
  follow(id: string, signal: AbortSignal, result: () => Promise<PromptResult>): Running<PromptResult> {
    const events = () => this.#replay(id, { signal, result })
    return {
      id,
      events,
      result: async (onEvent) => (onEvent === undefined ? await result() : await readAll(events(), onEvent)),
    }
  }

  async *#replay(id: string, options: Parameters<typeof replayEvents>[2]): PromptStream {
    const { records: executions, stores } = this.#parts
    const { executions: executionStore } = await stores()
    return yield* replayEvents(id, { executions, executionStore }, options)
  }
}

type SegmentStart = {
  id: string
  signal: AbortSignal
  /** The turn stays if the caller leaves. */
  isInBackground: boolean
  /** The number of the event before its first one. */
  after: number
  /** What the turn had used by then. */
  before: Usage
  /** The number of the part, from 0. */
  part: number
}

async function readAll<R>(
  events: AsyncGenerator<PromptEvent, R, undefined>,
  onEvent: (event: PromptEvent) => unknown,
): Promise<R> {
  let next = await events.next()
  for (; next.done !== true; next = await events.next()) onEvent(next.value)
  return next.value
}

type Segment = {
  id: string
  part: number
  /** What the turn had used when the part began. */
  before: Usage
  /** The events of the turn from the beginning of the part on. */
  events: () => PromptStream
}

/**
 * A turn in which an agent calls functions of its client has several parts: each ends with calls, and the last one with the
 * result. Every part is what one request of the client gets. Reading ends with the first calls. The turn waits then.
 */
function runSegment({ id, part, before, events }: Segment): Running<PartResult> {
  const read = () => untilCalls(events(), before)
  return {
    id,
    part,
    events: read,
    result: async (onEvent) => {
      const run = read()
      let next = await run.next()
      for (; next.done !== true; next = await run.next()) onEvent?.(next.value)
      return next.value
    },
  }
}

async function* untilCalls(events: PromptStream, before: Usage): AsyncGenerator<PromptEvent, PartResult, undefined> {
  try {
    let next = await events.next()
    for (; next.done !== true; next = await events.next()) {
      if (next.value.type === 'tool_request') return toPart(next.value, before)
      yield next.value
    }
    const { token_usage: usage } = next.value
    return { ...next.value, token_usage: withoutPrior(usage, before) }
  } finally {
    await events.return(undefined as never)
  }
}

function toPart(promptEvent: Extract<PromptEvent, { type: 'tool_request' }>, before: Usage): PartResult {
  const { backend, session_id: sessionId, content } = promptEvent
  const { calls, token_usage: usage = before } = content
  return {
    ...{ session_id: sessionId, backend, exit_code: 0, duration_ms: 0, output: '' },
    token_usage: withoutPrior(usage, before),
    tool_calls: calls,
  }
}
