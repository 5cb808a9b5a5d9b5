import { checkItems } from './check-permissions.ts'
import type { PromptContext } from './prompt-context.ts'
import type { ParallelRequest } from './prompt-request.shape.ts'
import type { ParallelResult } from './prompt-result.shape.ts'
import { type PromptStatus, toPromptStatus } from './prompt-result.ts'
import { type BatchRunOptions, runBatch, runParts, toStatelessRequest } from './run-batch.ts'

/** Runs independent prompts in parallel. */
export async function runParallel(
  request: ParallelRequest,
  context: PromptContext,
  options: BatchRunOptions,
): Promise<ParallelResult> {
  checkItems('tasks', request.tasks, context)
  const startedAt = performance.now()
  const requests = request.tasks.map((task) => toStatelessRequest(task, request.dry_run === true))
  const atOnce = request.max_parallel ?? context.settings.parallel.max_workers
  const limits = { atOnce, failFast: request.fail_fast === true }
  return await runBatch({ kind: 'parallel', context, options }, async (batch) => {
    const results = await runParts(requests, limits, { context, part: 'parallel_task', ...batch })
    const count = (status: PromptStatus) => results.filter((result) => toPromptStatus(result) === status).length
    return {
      total_tasks: results.length,
      completed: count('completed'),
      failed: count('failed'),
      canceled: count('canceled'),
      total_duration_ms: Math.round(performance.now() - startedAt),
      results,
    }
  })
}
