/** The queue of runs, in its order, and how it is changed. */
import { computed, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { RunQueue } from '../../drive/service/driven-run.shape.ts'
import { attempt } from './actions.ts'
import { call } from './api.ts'
import { changeRun, runs } from './known-runs.ts'
import { oneAtATime } from './one-at-a-time.ts'

export const queue = signal<RunQueue | undefined>(undefined)

export const queuedRuns = computed(() => queue.value?.runs.filter((run) => run.queue !== undefined) ?? [])

const refreshQueue = oneAtATime(async () => {
  queue.value = await call<RunQueue>('queue')
})

/** Reads it again when a run has changed. */
export function useQueue(): void {
  const version = runs.value.map(({ id, state }) => `${id} ${state}`).join()
  useEffect(() => void attempt(refreshQueue), [version])
}

/** Before another queued run, or behind all. Another person may have moved it meanwhile: the page shows what the server says. */
export async function moveInQueue(id: string, before: string | undefined): Promise<void> {
  await changeRun(id, 'move', before === undefined ? {} : { before })
  await attempt(refreshQueue)
}
