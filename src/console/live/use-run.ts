/** Follows one driven run: its record is read again after every event. */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import type { DrivenRunEvent } from '../../drive/service/driven-run-event.shape.ts'
import type { PageProblem } from '../text/describe-missing.ts'
import { call } from './api.ts'
import { batchPerFrame, follow } from './follow.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { serverState } from './server-state.ts'

export type ShownRun = {
  run: Signal<DrivenRun | undefined>
  events: Signal<readonly DrivenRunEvent[]>
  problem: Signal<PageProblem | undefined>
}

const FINAL: readonly string[] = ['ended', 'merged', 'discarded', 'continued']

export function useRun(id: string): ShownRun {
  const followed = {
    run: useSignal<DrivenRun | undefined>(undefined),
    events: useSignal<readonly DrivenRunEvent[]>([]),
    problem: useSignal<PageProblem | undefined>(undefined),
  }
  useEffect(() => followRun(id, followed), [id, endOf(serverState.value.runs.get(id))])
  return followed
}

/** A run that had ended is followed again after anyone has done something with it, here or elsewhere. */
function endOf(run: DrivenRun | undefined): string {
  return run !== undefined && FINAL.includes(run.state) ? `${run.state} ${run.last_seq}` : ''
}

/** Returns a function that stops it. */
function followRun(id: string, { run, events, problem }: ShownRun): () => void {
  const path = `runs/${encodeURIComponent(id)}`
  const lastSeq = () => events.peek().at(-1)?.seq ?? 0
  const read = oneAtATime(async () => {
    run.value = await call<DrivenRun>(path)
  })
  const batch = batchPerFrame<DrivenRunEvent>((received) => {
    const fresh = received.filter(({ seq }) => seq !== undefined && seq > lastSeq())
    if (fresh.length > 0) events.value = [...events.peek(), ...fresh]
    // A heartbeat has no data.
    if (received.some(({ data }) => data !== undefined)) void read().catch(() => undefined)
  })
  return follow<DrivenRunEvent>({
    path: () => `${path}/events?after=${lastSeq()}`,
    onOpen: read,
    onLines: batch.add,
    isDone: async () => {
      batch.flush()
      await read()
      const { state, last_seq: last } = run.peek() ?? { state: 'running', last_seq: 0 }
      return FINAL.includes(state) && lastSeq() >= last
    },
    onGone: (found) => {
      problem.value = found
    },
  })
}
