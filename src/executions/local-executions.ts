/** The executions of this process: records prompts as executions, lets readers follow them, cancels them. */
import { EventEmitter } from 'node:events'
import { mayHaveWorked } from '../agents/warm/faults.ts'
import { type Clock, toTimestamp } from '../kit/clock.ts'
import { ignoreFault, isFault } from '../kit/fault.ts'
import type { Ids } from '../kit/ids.ts'
import type { JsonObject } from '../kit/json-value.ts'
import { raceSignal } from '../kit/race.ts'
import type {
  ExecutionRecorder,
  ExecutionRecording,
  ExecutionStart,
  RecordedResult,
} from '../prompts/execution-recorder.ts'
import { shuttingDown } from '../prompts/faults.ts'
import type { PromptEvent } from '../prompts/prompt-event.ts'
import type { ContinuedTurn, GivenResults, TurnRequest } from '../prompts/tool-turns.ts'
import { ExecutionWriter } from './execution-writer.ts'
import { type FollowFrom, followLive, followStored } from './follow-events.ts'
import { LiveExecution } from './live-execution.ts'
import { decodeOutcome, encodeOutcome, forwardMessage, type SayOutcome, sayTo } from './say-to.ts'
import type { Execution, ExecutionEvent } from './store/execution.shape.ts'
import { decideKeep, describeAttachment, summarizeEnd, toExecutionError, toFinalState } from './store/execution-end.ts'
import { newExecutionId } from './store/execution-id.ts'
import { type ExecutionState, isFinal, type KeepMode } from './store/execution-states.ts'
import type { ExecutionStore } from './store/execution-store.ts'
import { executionStartNotSaved } from './store/faults.ts'
import type { LimitedMessage, SentMessage, SentResults } from './store/sent-messages.ts'
import { countsUsage } from './store/usage-entry.ts'

export type ExecutionsOptions = {
  openStore(): Promise<ExecutionStore>
  /** The store's id of this process. */
  owner(): Promise<string>
  clock: Clock
  ids: Ids
  /** The setting `executions.keep`. */
  keep: KeepMode
  /** Called for every attempt to save that fails. */
  onFailure(error: unknown): void
  /** The warning in the result of an execution that could not be saved. */
  toWarning(error: unknown): string
  /** Gives a turn of this process results that another one got; without results, tells whether it waits. Absent: none waits here. */
  takeResults?(asked: TurnRequest, given: GivenResults | undefined, lastSeq: number): TakenResults | undefined
}

/** Where the answer to results begins, or which result is missing. */
export type TakenResults = ContinuedTurn | { missing: string } | { waits: true }

export class Executions implements ExecutionRecorder {
  readonly #options: ExecutionsOptions
  readonly #writer: ExecutionWriter
  readonly #live = new Map<string, LiveExecution>()
  readonly #changes = new EventEmitter<{ change: [Execution]; event: [string, ExecutionEvent] }>().setMaxListeners(0)
  #owner = ''
  #requestTimer: NodeJS.Timeout | undefined
  #unwatch: (() => void) | undefined
  /** Those that read the store right now. */
  readonly #looks = new Set<Promise<void>>()

