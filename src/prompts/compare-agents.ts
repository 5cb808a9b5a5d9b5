import type { PromptContext } from './prompt-context.ts'
import type { CompareRequest } from './prompt-request.shape.ts'
import type { PromptRequest } from './prompt-request.ts'
import type { ComparedResult, ComparisonResult, PromptResult } from './prompt-result.shape.ts'
import { type BatchRunOptions, runBatch, runParts, toStatelessRequest } from './run-batch.ts'
import { isServerStop } from './server-stop.ts'

/** Runs the same prompt on several agents. */
export async function compareAgents(
  request: CompareRequest,
  context: PromptContext,
  options: BatchRunOptions,
): Promise<ComparisonResult> {
  const isDryRun = request.dry_run === true || context.settings.unified_flags.dry_run
  const kind = isDryRun ? 'dry_run' : 'compare'
  return await runBatch({ kind, prompt: request.prompt, context, options }, (batch) =>
    askAgents(request, context, batch),
  )
}

/** Where one agent works. */
export type ComparedPlace = {
  readonly workdir: string
  readonly env: PromptContext['env']
  readonly ownBranch: string | undefined
  readonly modes: Pick<PromptRequest, 'approval_mode' | 'sandbox'>
}

/** The same as a part of a recorded call. `places` has one for each agent. */
export async function askAgents(
  request: CompareRequest & { places?: readonly ComparedPlace[] },
  context: PromptContext,
  batch: BatchRunOptions,
): Promise<ComparisonResult> {
  const startedAt = performance.now()
  const { prompt, backends, sequential, dry_run: dryRun, places, ...rest } = request
  const { worktrees: _, checks: _checks, keep: _keep, sessions = false, ...asking } = rest
  const requests = backends.map((backend, at) => {
    const { env: _env, modes, ...place } = places?.[at] ?? {}
    const asked = { ...asking, ...place, ...modes, backend, prompt, fallback: [] }
    return sessions && dryRun !== true ? asked : toStatelessRequest(asked, dryRun === true)
  })
  const atOnce = sequential === true ? 1 : requests.length
  const environments = places?.map(({ env }) => env)
  const parts = { context, part: 'compare_backend', environments, ...batch } as const
  const answers = await runParts(requests, { atOnce, failFast: false }, parts)
  const totalMs = Math.round(performance.now() - startedAt)
  const results = dryRun === true ? answers : await withVersions(answers, context, batch.signal)
  return { prompt, backends, results, total_duration_ms: totalMs }
}

/** Asked for after the answers, so that it takes no time from an agent. Workers on other machines have agents of their own. */
async function withVersions(
  results: readonly PromptResult[],
  { locate, askVersion, dispatch }: PromptContext,
  signal: AbortSignal,
): Promise<ComparedResult[]> {
  if (askVersion === undefined || dispatch !== undefined) return [...results]
  return await Promise.all(
    results.map(async (result): Promise<ComparedResult> => {
      const agent = locate(result.backend)
      // After Ctrl-C, only those that had begun; a server that stops does not wait for any.
      const isLate = isServerStop(signal) || (signal.aborted && result.duration_ms === 0)
      const version = agent === undefined || isLate ? undefined : await askVersion(agent)
      return version === undefined ? result : { ...result, agent_version: version }
    }),
  )
}
