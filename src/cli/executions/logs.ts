import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentEvent } from '../../agents/adapter/agent.ts'
import { describeDecision } from '../../agents/describe-for-people.ts'
import type { Execution, ExecutionEvent } from '../../executions/store/execution.shape.ts'
import { shortExecutionId } from '../../executions/store/execution-id.ts'
import { isFinal } from '../../executions/store/execution-states.ts'
import { executionNotFound } from '../../executions/store/faults.ts'
import { isFault } from '../../kit/fault.ts'
import { USER } from '../../prompts/caller.ts'
import { formatBackend } from '../../prompts/format-backend.ts'
import type { PromptResult } from '../../prompts/prompt-result.ts'
import type { ComparisonView } from '../../service/comparison.shape.ts'
import { formatChecks } from '../batch/comparison-text.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { EXIT } from '../exit-status.ts'
import { exitCodeOfSignal, listenForInterruption } from '../interruption.ts'
import { toMessage, toOneLine, toShown } from '../output/printable.ts'
import { lineWidth } from '../output/text-table.ts'
import { printCost, printProblems, withNewline } from '../prompt/prompt-printer.ts'
import { StreamedAnswer } from '../prompt/streamed-answer.ts'
import { type OpenExecutions, withExecutions } from './open-executions.ts'

const READ_BATCH = 500
/** How often new parts of a running batch are looked for. */
const POLL_MS = 200

type Log = OpenExecutions & {
  invocation: Invocation
  isFollowing: boolean
  /** Aborted by Ctrl-C, or when the reader of the pipe is gone. */
  signal: AbortSignal
  pipeClosed: AbortController
}

export const run: RunCommand = async (invocation) => {
  const { args, flags } = invocation
  using interruption = listenForInterruption()
  const pipeClosed = new AbortController()
  const signal = AbortSignal.any([interruption.signal, pipeClosed.signal])
  return await withExecutions(invocation, async (open) => {
    const log: Log = { ...open, invocation, isFollowing: flags.isOn('follow'), signal, pipeClosed }
    await showLog(await open.store.find(args[0] ?? ''), log)
    const endedBy = interruption.by()
    if (endedBy !== undefined) return exitCodeOfSignal(endedBy)
    return pipeClosed.signal.aborted ? EXIT.pipeClosed : 0
  })
}

const BATCHES: readonly Execution['kind'][] = ['parallel', 'chain', 'compare']

async function showLog(execution: Execution, log: Log): Promise<void> {
  if (BATCHES.includes(execution.kind)) await showBatch(execution, log)
  else await showExecution(execution, log)
}

/** The parts one after another, oldest first, also those that start meanwhile. */
async function showBatch({ id }: Execution, log: Log): Promise<void> {
  const shown = new Set<string>()
  while (!log.signal.aborted) {
    const batch = await findAgain(id, log)
    const parts = (await listParts(id, log)).filter((part) => !shown.has(part.id))
    for (const part of parts) {
      shown.add(part.id)
      await printHeading(part, log)
      await showExecution(part, log)
    }
    if (!log.isFollowing || batch === undefined || (isFinal(batch.state) && parts.length === 0)) return
    if (parts.length === 0) await sleep(POLL_MS, undefined, { signal: log.signal }).catch(() => {})
  }
}

async function listParts(parent: string, { store }: Log): Promise<Execution[]> {
  const parts: Execution[] = []
  let before: string | undefined
  do {
    const page = await store.list({ parent, ...(before !== undefined && { before }) }, { limit: READ_BATCH })
    parts.push(...page.executions)
    before = page.next
  } while (before !== undefined)
  return parts.reverse()
}

async function printHeading(part: Execution, { invocation: { flags, runtime } }: Log): Promise<void> {
  if (flags.isOn('json')) return
  const { out } = runtime.terminal
  const heading = `── ${shortExecutionId(part)} ${formatBackend(part)}: ${part.prompt_start ?? ''}`
  await out.write(`${out.style('bold', toOneLine(heading, lineWidth(out)))}\n`)
}

async function showExecution({ id }: Execution, log: Log): Promise<void> {
  const { flags, runtime } = log.invocation
  const { terminal } = runtime
  const rendersMarkdown = terminal.out.hasStyle && !flags.isOn('no-markdown')
  const wrapsWords = terminal.out.isTty && !flags.isOn('no-markdown')
  const answer = new StreamedAnswer(terminal, { rendersMarkdown, wrapsWords, isLog: true })
  if (log.isFollowing) await sayIfSilent(await findAgain(id, log), log)
  let count = 0
  for await (const event of readEvents(id, log)) {
    if (event.type !== 'state') count += 1
    const written = flags.isOn('json')
      ? await terminal.out.write(`${JSON.stringify(event)}\n`)
      : await answer.event({ type: event.type, content: event.content } as AgentEvent)
    if (written === 'closed') log.pipeClosed.abort()
  }
  await answer.end()
  if (log.signal.aborted) return
  const ended = await findAgain(id, log)
  await printEnd(ended, log, count > 0)
  if (ended !== undefined && !flags.isOn('json')) await printComparison(ended, log)
}

