import { isFault } from '../../kit/fault.ts'
import { USER } from '../../prompts/caller.ts'
import { chainInvalid } from '../../prompts/faults.ts'
import type { ChainRequest } from '../../prompts/prompt-request.shape.ts'
import { toPromptStatus } from '../../prompts/prompt-result.ts'
import { type ChainResult, checkChain } from '../../prompts/run-chain.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { flagsConflict } from '../faults.ts'
import { openDrover } from '../open/open-drover.ts'
import { readSettings } from '../settings.ts'
import { executeBatch } from './execute-batch.ts'
import { printBatch, printDryRun, type Span, withTimes, withTotals } from './print-batch.ts'
import { closeResultFiles, openResultFiles, resultFileName, resultsDirectory } from './result-files.ts'
import type { ChainFile, StepInFile } from './task-file.shape.ts'
import { type CheckedFile, checkRunnable, createTaskFiller, readChainFile } from './task-file.ts'

type Step = StepInFile & { backend: string }

export const run: RunCommand = async (invocation) => {
  const { config } = await readSettings(invocation)
  const { content, refuse } = await readChainFile(invocation)
  const steps = content.steps.map(createTaskFiller(invocation, config))
  const request = toChainRequest(invocation, content, steps)
  checkReferences(request, refuse)
  await using drover = openDrover(invocation, { config })
  const isDryRun = request.dry_run || config.unified_flags.dry_run
  checkRunnable(steps, drover.contextFor(USER), {
    list: '$.steps',
    isDryRun,
    // A chain that stops at the first failure does not start if a step cannot run.
    ...(!request.stop_on_failure && { tolerates: 'backend_unavailable' }),
    refuse,
  })
  const directory = resultsDirectory(invocation, content.output_dir)
  const files = openResultFiles(invocation, { directory, isDryRun })
  const items = steps.map((step, at) => toItem(step, { at, count: steps.length }))
  const { result, span, spanOf, workdirOf, exitCode } = await executeBatch(invocation, {
    items,
    isLive: true,
    isDryRun,
    agents: drover.agents,
    run: async (options) => await (await drover.batches.chain(USER, request, options)).result(),
    onEnded: ({ fileName, step, numbered }, ended) =>
      files?.write(fileName, { step, result: { ...numbered, ...withTimes(ended.result, ended.span) } }),
  })
  const report = toChainReport(result, span, spanOf)
  files?.writeSummary(report)
  const outcomes = items.map((item, at) => ({ item, result: result.results[at] }))
  if (isDryRun) {
    const withWorkdirs = outcomes.map((outcome, at) => ({ ...outcome, workdir: workdirOf(at) }))
    await printDryRun(invocation, { outcomes: withWorkdirs, report, directory })
  } else {
    const headings = { first: 'STEP', last: 'NAME' }
    await printBatch(invocation, { outcomes, report, noun: 'step', headings, isLineByLine: false })
  }
  await closeResultFiles(invocation, files)
  return exitCode(result.completed_steps < result.total_steps)
}

function toChainReport(result: ChainResult, span: Required<Span>, spanOf: (step: number) => Span) {
  const steps = result.results.map((each, at) => withTimes(each, spanOf(at)))
  const canceled = steps.filter((step) => toPromptStatus(step) === 'canceled').length
  return withTotals({ ...result, canceled }, span, steps)
}

/** Adds the place in the file to the problems of a chain. */
function checkReferences(request: ChainRequest, refuse: CheckedFile<ChainFile>['refuse']): void {
  try {
    checkChain(request)
  } catch (error) {
    if (!isFault(error, chainInvalid)) throw error
    const { path, problem } = error.details
    throw refuse([{ path, rule: problem }])
  }
}

/** A flag overrides the file. Unlike over HTTP, a chain stops at the first failure by default. */
function toChainRequest({ flags }: Invocation, content: ChainFile, steps: Step[]) {
  const { output_dir: _, ...asked } = content
  const [stops, continues] = [flags.isOn('stop-on-failure'), flags.isOn('continue-on-failure')]
  if (stops && continues) throw flagsConflict({ flags: ['--stop-on-failure', '--continue-on-failure'] })
  return {
    ...asked,
    steps,
    stop_on_failure: stops || (!continues && (content.stop_on_failure ?? true)),
    dry_run: flags.isOn('dry-run') || content.dry_run === true,
  } satisfies ChainRequest
}

function toItem(step: Step, { at, count }: { at: number; count: number }) {
  const { name, backend, prompt } = step
  return {
    step,
    numbered: { step: at + 1, ...(name !== undefined && { name }) },
    mark: `[${at + 1}/${count}]`,
    name: name ?? prompt,
    backend,
    fileName: resultFileName(at, name ?? `step-${at + 1}`),
  }
}
