import type { PromptContext } from './prompt-context.ts'
import type { CompareRequest } from './prompt-request.shape.ts'
import type { ComparisonResult } from './prompt-result.shape.ts'
import { type BatchOptions, runBatch, runParts, toStatelessRequest } from './run-batch.ts'

export type { ComparisonResult }

/** `workdirs` has a directory of its own for each agent. */
type Comparison = CompareRequest & { workdirs?: readonly string[] | undefined }

/** Runs the same prompt on several agents. */
export async function compareAgents(
  request: Comparison,
  context: PromptContext,
  options: BatchOptions,
): Promise<ComparisonResult> {
  const startedAt = performance.now()
  const { prompt, backends, sequential, dry_run: dryRun, workdirs, ...asking } = request
  const requests = backends.map((backend, at) => {
    const workdir = workdirs?.[at]
    return toStatelessRequest(
      { ...asking, ...(workdir !== undefined && { workdir }), backend, prompt },
      dryRun === true,
    )
  })
  const atOnce = sequential === true ? 1 : requests.length
  return await runBatch({ kind: 'compare', prompt, context, options }, async (batch) => {
    const results = await runParts(
      requests,
      { atOnce, failFast: false },
      { context, part: 'compare_backend', ...batch },
    )
    return { prompt, backends, results, total_duration_ms: Math.round(performance.now() - startedAt) }
  })
}
