import type { Execution } from '../../executions/store/execution.shape.ts'
import { shortExecutionId } from '../../executions/store/execution-id.ts'
import { isFinal } from '../../executions/store/execution-states.ts'
import { executionNotFound } from '../../executions/store/faults.ts'
import { isFault } from '../../kit/fault.ts'
import { USER } from '../../prompts/caller.ts'
import type { RunCommand } from '../command.ts'
import { exitCodeOfSignal, listenForInterruption } from '../interruption.ts'
import { printResult } from '../output/print-result.ts'
import { type OpenExecutions, withExecutions } from './open-executions.ts'

type Outcome = {
  id: string
  state: Execution['state']
  /** It had ended before. */
  wasEnded: boolean
}

export const run: RunCommand = async (invocation) => {
  const { args, flags } = invocation
  using interruption = listenForInterruption()
  return await withExecutions(invocation, async (open) => {
    const found = await findAll(args, open)
    for (const execution of found) if (!isFinal(execution.state)) await open.drover.records.cancel(execution)
    const wait = flags.isOn('no-wait') ? undefined : interruption.signal
    const outcomes = await Promise.all(found.map((execution) => awaitEnd(execution, open, wait)))
    const executions = outcomes.map(({ id, state }) => ({ id, state }))
    await printResult(invocation, { executions }, () => outcomes.map(toLine).join(''))
    const endedBy = interruption.by()
    if (endedBy !== undefined) return exitCodeOfSignal(endedBy)
    return outcomes.some(({ wasEnded }) => wasEnded) ? 1 : 0
  })
}

/** All are found before one is cancelled, so that a mistyped id cancels nothing. Each is listed once. */
async function findAll(ids: readonly string[], { store }: OpenExecutions): Promise<Execution[]> {
  const found = new Map<string, Execution>()
  for (const id of ids) {
    const execution = await store.find(id)
    found.set(execution.id, execution)
  }
  return [...found.values()]
}

/** Waits for the end, unless there is no signal. */
async function awaitEnd(
  { id, state }: Execution,
  { drover }: OpenExecutions,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  if (isFinal(state)) return { id, state, wasEnded: true }
  if (signal === undefined) return { id, state, wasEnded: false }
  try {
    const ended = await drover.executions.ended(USER, id, signal)
    return { id, state: ended?.state ?? state, wasEnded: false }
  } catch (error) {
    // Nothing of it is kept.
    if (!isFault(error, executionNotFound)) throw error
    return { id, state: 'cancelled', wasEnded: false }
  }
}

function toLine({ id, state, wasEnded }: Outcome): string {
  const short = shortExecutionId({ id })
  if (wasEnded) return `${short} had ended before: ${state}\n`
  if (!isFinal(state)) return `${short} is asked to end; it is still ${state}\n`
  return state === 'cancelled' ? `${short} canceled\n` : `${short} ended before it could be canceled: ${state}\n`
}