  constructor(options: ExecutionsOptions) {
    this.#options = options
    const { openStore, onFailure } = options
    this.#writer = new ExecutionWriter({
      openStore: () => this.#withOwner(openStore),
      onFailure,
      onEnded: ({ record }) => this.#live.delete(record.id),
      onTaken: (live) => this.#giveUp(live),
      onOwnerLost: (live) => {
        live.record = { ...live.record, owner: '' }
        this.#owner = ''
      },
    })
  }

  /** The store's id of this process; empty until something is saved. */
  get owner(): string {
    return this.#owner
  }

  /** A dry run of which nothing is stored cannot be watched, so it only gets an id. */
  begin(start: ExecutionStart): ExecutionRecording {
    const { continues } = start
    // Another process reads the events of an execution from the queue.
    const keep = continues === undefined ? decideKeep(start, start.keep ?? this.#options.keep) : 'events'
    if (start.isDryRun === true && keep === 'none' && start.isInBackground !== true) return this.#untracked(start)
    const attachments = keep === 'none' ? [] : (start.attachments ?? [])
    const { onCancel: cancel, onMessage: say, ceilings } = start
    const known = { keep, cancel, say, ceilings, countsUsage: countsUsage(start), savedSeq: continues?.lastSeq }
    const options = { ...known, attachments }
    const live = new LiveExecution(this.#recordOf(start), options)
    this.#live.set(live.record.id, live)
    if (continues === undefined) this.#setState(live, 'queued')
    return {
      id: live.record.id,
      started: () => this.#start(live, { isClaimed: continues !== undefined && start.isDryRun !== true }),
      sessionOpened: (sessionId) => this.#update(live, { session_id: sessionId }),
      reserved: () => {
        live.isReserved = true
      },
      handedTo: (backend) => this.#handOver(live, backend),
      event: (event) => this.#append(live, event),
      end: (result) => this.#end(live, { result, isDryRun: start.isDryRun === true }),
      abandon: (error) => this.#abandon(live, error),
    }
  }

  #untracked({ id = newExecutionId(this.#options.ids) }: ExecutionStart): ExecutionRecording {
    return {
      id,
      started: async () => {},
      sessionOpened: () => {},
      reserved: () => {},
      handedTo: () => {},
      event: () => undefined,
      end: async () => [],
      abandon: async () => {},
    }
  }

  /** Others may take a claimed execution that has not started, so its start must be stored first. */
  async #start(live: LiveExecution, { isClaimed }: { isClaimed: boolean }): Promise<void> {
    this.#setState(live, 'running', { started_at: this.#now() })
    if (!isClaimed) return
    await this.#writer.save()
    if (live.isTaken || this.#writer.has(live)) throw executionStartNotSaved({ id: live.record.id })
  }

  /** An execution that runs in this process. */
  find(id: string): Execution | undefined {
    const live = this.#live.get(id)
    return live && { ...live.record, last_seq: live.lastSeq }
  }

  /** The executions that run in this process, oldest first. */
  running(): Execution[] {
    return [...this.#live.values()].filter(({ hasEnded }) => !hasEnded).map(({ record }) => record)
  }

  /** Calls `listener` for every change of state in this process. Returns a function that stops it. */
  onChange(listener: (execution: Execution) => void): () => void {
    this.#changes.on('change', listener)
    return () => this.#changes.off('change', listener)
  }

  /** Calls `listener` for every event of a prompt in this process. Returns a function that stops it. */
  onEvent(listener: (id: string, event: ExecutionEvent) => void): () => void {
    this.#changes.on('event', listener)
    return () => this.#changes.off('event', listener)
  }

  /** Asks for the end of an execution, here or in another process. It is `cancelled` when its agent is gone. */
  async cancel({ id }: Pick<Execution, 'id'>): Promise<void> {
    const live = this.#live.get(id)
    if (live !== undefined) live.cancel()
    else await (await this.#options.openStore()).requestCancel(id)
  }

  /** Gives the agent of an execution a message, here or in another process. */
  async say({ id }: Pick<Execution, 'id'>, message: LimitedMessage): Promise<SayOutcome> {
    const live = this.#live.get(id)
    if (live !== undefined) return await sayTo(live, message)
    return decodeOutcome(await forwardMessage(await this.#options.openStore(), { executionId: id, message }))
  }

  /** Gives the turn of an execution in another process the results that it waits for. Undefined if it does not. */
  async sendResults(
    { id }: Pick<Execution, 'id'>,
    { replies, choice }: GivenResults,
    request: TurnRequest,
  ): Promise<TakenResults | undefined> {
    return await this.#forwardResults(id, { ...request, given: { replies: [...replies], choice } })
  }

  /** Whether the turn of an execution in another process waits for the result of a call. */
  async waitsFor({ id }: Pick<Execution, 'id'>, callId: string): Promise<boolean> {
    const asked = { callId, said: undefined, offer: { names: [], system: undefined } }
    return (await this.#forwardResults(id, asked)) !== undefined
  }

  async #forwardResults(id: string, sent: Omit<SentResults, 'message_id'>): Promise<TakenResults | undefined> {
    // This process has no such turn: it was asked first.
    if (this.#live.has(id)) return undefined
    const message = { ...sent, message_id: this.#options.ids.uuid() }
    const store = await this.#options.openStore()
    const outcome = await forwardMessage(store, { executionId: id, message }).catch(ignoreFault)
    return outcome === undefined || !outcome.startsWith('{') ? undefined : JSON.parse(outcome)
  }

  /** The record of an execution when it has ended; undefined if the signal comes first. */
  async ended(id: string, signal: AbortSignal): Promise<Execution | undefined> {
    const live = this.#live.get(id)
    if (live === undefined) {
      for await (const _ of followStored(id, this.#options.openStore, { after: Number.MAX_SAFE_INTEGER, signal })) {
        // Only the end matters here.
      }
      return signal.aborted ? undefined : await (await this.#options.openStore()).find(id)
    }
    while (!live.hasEnded && !signal.aborted) await raceSignal(live.changed(), signal)
    return live.hasEnded ? live.record : undefined
  }

  /** The events after a number: those that are stored, then live ones, until the end or until the signal. */
  follow(id: string, from: FollowFrom): AsyncGenerator<ExecutionEvent[]> {
    const live = this.#live.get(id)
    const { openStore } = this.#options
    return live === undefined ? followStored(id, openStore, from) : followLive(live, openStore, from)
  }

  /** Resolves when other processes can see everything that has happened so far, or saving it has failed. */
  async save(): Promise<void> {
    if (this.#live.size > 0) await this.#writer.save()
  }

  /** Others have taken this process for dead: what it runs is ended. */
  giveUpOwned(): void {
    const owner = this.#owner
    this.#owner = ''
    for (const live of this.#live.values()) {
      if (live.isSaved && live.record.owner === owner) {
        live.isTaken = true
        this.#giveUp(live)
      }
    }
  }

  /** Also stops looking for requests of other processes. */
  async close(): Promise<void> {
    await this.save()
    clearInterval(this.#requestTimer)
    this.#unwatch?.()
    await Promise.all(this.#looks)
  }

  #giveUp(live: LiveExecution): void {
    live.cancel()
    this.#live.delete(live.record.id)
  }

  #recordOf(start: ExecutionStart): Execution {
    const { kind, parentId, client, backend, model, workdir, prompt, clientRequest, isDemo, attachments = [] } = start
    return {
      id: start.id ?? newExecutionId(this.#options.ids),
      state: 'queued',
      kind,
      owner: this.#owner,
      created_at: start.continues?.createdAt ?? start.createdAt ?? this.#now(),
      last_seq: start.continues?.lastSeq ?? 0,
      ...(parentId !== undefined && { parent_id: parentId }),
      ...(client !== undefined && { api_key: client.name, key_id: client.id }),
      ...(backend !== undefined && { backend }),
      ...(model !== undefined && { model }),
      ...(workdir !== undefined && { workdir }),
      ...(prompt !== undefined && { prompt }),
      ...(attachments.length > 0 && { attachments: attachments.map(describeAttachment) }),
      ...(clientRequest !== undefined && { client_request: clientRequest }),
      ...(isDemo === true && { is_demo: true as const }),
    }
  }

  #update(live: LiveExecution, change: Partial<Execution>): void {
    live.record = { ...live.record, ...change }
    void this.#writer.add(live)
  }

  #handOver(live: LiveExecution, backend: string): void {
    const { model: _, session_id: _session, ...rest } = live.record
    live.record = { ...rest, backend }
    live.hasAgent = true
    void this.#writer.add(live)
  }

  #setState(live: LiveExecution, state: ExecutionState, change: Partial<Execution> = {}): void {
    live.record = { ...live.record, ...change, state }
    const { error } = live.record
    const content = { state, ...(error !== undefined && { error }) }
    void this.#writer.add(live, live.append({ at: this.#now(), type: 'state', content }))
    this.#changes.emit('change', live.record)
  }

  #append(live: LiveExecution, { type, timestamp, content }: PromptEvent): Promise<void> | undefined {
    if (type === 'init' && content.model !== undefined) live.record = { ...live.record, model: content.model }
    live.hasAgent = true
    const sized = live.append({ at: timestamp, type, content: content as unknown as JsonObject })
    const saved = this.#writer.add(live, sized)
    this.#changes.emit('event', live.record.id, sized.event)
    return saved
  }

  /** The end of a dry run is saved later, together with others. */
  async #end(
    live: LiveExecution,
    { result, isDryRun }: { result: RecordedResult; isDryRun: boolean },
  ): Promise<string[]> {
    const summary = summarizeEnd(result)
    const record = { ...summary, result: result as unknown as JsonObject, ended_at: this.#now() }
    const isSavedLater = isDryRun && live.keep !== 'none'
    if (isSavedLater) live.end()
    this.#setState(live, toFinalState(result), record)
    return isSavedLater ? [] : await this.#finish(live)
  }

  async #abandon(live: LiveExecution, error: unknown): Promise<void> {
    if (isFinal(live.record.state)) return
    const state = error === undefined || isFault(error, shuttingDown) ? 'cancelled' : 'failed'
    live.isRefused = error !== undefined && !live.hasAgent && !mayHaveWorked(error)
    this.#setState(live, state, {
      ended_at: this.#now(),
      ...(error !== undefined && { error: toExecutionError(error) }),
    })
    await this.#finish(live)
  }

  async #finish(live: LiveExecution): Promise<string[]> {
    await this.#writer.finish(live)
    live.end()
    if (!this.#writer.has(live)) this.#live.delete(live.record.id)
    if (live.failure === undefined || live.keep === 'none') return []
    return [this.#options.toWarning(live.failure)]
  }

  async #withOwner(openStore: () => Promise<ExecutionStore>): Promise<ExecutionStore> {
    const store = await openStore()
    if (this.#owner === '') {
      this.#owner = await this.#options.owner()
      for (const live of this.#live.values()) {
        if (live.record.owner === '') live.record = { ...live.record, owner: this.#owner }
      }
    }
    this.#watchRequests(store)
    return store
  }

  /** Other processes know only of what is saved, so this begins with the first save. */
  #watchRequests(store: ExecutionStore): void {
    const look = () => {
      const answered = this.#answerRequests(store).catch(this.#options.onFailure)
      this.#looks.add(answered)
      void answered.then(() => this.#looks.delete(answered))
    }
    this.#requestTimer ??= setInterval(look, store.pollMs).unref()
    this.#unwatch ??= store.watch((notice) => {
      if (notice.type === 'missed' || notice.type === 'message') look()
      if (notice.type === 'cancel') for (const id of notice.ids) this.#live.get(id)?.cancel()
    })
  }

  async #answerRequests(store: ExecutionStore): Promise<void> {
    if (this.#live.size === 0) {
      clearInterval(this.#requestTimer)
      this.#requestTimer = undefined
    }
    if (this.#live.size === 0 || this.#owner === '') return
    for (const id of await store.cancelRequests(this.#owner)) this.#live.get(id)?.cancel()
    for (const sent of await store.messages.take(this.#owner))
      void this.#take(store, sent).catch(this.#options.onFailure)
  }

  async #take(store: ExecutionStore, sent: SentMessage): Promise<void> {
    await store.messages.answer(sent, await this.#outcomeOf(sent))
  }

  async #outcomeOf({ executionId, message }: SentMessage): Promise<string> {
    const live = this.#live.get(executionId)
    if (live === undefined) return 'ended'
    if (!('callId' in message)) return encodeOutcome(await sayTo(live, message))
    const { given, ...asked } = message
    const results = given && { choice: given.choice, replies: new Map(given.replies) }
    const taken = this.#options.takeResults?.(asked, results, live.lastSeq)
    return taken === undefined ? 'not_waiting' : JSON.stringify(taken)
  }

  #now(): string {
    return toTimestamp(this.#options.clock.now())
  }
}
