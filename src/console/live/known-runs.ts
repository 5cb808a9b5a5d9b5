/** The driven runs, as the stream of the server keeps them up to date. */
import { computed, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { DrivenRun, RunChoice, RunQueue } from '../../drive/service/driven-run.shape.ts'
import type { StartBody } from '../../service/run-requests.shape.ts'
import { attempt, tell } from './actions.ts'
import { call } from './api.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { applyChanges, isStateKnown, serverState } from './server-state.ts'

/** All that are open, and the latest of the others, newest first. */
export const runs = computed(() =>
  [...serverState.value.runs.values()].sort((a, b) => (a.created_at < b.created_at ? 1 : -1)),
)
/** Whether the runs were read at least once. */
export const areRunsKnown = isStateKnown

const NEEDS_A_PERSON: readonly string[] = ['waiting', 'paused', 'interrupted', 'failed']

const needsPerson = ({ state }: Pick<DrivenRun, 'state'>): boolean => NEEDS_A_PERSON.includes(state)

/** Oldest first. */
export const waitingRuns = computed(() => runs.value.filter(needsPerson).toReversed())

export const activeRuns = computed(() => runs.value.filter(({ state }) => isWorking(state)))

/** A run that waits for the limit of its agent continues without a person. */
const isWorking = (state: DrivenRun['state']): boolean => state === 'running' || state === 'waiting_for_limit'

const DONE: Readonly<Record<RunChoice, string>> = {
  answer: 'Answered. The run continues.',
  confirm: 'Permitted, once. The run continues.',
  skip: 'Skipped.',
  stop: 'Stopped. It can be resumed.',
  resume: 'The run continues.',
  first: 'It is next in the queue.',
  move: 'Moved.',
  'follow-up': 'Sent. The agent continues on the same branch.',
  merge: 'Merged.',
  'pull-request': 'The pull request is open.',
  take: 'Your checkout is on the branch.',
  discard: 'Discarded. It can be undone for 7 days.',
  'undo-discard': 'The work is back.',
}

/** Another browser, or a person at a terminal, may have been first: the error of the server says so. */
export async function changeRun(id: string, choice: RunChoice, body: object = {}): Promise<boolean> {
  const changed = await attempt(() =>
    call<DrivenRun>(`runs/${encodeURIComponent(id)}/${choice}`, { method: 'POST', body }),
  )
  if (changed !== undefined) {
    tell(DONE[choice])
    applyChanges([{ type: 'run', run: changed }])
  }
  return changed !== undefined
}

export async function startRun(body: StartBody): Promise<DrivenRun> {
  const run = await call<DrivenRun>('runs', { method: 'POST', body })
  applyChanges([{ type: 'run', run }])
  return run
}

/** The queue of runs, in its order, and how it is changed. */
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
