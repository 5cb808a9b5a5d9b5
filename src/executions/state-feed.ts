/** The changes of state of all executions: those of this process, and those of other processes with the same store. */
import { EventEmitter } from 'node:events'
import type { Usage } from '../agents/adapter/agent.ts'
import { isFault } from '../kit/fault.ts'
import type { Log } from '../kit/log.ts'
import type { PendingApproval } from '../prompts/approvals.shape.ts'
import type { ApprovalChange, Approvals } from '../prompts/approvals.ts'
import { type CurrentActivity, nextActivity } from './activity.ts'
import type { Executions } from './local-executions.ts'
import type { Execution, ExecutionEvent } from './store/execution.shape.ts'
import type { ExecutionStore } from './store/execution-store.ts'
import { executionNotFound } from './store/faults.ts'

/**
 * `execution`: its record has changed. `execution_removed`: it has ended, and nothing of it is stored. `approval`: an agent
 * waits for a decision. `approval_settled`: it no longer waits. `activity`: what a running execution does right now.
 */
export type StateChange =
  | { type: 'execution'; execution: Execution }
  | { type: 'execution_removed'; id: string }
  | { type: 'approval'; approval: PendingApproval }
  | { type: 'approval_settled'; execution_id: string; approval_id: string }
  | { type: 'activity'; id: string; text: string; usage?: Usage }

type FeedOptions = { executions: Executions; approvals: Approvals; store: ExecutionStore; log: Log }

/** Tells other changes to the same client. Returns a function that stops it. */
export type WatchOthers<Other> = (tell: (change: Other) => void) => () => void

type Watch<Other> = {
  signal: AbortSignal
  isVisible: (execution: Execution) => boolean
  watchOthers: WatchOthers<Other>
}

/** The executions of other processes are looked up this often, while a client watches. */
const POLL_MS = 1000
/** An execution may say much; a person reads one line at a time. */
const ACTIVITY_MS = 500

