import type { PromptContext } from './prompt-context.ts'
import type { ParallelRequest } from './prompt-request.shape.ts'
import type { ParallelResult } from './prompt-result.shape.ts'
import { type Standing, standingOf } from './prompt-result.ts'
import { type ItemOptions, runItems, toStatelessTask } from './run-items.ts'

export type { ParallelResult }

/** Runs independent prompts side by side. */
export async function runParallel(
  request: ParallelRequest,
  context: PromptContext,
  options: ItemOptions,
): Promise<ParallelResult> {
  const startedAt = performance.now()
  const tasks = request.tasks.map((task) => toStatelessTask(task, request.dry_run === true))
  const atOnce = request.max_parallel ?? context.settings.parallel.max_workers
  const results = await runItems(
    tasks,
    { atOnce, failFast: request.fail_fast === true },
    { context, part: 'parallel_task', ...options },
  )
  const count = (standing: Standing) => results.filter((result) => standingOf(result) === standing).length
  return {
    total_tasks: results.length,
    completed: count('completed'),
    failed: count('failed'),
    canceled: count('canceled'),
    total_duration_ms: Math.round(performance.now() - startedAt),
    results,
  }
}
