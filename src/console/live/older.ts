/** What ended before the latest, a page at a time, as the user asks for it. */
import { computed, signal } from '@preact/signals'
import type { DrivenRun, DrivenRunPage } from '../../drive/service/driven-run.shape.ts'
import type { Execution, ExecutionPage } from '../../executions/store/execution.shape.ts'
import { call } from './api.ts'
import { runs } from './poll-runs.ts'
import { topExecutions } from './server-state.ts'

const PAGE = 50

export const olderExecutions = signal<readonly Execution[]>([])
export const olderRuns = signal<readonly DrivenRun[]>([])
const isAllRead = signal(false)

/** The first page is full, so there may be more. */
export const mayBeOlder = computed(
  () => !isAllRead.value && (topExecutions.value.length >= PAGE || runs.value.length >= PAGE),
)

export async function readOlder(): Promise<void> {
  const before = (list: readonly { id: string }[], first: readonly { id: string }[]) =>
    (list.at(-1) ?? first.at(-1))?.id
  const lastExecution = before(olderExecutions.peek(), topExecutions.peek())
  const lastRun = before(olderRuns.peek(), runs.peek())
  const [executions, driven] = await Promise.all([
    lastExecution === undefined ? [] : readExecutions(lastExecution),
    lastRun === undefined ? [] : readRuns(lastRun),
  ])
  olderExecutions.value = [
    ...olderExecutions.peek(),
    ...executions.filter(({ parent_id: parent }) => parent === undefined),
  ]
  olderRuns.value = [...olderRuns.peek(), ...driven]
  isAllRead.value = executions.length < PAGE && driven.length < PAGE
}

const readExecutions = async (before: string) =>
  (await call<ExecutionPage>(`executions?limit=${PAGE}&before=${before}`)).executions

const readRuns = async (before: string) => (await call<DrivenRunPage>(`runs?limit=${PAGE}&before=${before}`)).runs
