import { checkItems } from './check-permissions.ts'
import { chainInvalid, promptOverfilled } from './faults.ts'
import type { PromptContext } from './prompt-context.ts'
import type { ChainRequest, ChainStep } from './prompt-request.shape.ts'
import type { PromptRequest } from './prompt-request.ts'
import type { ChainResult, StepResult } from './prompt-result.shape.ts'
import { toPromptStatus } from './prompt-result.ts'
import { type Batch, type BatchRunOptions, runBatch, runPart, toStatelessRequest } from './run-batch.ts'

export type { ChainResult }

/** Runs prompts one after another; a prompt may contain the answers of earlier steps. */
export async function runChain(
  request: ChainRequest,
  context: PromptContext,
  options: BatchRunOptions,
): Promise<ChainResult> {
  checkChain(request)
  checkItems('steps', request.steps, context)
  return await runBatch({ kind: 'chain', context, options }, (batch) =>
    runSteps(request, { context, part: 'chain_step', ...batch }),
  )
}

async function runSteps(request: ChainRequest, batch: Batch): Promise<ChainResult> {
  const startedAt = performance.now()
  const results: StepResult[] = []
  const isDryRun = request.dry_run === true || batch.context.settings.unified_flags.dry_run
  const answers = { previous: undefined as string | undefined, named: new Map<string, string>() }
  let workdir: string | undefined
  for (const [at, step] of request.steps.entries()) {
    if (batch.signal.aborted) break
    workdir = step.workdir ?? (request.pass_working_dir === true ? workdir : undefined)
    const toRequest = () => toStatelessRequest(toPromptRequest(step, { workdir, answers }), isDryRun)
    const result = await runPart({ at, backend: step.backend, toRequest }, batch)
    results.push({ step: at + 1, ...(step.name !== undefined && { name: step.name }), ...result })
    if (toPromptStatus(result) !== 'completed' && request.stop_on_failure === true) break
    // A dry run has no answers, so the placeholders stay.
    if (isDryRun) continue
    answers.previous = result.output
    if (step.name !== undefined) answers.named.set(step.name, result.output)
  }
  return toChainResult(request, results, Math.round(performance.now() - startedAt))
}

/** Throws a Fault for a chain with sessions or with placeholders that refer to no step. */
export function checkChain(request: ChainRequest): void {
  for (const name of ['pass_session_id', 'persist_sessions'] as const) {
    if (request[name] === true) {
      throw chainInvalid({ path: `$.${name}`, problem: 'cannot be true: the steps of a chain are stateless' })
    }
  }
  checkReferences(request.steps)
}

function toPromptRequest(
  { name: _, ...step }: ChainStep,
  { workdir, answers }: { workdir: string | undefined; answers: Answers },
): PromptRequest {
  return { ...step, prompt: fillPrompt(step.prompt, answers), ...(workdir !== undefined && { workdir }) }
}

function toChainResult(request: ChainRequest, results: StepResult[], durationMs: number): ChainResult {
  const failed = results.find((result) => toPromptStatus(result) === 'failed')
  return {
    total_steps: request.steps.length,
    completed_steps: results.filter((result) => toPromptStatus(result) === 'completed').length,
    ...(failed !== undefined && { failed_step: failed.step }),
    total_duration_ms: durationMs,
    results,
  }
}

/**
 * `{{previous}}`, `{{steps.a name}}`, and `{{session}}`, which is refused. White space inside the braces is ignored. It is
 * limited, because the time for a text that only begins like a placeholder would grow with the square of its length.
 */
const PLACEHOLDER = /\{\{\s{0,16}(?:(previous)|steps\.([^{}]{0,199}[^{}\s])|(session))\s{0,16}\}\}/gu

/** Throws a Fault for a placeholder without a step, before any agent is started. */
export function checkReferences(steps: readonly ChainStep[]): void {
  for (const [at, step] of steps.entries()) {
    const path = `$.steps[${at}].prompt`
    for (const [placeholder, , name, session] of step.prompt.matchAll(PLACEHOLDER)) {
      if (session !== undefined) {
        throw chainInvalid({ path, problem: 'contains {{session}}, but the steps of a chain have no session' })
      }
      if (name === undefined) continue
      const named = steps.slice(0, at).filter((earlier) => earlier.name === name)
      if (named.length === 1) continue
      const problem =
        named.length === 0 ? 'names no earlier step' : `is ambiguous: ${named.length} earlier steps have that name`
      throw chainInvalid({ path, problem: `${placeholder} ${problem}` })
    }
  }
}

type Answers = {
  /** The answer of the previous step; undefined in the first, where `{{previous}}` stays as it is. */
  previous: string | undefined
  named: ReadonlyMap<string, string>
}

/** Far more than any agent accepts. One placeholder may occur many times. */
export const FILLED_LIMIT_CHARACTERS = 16 * 1024 * 1024

/**
 * Replaces `{{previous}}` and `{{steps.name}}` in a step's prompt by the answers of earlier steps. Works in one pass, so
 * placeholders inside an answer stay. Throws a Fault before the text exceeds the limit.
 */
export function fillPrompt(prompt: string, { previous, named }: Answers): string {
  let length = prompt.length
  return prompt.replace(PLACEHOLDER, (placeholder, isPrevious: string | undefined, name: string | undefined) => {
    const answer = isPrevious === undefined ? named.get(name ?? '') : previous
    length += (answer ?? placeholder).length - placeholder.length
    if (length > FILLED_LIMIT_CHARACTERS) throw promptOverfilled({ limit: FILLED_LIMIT_CHARACTERS })
    return answer ?? placeholder
  })
}
