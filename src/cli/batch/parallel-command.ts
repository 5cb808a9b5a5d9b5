import type { Config } from '../../config/config.shape.ts'
import { USER } from '../../prompts/caller.ts'
import type { ParallelRequest } from '../../prompts/prompt-request.shape.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { openDrover } from '../open/open-drover.ts'
import { readSettings } from '../settings.ts'
import { executeBatch } from './execute-batch.ts'
import { formatOutcome, printBatch, printDryRun, toTaskEntry, withTotals } from './print-batch.ts'
import { closeResultFiles, openResultFiles, resultFileName, resultsDirectory } from './result-files.ts'
import type { ParallelFile, TaskInFile } from './task-file.shape.ts'
import { checkRunnable, createTaskFiller, readParallelFile } from './task-file.ts'

type Task = TaskInFile & { backend: string }

export const run: RunCommand = async (invocation) => {
  const { config } = await readSettings(invocation)
  const { content, refuse } = await readParallelFile(invocation)
  const items = content.tasks.map(createTaskFiller(invocation, config)).map(toItem)
  const request = toParallelRequest(invocation, { content, items, config })
  await using drover = openDrover(invocation, { config, atOnce: request.max_parallel })
  const isDryRun = wantsDryRun(request, config)
  checkRunnable(request.tasks, drover.contextFor(USER), {
    list: '$.tasks',
    isDryRun,
    tolerates: 'backend_unavailable',
    refuse,
  })
  const directory = resultsDirectory(invocation, content.output_dir)
  const files = openResultFiles(invocation, { directory, isDryRun })
  const isLineByLine = !config.parallel.aggregate_output && !isDryRun
  const { result, span, spanOf, workdirOf, exitCode } = await executeBatch(invocation, {
    items,
    isLive: !isLineByLine,
    isDryRun,
    agents: drover.agents,
    run: async (options) => await (await drover.batches.parallel(USER, request, options)).result(),
    onEnded: (item, ended) => {
      files?.write(item.fileName, { task: item.task, result: toTaskEntry(item.at, item.task, ended) })
      if (isLineByLine) printOutcomeNow(invocation, { item, result: ended.result })
    },
  })
  const outcomes = items.map((item) => ({ item, result: result.results[item.at] }))
  const entries = outcomes.flatMap(({ item: { at, task }, result: each }) =>
    each === undefined ? [] : [toTaskEntry(at, task, { result: each, span: spanOf(at) })],
  )
  const report = withTotals(result, span, entries)
  // Items that never started have no file yet.
  for (const { fileName, task, at } of items) files?.write(fileName, { task, result: entries[at] })
  files?.writeSummary(report)
  if (isDryRun) {
    const withWorkdirs = outcomes.map((outcome) => ({ ...outcome, workdir: workdirOf(outcome.item.at) }))
    await printDryRun(invocation, { outcomes: withWorkdirs, report, directory })
  } else {
    const headings = { first: '#', last: 'TASK' }
    await printBatch(invocation, { outcomes, report, noun: 'task', headings, isLineByLine })
  }
  await closeResultFiles(invocation, files)
  return exitCode(result.completed < result.total_tasks)
}

function wantsDryRun(
  { dry_run: isAsked, tasks }: Required<ParallelRequest>,
  { unified_flags: shared }: Config,
): boolean {
  return isAsked || shared.dry_run || tasks.every((task) => task.dry_run === true)
}

/** A flag overrides the file, and the file overrides the config. */
function toParallelRequest(
  { flags }: Invocation,
  { content, items, config }: { content: ParallelFile; items: readonly { task: Task }[]; config: Config },
): Required<ParallelRequest> {
  const { parallel } = config
  return {
    tasks: items.map(({ task: { id: _id, name: _name, tags: _tags, meta: _meta, ...request } }) => request),
    max_parallel: (flags.integer('max-parallel') ?? content.max_parallel) || parallel.max_workers,
    fail_fast: flags.isOn('fail-fast') || (content.fail_fast ?? parallel.fail_fast),
    dry_run: flags.isOn('dry-run') || content.dry_run === true,
  }
}

function toItem(task: Task, at: number) {
  const { id, name, backend, prompt } = task
  return {
    at,
    task,
    mark: `[${at + 1}]`,
    name: name ?? id ?? prompt,
    backend,
    fileName: resultFileName(at, id ?? name ?? `task-${at + 1}`),
  }
}

function printOutcomeNow({ flags, runtime }: Invocation, outcome: Parameters<typeof formatOutcome>[0]): void {
  const { out } = runtime.terminal
  if (flags.isOn('json') || flags.isOn('quiet')) return
  // If this write fails, the one at the end fails too and reports it.
  out.write(formatOutcome(outcome, out)).catch(() => undefined)
}