export class StateFeed {
  readonly #executions: Executions
  readonly #approvals: Approvals
  readonly #store: ExecutionStore
  readonly #log: Log
  readonly #changes = new EventEmitter<{
    change: [Execution]
    removed: [Execution]
    activity: [string, CurrentActivity]
  }>().setMaxListeners(0)
  /** The running executions of other processes, by id. */
  #foreign = new Map<string, Execution>()
  #timer: NodeJS.Timeout | undefined
  /** What the executions of this process do, while a client watches. */
  readonly #activities = new Map<string, CurrentActivity>()
  readonly #unreported = new Set<string>()
  #activityTimer: NodeJS.Timeout | undefined
  #stopActivities: () => void = () => {}
  #unwatch: () => void = () => {}
  #polling: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor({ executions, approvals, store, log }: FeedOptions) {
    this.#executions = executions
    this.#approvals = approvals
    this.#store = store
    this.#log = log
    executions.onChange((execution) => this.#changes.emit('change', execution))
  }

  /** Begins with the executions that are running and with what they wait for. Ends with the signal. */
  async *watch<Other>(watch: Watch<Other>): AsyncGenerator<StateChange | Other, void, undefined> {
    const { signal, isVisible, watchOthers } = watch
    const waiting: (StateChange | Other)[] = []
    let wake = Promise.withResolvers<void>()
    const queue = (change: StateChange | Other) => {
      waiting.push(change)
      wake.resolve()
    }
    const add = (execution: Execution) => {
      if (isVisible(execution)) queue({ type: 'execution', execution: withoutTexts(execution) })
    }
    const remove = (execution: Execution) => {
      if (isVisible(execution)) queue({ type: 'execution_removed', id: execution.id })
    }
    const ask = (change: ApprovalChange) => {
      const execution = this.#executions.find(change.approval.execution_id)
      if (execution !== undefined && isVisible(execution)) queue(toStateChange(change))
    }
    const report = (id: string, { text, usage }: CurrentActivity) => {
      const execution = this.#executions.find(id)
      if (execution !== undefined && isVisible(execution))
        queue({ type: 'activity', id, text, ...(usage !== undefined && { usage }) })
    }
    const abort = () => wake.resolve()
    const stopAsking = this.#approvals.onChange(ask)
    const stopOthers = watchOthers(queue)
    this.#changes.on('change', add).on('removed', remove).on('activity', report)
    signal.addEventListener('abort', abort)
    try {
      await this.#startPolling()
      for (const execution of [...this.#executions.running(), ...this.#foreign.values()]) add(execution)
      for (const approval of this.#approvals.list()) ask({ type: 'asked', approval })
      for (const [id, activity] of this.#activities) report(id, activity)
      while (!signal.aborted) {
        yield* waiting.splice(0)
        await wake.promise
        wake = Promise.withResolvers<void>()
      }
    } finally {
      signal.removeEventListener('abort', abort)
      stopAsking()
      stopOthers()
      this.#changes.off('change', add).off('removed', remove).off('activity', report)
      if (this.#changes.listenerCount('change') === 0) this.#stopPolling()
    }
  }

  async #startPolling(): Promise<void> {
    if (this.#timer !== undefined) return
    this.#timer = setInterval(() => void this.#poll(), POLL_MS).unref()
    this.#stopActivities = this.#executions.onEvent((id, event) => this.#note(id, event))
    this.#unwatch = this.#store.watch((notice) => {
      if (notice.type === 'changed') void this.#poll()
    })
    await this.#poll()
  }

  #stopPolling(): void {
    clearInterval(this.#timer)
    this.#unwatch()
    this.#timer = undefined
    this.#foreign.clear()
    this.#stopActivities()
    this.#activities.clear()
  }

  #note(id: string, event: ExecutionEvent): void {
    if (event.type === 'done') this.#activities.delete(id)
    const activity = nextActivity(this.#activities.get(id), event)
    if (activity === undefined) return
    this.#activities.set(id, activity)
    this.#unreported.add(id)
    this.#activityTimer ??= setTimeout(() => this.#reportActivities(), ACTIVITY_MS).unref()
  }

  #reportActivities(): void {
    this.#activityTimer = undefined
    for (const id of this.#unreported) {
      const activity = this.#activities.get(id)
      if (activity !== undefined) this.#changes.emit('activity', id, activity)
    }
    this.#unreported.clear()
  }

  /** Notices that come meanwhile cause one more look. */
  #poll(): Promise<void> {
    this.#next ??= (this.#polling ?? Promise.resolve()).then(() => {
      this.#next = undefined
      this.#polling = this.#readOthers()
      return this.#polling
    })
    return this.#next
  }

  async #readOthers(): Promise<void> {
    try {
      const running = await this.#store.running()
      const others = running.filter(({ owner }) => owner !== this.#executions.owner)
      const before = this.#foreign
      this.#foreign = new Map(others.map((execution) => [execution.id, execution]))
      for (const execution of others) {
        if (before.get(execution.id)?.state !== execution.state) this.#changes.emit('change', execution)
      }
      for (const execution of before.values()) {
        if (!this.#foreign.has(execution.id)) await this.#emitEnd(execution)
      }
    } catch (error) {
      this.#log.warn({ reason: String(error) }, 'the executions of other processes could not be read')
    }
  }

  async #emitEnd(execution: Execution): Promise<void> {
    try {
      this.#changes.emit('change', await this.#store.find(execution.id))
    } catch (error) {
      if (!isFault(error, executionNotFound)) throw error
      this.#changes.emit('removed', execution)
    }
  }
}

function toStateChange({ type, approval }: ApprovalChange): StateChange {
  if (type === 'asked') return { type: 'approval', approval }
  return { type: 'approval_settled', execution_id: approval.execution_id, approval_id: approval.approval_id }
}

function withoutTexts({ prompt: _prompt, result: _result, ...execution }: Execution): Execution {
  return execution
}
