/** Several prompts at once, so many at a time, results in the order of the tasks. */
import type { AgentEvent } from '../agents/agent.ts'
import { Fault } from '../kit/fault.ts'
import type { PromptTask } from './prepare-prompt.ts'
import type { PartKind, PromptContext, RunOutcome } from './prompt-context.ts'
import { canceledResult, failedResult, type PromptResult, standingOf } from './prompt-result.ts'
import { runPrompt } from './run-prompt.ts'

/** Follows what several prompts do. Items count from 0. */
export type Watcher = {
  started?(item: number): void
  event?(item: number, event: AgentEvent): void
  ended?(item: number, result: PromptResult): void
}

export type ItemOptions = { signal: AbortSignal; watcher?: Watcher | undefined }

/** What the items of one call share. */
export type ItemRun = ItemOptions & { context: PromptContext; part: PartKind }

/** Parts of a larger call are stateless: no session is kept, here or with the agent. */
export function toStatelessTask(request: PromptTask['request'], isDryRun: boolean): PromptTask {
  const { metadata: _, ...asked } = request
  return { request: { ...asked, ephemeral: true, dry_run: isDryRun || asked.dry_run === true }, wantsDeltas: false }
}

/** What is wrong with one item is that item's result: it never voids the others. */
export async function runItem(item: number, task: PromptTask, run: ItemRun): Promise<PromptResult> {
  const { context, watcher, part } = run
  watcher?.started?.(item)
  const result = await resultOf(item, task, run)
  watcher?.ended?.(item, result)
  const { backend, duration_ms: durationMs } = result
  context.observer?.partEnded?.({ part, backend, outcome: outcomeOf(result), seconds: durationMs / 1000 })
  return result
}

async function resultOf(item: number, task: PromptTask, { context, signal, watcher }: ItemRun): Promise<PromptResult> {
  try {
    const course = runPrompt(task, context, { signal })
    let next = await course.next()
    for (; next.done !== true; next = await course.next()) watcher?.event?.(item, next.value)
    return next.value
  } catch (error) {
    if (error instanceof Fault) return failedResult(task.request.backend, error)
    throw error
  }
}

function outcomeOf(result: PromptResult): RunOutcome {
  if (result.error_code === 'agent_timeout') return 'timeout'
  const standing = standingOf(result)
  return standing === 'completed' ? 'ok' : standing
}

/** With `failFast` the first failure cancels what waits and ends what runs. */
export async function runItems(
  tasks: readonly PromptTask[],
  { atOnce, failFast }: { atOnce: number; failFast: boolean },
  run: ItemRun,
): Promise<PromptResult[]> {
  const results = tasks.map(({ request }) => canceledResult(request.backend))
  const failed = new AbortController()
  const either = AbortSignal.any([run.signal, failed.signal])
  const waiting = tasks.entries()
  const work = async () => {
    for (const [item, task] of waiting) {
      if (either.aborted) return
      const result = await runItem(item, task, { ...run, signal: either })
      results[item] = result
      if (failFast && standingOf(result) === 'failed') failed.abort()
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, tasks.length) }, work))
  return results
}
