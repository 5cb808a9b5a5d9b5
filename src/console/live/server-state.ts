/** What the server does right now, kept up to date by one stream. After every cut everything is read again. */
import { computed, effect, signal } from '@preact/signals'
import type { BackendRecord } from '../../agents/adapter/agent.shape.ts'
import type { DrivenRun, DrivenRunPage } from '../../drive/service/driven-run.shape.ts'
import type { Execution, ExecutionPage } from '../../executions/store/execution.shape.ts'
import type { PendingApproval } from '../../prompts/approvals.shape.ts'
import { ENDED, OPEN } from '../text/state-word.ts'
import { call } from './api.ts'
import { batchPerFrame, follow } from './follow.ts'
import { applyChange, keepRecent, type ServerChange, type ServerState, stateVersion } from './state-changes.ts'

/** How much of what has ended is read, and kept. The user can ask for more. */
const recentLimit = signal(50)
const MORE = 50
/** The largest page of the server. */
const LARGEST_PAGE = 1000

const NOTHING = { executions: new Map(), approvals: new Map(), activities: new Map(), runs: new Map() }
export const serverState = signal<ServerState>(NOTHING)
export const backends = signal<readonly BackendRecord[]>([])
/** Where runs can be started, and with which checks. */
export const runSettings = signal<Pick<DrivenRunPage, 'repositories' | 'checks'>>({ repositories: [], checks: [] })
/** Whether everything was read at least once. */
export const isStateKnown = signal(false)
export const connection = signal<'connecting' | 'open' | 'cut'>('connecting')

const RUNNING: readonly string[] = ['queued', 'running']

export const isRunning = ({ state }: { state: string }): boolean => RUNNING.includes(state)

/** Newest first. Parts of a batch are shown with it. */
export const topExecutions = computed(() =>
  [...serverState.value.executions.values()]
    .filter(({ parent_id: parent }) => parent === undefined)
    .sort((a, b) => (a.created_at < b.created_at ? 1 : -1)),
)

/** Changes when executions begin or end, at most once a second: pages read lists again then. */
export const executionsVersion = signal('')
const VERSION_MS = 1000
let isVersionDue = false

effect(() => {
  void serverState.value
  if (isVersionDue) return
  isVersionDue = true
  setTimeout(() => {
    isVersionDue = false
    executionsVersion.value = stateVersion(serverState.peek())
  }, VERSION_MS)
})

/** What waits for a person: what agents ask for, oldest first. Agents that have ended wait for nothing. */
export const needsYou = computed(() => {
  const { approvals, executions } = serverState.value
  const waits = ({ execution_id: id }: PendingApproval) => isRunning(executions.get(id) ?? { state: 'running' })
  return [...approvals.values()].filter(waits).sort((a, b) => (a.asked_at < b.asked_at ? -1 : 1))
})

async function readState(options: { signal?: AbortSignal }): Promise<ServerState> {
  const limit = recentLimit.peek()
  const [page, pending, open, ended] = await Promise.all([
    call<ExecutionPage>(`executions?limit=${limit}`, options),
    call<{ approvals: PendingApproval[] }>('approvals', options),
    readOpenRuns(options),
    call<DrivenRunPage>(`runs?state=${ENDED}&limit=${limit}`, options),
  ])
  runSettings.value = { repositories: ended.repositories, checks: ended.checks }
  mayBeOlderRuns.value = limit < LARGEST_PAGE && ended.next !== undefined
  mayBeOlder.value = mayBeOlderRuns.value || (limit < LARGEST_PAGE && page.next !== undefined)
  return {
    executions: new Map(page.executions.map((execution) => [execution.id, execution])),
    approvals: new Map(pending.approvals.map((approval) => [approval.approval_id, approval])),
    activities: new Map(),
    runs: new Map([...open, ...ended.runs].map((run) => [run.id, run])),
  }
}

/** Reads everything. The stream is open already, so no later change is missed. */
async function readAll(signal: AbortSignal): Promise<void> {
  const [state] = await Promise.all([readState({ signal }), refreshBackends(signal)])
  serverState.value = state
  isStateKnown.value = true
}

/** All of them, however many there are. */
async function readOpenRuns(options: { signal?: AbortSignal }, before = ''): Promise<readonly DrivenRun[]> {
  const path = `runs?state=${OPEN}&limit=${LARGEST_PAGE}&before=${before}`
  const { runs, next } = await call<DrivenRunPage>(path, options)
  return next === undefined ? runs : [...runs, ...(await readOpenRuns(options, next))]
}

/** Whether the server has more of what has ended. */
export const mayBeOlder = signal(false)
export const mayBeOlderRuns = signal(false)

export async function readOlder(): Promise<void> {
  recentLimit.value += MORE
  const read = await readState({})
  // What the stream has brought meanwhile is newer.
  const now = serverState.peek()
  const executions = new Map([...read.executions, ...now.executions])
  serverState.value = { ...now, executions, runs: new Map([...read.runs, ...now.runs]) }
}

export function applyChanges(changes: readonly ServerChange[]): void {
  serverState.value = keepRecent(changes.reduce(applyChange, serverState.peek()), recentLimit.peek())
}

/** Returns a function that stops it. */
export function watchServer(): () => void {
  const batch = batchPerFrame<ServerChange>((changes) => {
    applyChanges(changes)
    void readMissing()
  })
  return follow<ServerChange>({
    path: () => 'events',
    onOpen: readAll,
    onLines: batch.add,
    isDone: () => false,
    // Otherwise no one could be notified.
    isNeededHidden: () => 'Notification' in window && Notification.permission === 'granted',
    onState: (state) => {
      connection.value = state === 'open' ? 'open' : 'cut'
    },
  })
}

/** The stream has no prompts, because they may be long. The beginning of the prompt of a new execution is read once. */
async function readMissing(): Promise<void> {
  const { executions } = serverState.peek()
  const lacking = [...executions.values()].filter((each) => each.prompt_start === undefined && isNew(each.id))
  if (lacking.length === 0) return
  for (const { id } of lacking) asked.add(id)
  const page = await call<ExecutionPage>(`executions?limit=${recentLimit.peek()}`).catch(() => ({ executions: [] }))
  const starts = new Map(page.executions.map(({ id, prompt_start: start }) => [id, start]))
  const filled = [...serverState.peek().executions].map(([id, execution]): [string, Execution] => {
    const start = execution.prompt_start ?? starts.get(id)
    return [id, start === undefined ? execution : { ...execution, prompt_start: start }]
  })
  serverState.value = { ...serverState.peek(), executions: new Map(filled) }
}

const asked = new Set<string>()
const isNew = (id: string) => !asked.has(id)

/** Agents change rarely, so they are read when a page shows them. */
export async function refreshBackends(signal?: AbortSignal): Promise<void> {
  const options = signal === undefined ? {} : { signal }
  backends.value = (await call<{ backends: BackendRecord[] }>('backends', options)).backends
}
