/** Runs several prompts of one call, with a limit on how many run at once. Results are in the order of the requests. */
import type { AgentEvent } from '../agents/adapter/agent.ts'
import { agentSilent } from '../agents/faults.ts'
import { Fault } from '../kit/fault.ts'
import type { CheckResult } from '../kit/process/run-check.ts'
import { ownerKey } from './caller.ts'
import { refuseDeepNesting } from './check-permissions.ts'
import type { ExecutionKind, ExecutionOptions } from './execution-recorder.ts'
import type { PartKind, PromptContext, RunOutcome } from './prompt-context.ts'
import type { PromptRequest } from './prompt-request.ts'
import { canceledResult, failedResult, type PromptResult, toPromptStatus } from './prompt-result.ts'
import { runPromptToEnd } from './run-prompt.ts'
import { createCancel, explainStopResult, isServerStop } from './server-stop.ts'

/** Follows the prompts of a batch, which are counted from 0. */
export type BatchWatcher = {
  started?(part: number): void
  event?(part: number, event: AgentEvent): void
  ended?(part: number, result: PromptResult): void
  /** A check of what an agent changed begins. */
  checking?(name: string, command: string): void
  /** It has ended. */
  checked?(name: string, check: CheckResult): void
  /** Something that the caller should know, while the batch runs. */
  noted?(note: { message: string; isWarning: boolean }): void
}

export type BatchRunOptions = {
  signal: AbortSignal
  watcher?: BatchWatcher | undefined
  /** The watcher wants text in pieces, as it comes. */
  wantsDeltas?: boolean
  /** The execution of the whole call; its prompts are separate executions. */
  execution?: ExecutionOptions
}

/** What the prompts of one call share. */
export type Batch = BatchRunOptions & {
  context: PromptContext
  part: PartKind
  /** The environment of each prompt, if they differ. */
  environments?: readonly PromptContext['env'][] | undefined
}

/** The prompts of a batch have no sessions, neither here nor with the agent. */
export function toStatelessRequest(request: PromptRequest, isDryRun: boolean): PromptRequest {
  const { metadata: _, shared: _shared, ...asked } = request
  return { ...asked, ephemeral: true, dry_run: isDryRun || asked.dry_run === true }
}

type RecordedBatch = { kind: ExecutionKind; context: PromptContext; options: BatchRunOptions } & {
  /** The prompt that all parts have. */
  prompt?: string
  workdir?: string
}

/** Records the whole call as an execution. Its cancellation cancels all parts. */
export async function runBatch<Result extends { readonly results: readonly PromptResult[] }>(
  { kind, prompt, workdir, context, options }: RecordedBatch,
  work: (options: BatchRunOptions) => Promise<Result>,
): Promise<Result & { execution_id?: string }> {
  refuseDeepNesting(context)
  const { onBegin, onSession: _, ...execution } = options.execution ?? {}
  const { signal, abort: onCancel } = createCancel(options.signal, context.ending)
  const client = ownerKey(context.by)
  const asked = { kind, prompt, ...(workdir !== undefined && { workdir }) }
  const recording = context.executions?.begin({ isEphemeral: false, ...execution, ...asked, client, onCancel })
  if (recording === undefined) return await work(options)
  onBegin?.(recording)
  const { isEphemeral = false, keep } = execution
  const ofParts = { parentId: recording.id, isEphemeral, ...(keep !== undefined && { keep }) }
  try {
    await recording.started()
    const result = { ...(await work({ ...options, signal, execution: ofParts })), execution_id: recording.id }
    await recording.end(result)
    return result
  } catch (error) {
    const cause = isServerStop(signal) ? signal.reason : undefined
    await recording.abandon(signal.aborted ? cause : error)
    throw error
  }
}

type Part = {
  at: number
  backend: string
  /** Called when the turn of this part comes; a Fault fails this part alone. */
  toRequest(): PromptRequest
}

/** A failed part fails alone; the other parts still run. */
export async function runPart(part: Part, batch: Batch): Promise<PromptResult> {
  const { context, watcher } = batch
  watcher?.started?.(part.at)
  const result = await runPartToEnd(part, batch)
  watcher?.ended?.(part.at, result)
  const { backend, duration_ms: durationMs } = result
  context.observer?.partEnded?.({
    part: batch.part,
    backend,
    outcome: toRunOutcome(result),
    seconds: durationMs / 1000,
  })
  return result
}

async function runPartToEnd({ at, backend, toRequest }: Part, batch: Batch): Promise<PromptResult> {
  const { signal, watcher, wantsDeltas = false } = batch
  const context = { ...batch.context, env: batch.environments?.[at] ?? batch.context.env }
  const execution = { isEphemeral: false, ...batch.execution, kind: batch.part }
  const onEvent = (event: AgentEvent) => watcher?.event?.(at, event)
  try {
    return await runPromptToEnd({ ...toRequest(), wantsDeltas }, context, { signal, onEvent, execution })
  } catch (error) {
    if (error instanceof Fault) return failedResult(backend, error)
    throw error
  }
}

function toRunOutcome(result: PromptResult): RunOutcome {
  if (result.error_code === 'agent_timeout' || result.error_code === agentSilent.code) return 'timeout'
  const status = toPromptStatus(result)
  return status === 'completed' ? 'ok' : status
}

/**
 * With `failFast` the first failure cancels the parts that wait and ends those that run. One call takes no more places
 * in the queue than can run at once, so that it cannot keep out all others.
 */
export async function runParts(
  requests: readonly PromptRequest[],
  { atOnce, failFast }: { atOnce: number; failFast: boolean },
  batch: Batch,
): Promise<PromptResult[]> {
  const results: (PromptResult | undefined)[] = []
  const failed = new AbortController()
  const signal = AbortSignal.any([batch.signal, failed.signal])
  const waiting = requests.entries()
  const work = async () => {
    for (const [at, request] of waiting) {
      if (signal.aborted) return
      const result = await runPart({ at, backend: request.backend, toRequest: () => request }, { ...batch, signal })
      results[at] = result
      if (failFast && toPromptStatus(result) === 'failed') failed.abort()
    }
  }
  const workers = Math.min(atOnce, requests.length, batch.context.slots.limit)
  await endAllOnError(Array.from({ length: workers }, work), failed)
  const cancelled = (backend: string) => explainStopResult(canceledResult(backend), isServerStop(signal))
  return requests.map(({ backend }, at) => results[at] ?? cancelled(backend))
}

/** An error here is a bug; the other prompts are ended before it is thrown. */
async function endAllOnError(works: readonly Promise<void>[], end: AbortController): Promise<void> {
  for (const work of works) work.catch(() => end.abort())
  await Promise.allSettled(works)
  await Promise.all(works)
}
