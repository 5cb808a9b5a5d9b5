/** Follows one execution: its record, and its events as a transcript. */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Execution, ExecutionEvent } from '../../executions/store/execution.shape.ts'
import type { PageProblem } from '../text/describe-missing.ts'
import { call } from './api.ts'
import { batchPerFrame, follow } from './follow.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { isRunning } from './server-state.ts'
import { applyEvents, EMPTY, type Transcript } from './transcript.ts'

export type FollowedExecution = {
  record: Signal<Execution | undefined>
  transcript: Signal<Transcript>
  /** Why there is nothing to show. */
  problem: Signal<PageProblem | undefined>
  /** Whether the connection is cut right now. */
  isCut: Signal<boolean>
}

export function useExecution(id: string): FollowedExecution {
  const followed = {
    record: useSignal<Execution | undefined>(undefined),
    transcript: useSignal<Transcript>(EMPTY),
    problem: useSignal<PageProblem | undefined>(undefined),
    isCut: useSignal(false),
  }
  useEffect(() => followExecution(id, followed), [id])
  return followed
}

/** Returns a function that stops it. */
function followExecution(id: string, followed: FollowedExecution): () => void {
  const { record, transcript, problem, isCut } = followed
  record.value = undefined
  transcript.value = EMPTY
  problem.value = undefined
  const path = `executions/${encodeURIComponent(id)}`
  const batch = batchPerFrame<ExecutionEvent>((events) => {
    transcript.value = applyEvents(transcript.peek(), events.filter(hasNumber))
  })
  const read = oneAtATime(async () => {
    record.value = await call<Execution>(path)
  })
  // Not after the events: they may be many. If it fails, the events that follow cause it again.
  const readSoon = () => void read().catch(() => undefined)
  readSoon()
  return follow<ExecutionEvent>({
    // Events received but not yet shown are received again and ignored.
    path: () => `${path}/events?after=${transcript.peek().lastSeq}`,
    onLines: (events) => {
      batch.add(events)
      if (record.peek() === undefined) readSoon()
    },
    // The stream ends with the execution, but also when a proxy closes it: the record decides.
    isDone: async () => {
      batch.flush()
      await read()
      const { state, last_seq: last } = record.peek() ?? { state: 'running', last_seq: 0 }
      return !isRunning({ state }) && transcript.peek().lastSeq >= last
    },
    onGone: (found) => {
      problem.value = found
    },
    onState: (state) => {
      if (state === 'open' && isCut.peek()) readSoon()
      isCut.value = state === 'cut'
    },
  })
}

/** A heartbeat has no number. */
function hasNumber(event: ExecutionEvent): boolean {
  return event.seq !== undefined
}
