/** The driven runs. They are read again when an agent begins or ends, and every few seconds while one runs. */
import { computed, effect, signal } from '@preact/signals'
import type { DrivenRun, DrivenRunPage, RunChoice } from '../../drive/service/driven-run.shape.ts'
import type { StartBody } from '../../service/run-requests.shape.ts'
import { attempt, tell } from './actions.ts'
import { call } from './api.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { serverState } from './server-state.ts'

const RECENT = 50
const RUNNING_MS = 2000

export const runs = signal<readonly DrivenRun[]>([])
/** Whether the runs were read at least once. */
export const areRunsKnown = signal(false)
/** Where runs can be started, and with which checks. */
export const runSettings = signal<Pick<DrivenRunPage, 'repositories' | 'checks'>>({ repositories: [], checks: [] })

const NEEDS_A_PERSON: readonly string[] = ['waiting', 'paused', 'interrupted', 'failed']

const needsPerson = ({ state }: Pick<DrivenRun, 'state'>): boolean => NEEDS_A_PERSON.includes(state)

/** Oldest first. */
export const waitingRuns = computed(() => runs.value.filter(needsPerson).toReversed())

export const activeRuns = computed(() => runs.value.filter(({ state }) => state === 'running'))

export const refreshRuns = oneAtATime(async () => {
  const { runs: list, repositories, checks } = await call<DrivenRunPage>(`runs?limit=${RECENT}`)
  runs.value = list
  runSettings.value = { repositories, checks }
  areRunsKnown.value = true
})

/** Changes when an agent of a run begins or ends. */
const agentsOfRuns = computed(() =>
  [...serverState.value.executions.values()]
    .filter(({ kind }) => kind === 'action')
    .map(({ id, state }) => `${id} ${state}`)
    .join(),
)

/** Returns a function that stops it. */
export function watchRuns(): () => void {
  const read = () => void refreshRuns().catch(() => undefined)
  const stop = effect(() => {
    void agentsOfRuns.value
    read()
  })
  const timer = setInterval(() => {
    if (activeRuns.peek().length > 0) read()
  }, RUNNING_MS)
  return () => {
    stop()
    clearInterval(timer)
  }
}

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

/** Counts them: a run that had ended is followed again after one. */
export const changesByUser = signal(0)

/** Another browser, or a person at a terminal, may have been first: the error of the server says so. */
export async function changeRun(id: string, choice: RunChoice, body: object = {}): Promise<boolean> {
  const changed = await attempt(() =>
    call<DrivenRun>(`runs/${encodeURIComponent(id)}/${choice}`, { method: 'POST', body }),
  )
  if (changed !== undefined) {
    tell(DONE[choice])
    changesByUser.value += 1
  }
  await refreshRuns().catch(() => undefined)
  return changed !== undefined
}

export async function startRun(body: StartBody): Promise<DrivenRun> {
  return await call('runs', { method: 'POST', body })
}
