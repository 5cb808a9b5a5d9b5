/** Starts prompts and batches: while their caller reads them, or in the background. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { BackgroundRuns } from '../executions/background-runs.ts'
import type { Executions } from '../executions/local-executions.ts'
import { replayEvents } from '../executions/replay.ts'
import { newExecutionId } from '../executions/store/execution-id.ts'
import type { Stores } from '../executions/store/stores.ts'
import { randomIds } from '../kit/ids.ts'
import type { ExecutionOptions } from '../prompts/execution-recorder.ts'
import type { PromptContext } from '../prompts/prompt-context.ts'
import type { PromptEvent } from '../prompts/prompt-event.ts'
import type { PromptRequest } from '../prompts/prompt-request.ts'
import type { PromptResult } from '../prompts/prompt-result.ts'
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
  ): Promise<Running<PromptResult>> {
    const id = known.id ?? newExecutionId(randomIds)
    const execution: ExecutionOptions = { ...known, id, isInBackground }
    if (!isInBackground) {
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
    return this.follow(id, signal, () => result)
  }

  async batch<R extends object>(
    { signal, isInBackground = false, settle, id, onBegin, ...options }: BatchStart,
    run: (options: BatchRunOptions) => Promise<R>,
  ): Promise<RunningBatch<R>> {
    const execution = { id: id ?? newExecutionId(randomIds), ...(onBegin !== undefined && { onBegin }) }
    if (!isInBackground) return { id: execution.id, result: () => run({ ...options, signal, execution }) }
    const work = run({ ...options, signal: this.#untilDrained(), execution })
    const result = this.#parts.background.add(settle?.(work) ?? work)
    // A batch that cannot be run is refused at once.
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
    const events = async function* (this: WorkStarter) {
      const { records: executions, stores } = this.#parts
      const { executions: executionStore } = await stores()
      return yield* replayEvents(id, { executions, executionStore }, { signal, result })
    }.bind(this)
    return {
      id,
      events,
      result: async (onEvent) => (onEvent === undefined ? await result() : await readAll(events(), onEvent)),
    }
  }
}

async function readAll<R>(
  events: AsyncGenerator<PromptEvent, R, undefined>,
  onEvent: (event: PromptEvent) => unknown,
): Promise<R> {
  let next = await events.next()
  for (; next.done !== true; next = await events.next()) onEvent(next.value)
  return next.value
}
