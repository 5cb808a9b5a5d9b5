/** Runs several prompts on the command line: shows their progress and ends all of them on Ctrl-C. */
import { type Clock, toTimestamp } from '../../kit/clock.ts'
import type { PromptResult } from '../../prompts/prompt-result.ts'
import type { BatchRunOptions, BatchWatcher } from '../../prompts/run-batch.ts'
import type { AgentDirectory } from '../../service/agent-directory.ts'
import type { Invocation } from '../command.ts'
import { exitCodeOfSignal, listenForInterruption } from '../interruption.ts'
import { missingLogin } from '../prompt/retry-notice.ts'
import {
  createFailureReporter,
  createLineReporter,
  createLiveReporter,
  createSilentReporter,
  type ProgressReporter,
} from './batch-progress.ts'
import type { BatchItem, Span } from './print-batch.ts'

type Batch<Item, Result> = {
  /** In the order of the results. */
  items: readonly Item[]
  /** On a terminal, progress lines are redrawn in place. */
  isLive: boolean
  agents: AgentDirectory
  /** There is no progress to show. */
  isDryRun: boolean
  run(options: BatchRunOptions): Promise<Result>
  /** Called as soon as an item has ended. */
  onEnded?(item: Item, ended: { result: PromptResult; span: Span }): void
}

type BatchRun<Result> = {
  result: Result
  span: Required<Span>
  spanOf(item: number): Span
  workdirOf(item: number): string | undefined
  /** After Ctrl-C the exit code of the signal, else 0 or 1. */
  exitCode(hasFailed: boolean): number
}

export async function executeBatch<Item extends BatchItem, Result>(
  invocation: Invocation,
  { items, isLive, isDryRun, agents, run, onEnded }: Batch<Item, Result>,
): Promise<BatchRun<Result>> {
  const { clock } = invocation.runtime
  using interruption = listenForInterruption()
  const times = recordTimes(clock)
  const workdirs = recordWorkdirs()
  const reporter = chooseReporter(invocation, { items, isLive, isDryRun, agents })
  const ended = (at: number, result: PromptResult) => {
    const item = items[at]
    if (item !== undefined) onEnded?.(item, { result, span: times.spanOf(at) })
  }
  const watcher = joinWatchers([times.watcher, workdirs.watcher, reporter.watcher, { ended }])
  const startTime = toTimestamp(clock.now())
  try {
    const result = await run({ signal: interruption.signal, watcher, wantsDeltas: reporter.wantsDeltas })
    const signal = interruption.by()
    return {
      result,
      span: { start_time: startTime, end_time: toTimestamp(clock.now()) },
      spanOf: times.spanOf,
      workdirOf: workdirs.workdirOf,
      exitCode: (hasFailed) => (signal === undefined ? Number(hasFailed) : exitCodeOfSignal(signal)),
    }
  } finally {
    await reporter.end()
  }
}

/** With --json, plain progress lines are left out, because a program reads stderr. A person at a terminal gets live lines. */
function chooseReporter(
  { flags, runtime }: Invocation,
  { items, isLive, isDryRun, agents }: Pick<Batch<BatchItem, unknown>, 'items' | 'isLive' | 'isDryRun' | 'agents'>,
): ProgressReporter {
  const { err } = runtime.terminal
  const [isQuiet, isJson] = [flags.isOn('quiet'), flags.isOn('json')]
  const findLogin = (backend: string) => missingLogin(agents.find(backend), runtime.env)
  if (isDryRun) return createSilentReporter(items, err, findLogin)
  if (err.canRedraw && isLive && !isQuiet) return createLiveReporter(items, err)
  if (isJson) return createSilentReporter(items, err, findLogin)
  return isQuiet ? createFailureReporter(items, err) : createLineReporter(items, err, findLogin)
}

/** Records when each item started and ended. */
function recordTimes(clock: Clock): { watcher: BatchWatcher; spanOf(item: number): Span } {
  const spans = new Map<number, Span>()
  const now = () => toTimestamp(clock.now())
  return {
    watcher: {
      started: (item) => void spans.set(item, { start_time: now() }),
      ended: (item) => void spans.set(item, { ...spans.get(item), end_time: now() }),
    },
    spanOf: (item) => spans.get(item) ?? {},
  }
}

/** Records the directory that each item works in. */
function recordWorkdirs(): { watcher: BatchWatcher; workdirOf(item: number): string | undefined } {
  const workdirs = new Map<number, string | undefined>()
  return {
    watcher: {
      event: (item, event) => void (event.type === 'init' && workdirs.set(item, event.content.working_dir)),
    },
    workdirOf: (item) => workdirs.get(item),
  }
}

/** One watcher that calls several in this order. */
function joinWatchers(watchers: readonly BatchWatcher[]): Required<BatchWatcher> {
  return {
    started: (item) => watchers.forEach((watcher) => void watcher.started?.(item)),
    event: (item, event) => watchers.forEach((watcher) => void watcher.event?.(item, event)),
    ended: (item, result) => watchers.forEach((watcher) => void watcher.ended?.(item, result)),
    checking: (name, command) => watchers.forEach((watcher) => void watcher.checking?.(name, command)),
    checked: (name, check) => watchers.forEach((watcher) => void watcher.checked?.(name, check)),
    noted: (note) => watchers.forEach((watcher) => void watcher.noted?.(note)),
  }
}