/** Which comparison it belongs to, the result of its checks, and what became of its work. */
async function printComparison({ id, kind, parent_id: parent }: Execution, log: Log): Promise<void> {
  if (kind !== 'compare_backend' || parent === undefined) return
  const { drover, invocation, signal } = log
  const comparison = await drover.batches.comparison(USER, parent, signal).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
  const contender = comparison?.contenders.find((each) => each.execution_id === id)
  if (contender === undefined) return
  await invocation.runtime.terminal.err.write(`drover: ${describeContender(contender, parent)}\n`)
}

type Contender = ComparisonView['contenders'][number]

function describeContender({ name, worktree, work }: Contender, comparison: string): string {
  const checks =
    worktree === undefined || worktree.checks.length === 0 ? [] : [`checks: ${formatChecks(worktree.checks)}`]
  const facts = [...checks, ...(work === 'none' ? [] : [`its work: ${work}`])]
  const from = `${name} in the comparison ${shortExecutionId({ id: comparison })}`
  return toMessage(facts.length === 0 ? from : `${from}; ${facts.join('; ')}`)
}

/** While an execution runs, its first event is saved with it, unless no events are stored. */
async function sayIfSilent(execution: Execution | undefined, { invocation }: Log): Promise<void> {
  if (execution === undefined || isFinal(execution.state) || execution.last_seq > 0) return
  await invocation.runtime.terminal.err.write('drover: none of its events are stored; waiting until it ends\n')
}

async function* readEvents(id: string, log: Log): AsyncGenerator<ExecutionEvent, void, undefined> {
  const { store, drover, isFollowing, signal } = log
  if (isFollowing) {
    for await (const events of followUntilGone(drover.executions.follow(USER, id, { after: 0, signal }))) yield* events
    return
  }
  for (let after = 0; !signal.aborted; ) {
    const events = await store.events(id, { after, limit: READ_BATCH })
    yield* events
    const last = events.at(-1)
    if (last === undefined) return
    after = last.seq
  }
}

/** An execution of which nothing is kept is gone when it ends. */
async function* followUntilGone<T>(events: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  try {
    yield* events
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

async function findAgain(id: string, { store }: Log): Promise<Execution | undefined> {
  try {
    return await store.find(id)
  } catch (error) {
    if (!isNotFound(error)) throw error
    return undefined
  }
}

function isNotFound(error: unknown): boolean {
  return isFault(error, executionNotFound)
}

/** The decisions and the answer, if no events are stored, and how it ended. */
async function printEnd(execution: Execution | undefined, log: Log, hasEvents: boolean): Promise<void> {
  const { flags, runtime } = log.invocation
  const { terminal } = runtime
  const result = execution?.result as PromptResult | undefined
  if (!hasEvents && result !== undefined && !flags.isOn('json')) {
    for (const approval of result.approvals ?? []) {
      const line = toOneLine(`→ ${describeDecision(approval)}`, lineWidth(terminal.out))
      await terminal.out.write(`${terminal.out.style('dim', line)}\n`)
    }
    await terminal.out.write(withNewline(toShown(result.output, terminal.out)))
  }
  const note = describeGap(execution, log, hasEvents)
  if (note !== undefined) await terminal.err.write(`drover: ${note}\n`)
  if (result === undefined || flags.isOn('json')) return
  await printProblems(terminal, result)
  if (terminal.out.isTty) await printCost(terminal, result, { showTokens: true, showTiming: true })
}

function describeGap(execution: Execution | undefined, log: Log, hasEvents: boolean): string | undefined {
  if (execution === undefined) return 'it has ended, and nothing of it is kept; set executions.keep to keep answers'
  const short = shortExecutionId(execution)
  const { state, error, result } = execution
  if (!isFinal(state)) {
    return hasEvents
      ? `it is still ${state}; "drover logs -f ${short}" follows it`
      : `it is ${state}, and no events of it are stored; executions.keep: events stores them`
  }
  if (result !== undefined)
    return !hasEvents && log.invocation.flags.isOn('json') ? 'no events of it are stored' : undefined
  return error === undefined ? `it is ${state} and has no result` : `it ${state}: ${toMessage(error.message)}`
}
