/** Several prompts at once, so many at a time, results in the order of the tasks. */
import type { AgentEvent } from '../agents/agent.ts'
import { Fault } from '../kit/fault.ts'
import type { PromptTask } from './prepare-prompt.ts'
import type { PartKind, PromptContext, RunOutcome } from './prompt-context.ts'
import type { PromptEvent } from './prompt-event.ts'
import { canceledResult, failedResult, type PromptResult, standingOf } from './prompt-result.ts'
import { runPrompt } from './run-prompt.ts'

/** Follows what several prompts do. Items count from 0. */
export type Watcher = {
  started?(item: number): void
  event?(item: number, event: AgentEvent): void
  ended?(item: number, result: PromptResult): void
}

export type ItemOptions = {
  signal: AbortSignal
  watcher?: Watcher | undefined
  /** The watcher wants text in pieces, as it comes. */
  wantsDeltas?: boolean
}

/** What the items of one call share. */
export type ItemRun = ItemOptions & { context: PromptContext; part: PartKind }

/** Parts of a larger call are stateless: no session is kept, here or with the agent. */
export function toStatelessTask(request: PromptTask['request'], isDryRun: boolean): PromptTask {
  const { metadata: _, ...asked } = request
  return { request: { ...asked, ephemeral: true, dry_run: isDryRun || asked.dry_run === true }, wantsDeltas: false }
}

/** An item to be run. Its task is made when its turn comes, and may turn out to be none. */
export type Item = { backend: string; toTask: () => PromptTask }

/** What is wrong with one item is that item's result: it never voids the others. */
export async function runItem(at: number, item: Item, run: ItemRun): Promise<PromptResult> {
  const { context, watcher, part } = run
  watcher?.started?.(at)
  const result = await resultOf(at, item, run)
  watcher?.ended?.(at, result)
  const { backend, duration_ms: durationMs } = result
  context.observer?.partEnded?.({ part, backend, outcome: outcomeOf(result), seconds: durationMs / 1000 })
  return result
}

async function resultOf(at: number, item: Item, run: ItemRun): Promise<PromptResult> {
  const { context, signal, watcher, wantsDeltas = false } = run
  try {
    const course = runPrompt({ ...item.toTask(), wantsDeltas }, context, { signal })
    return await readToEnd(course, (event) => watcher?.event?.(at, event))
  } catch (error) {
    if (error instanceof Fault) return failedResult(item.backend, error)
    throw error
  }
}

/** What the listener throws is no reason to leave an agent running. */
async function readToEnd(
  course: ReturnType<typeof runPrompt>,
  hear: (event: PromptEvent) => void,
): Promise<PromptResult> {
  try {
    let next = await course.next()
    for (; next.done !== true; next = await course.next()) hear(next.value)
    return next.value
  } finally {
    await course.return(undefined as never)
  }
}

function outcomeOf(result: PromptResult): RunOutcome {
  if (result.error_code === 'agent_timeout') return 'timeout'
  const standing = standingOf(result)
  return standing === 'completed' ? 'ok' : standing
}

/**
 * With `failFast` the first failure cancels what waits and ends what runs. One call takes no more places in the queue than
 * could run at once, so that it cannot shut everybody else out.
 */
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
    for (const [at, task] of waiting) {
      if (either.aborted) return
      const item = { backend: task.request.backend, toTask: () => task }
      const result = await runItem(at, item, { ...run, signal: either })
      results[at] = result
      if (failFast && standingOf(result) === 'failed') failed.abort()
    }
  }
  const workers = Math.min(atOnce, tasks.length, run.context.slots.limit)
  await allOrNone(Array.from({ length: workers }, work), failed)
  return results
}

/** What one of them throws is a bug; the others are ended before it is told. */
async function allOrNone(works: readonly Promise<void>[], end: AbortController): Promise<void> {
  for (const work of works) work.catch(() => end.abort())
  await Promise.allSettled(works)
  await Promise.all(works)
}
