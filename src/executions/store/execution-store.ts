/** The interface of the store of executions. */
import type { ExecutionKind } from '../../prompts/execution-recorder.ts'
import type { LostTurn } from '../../sessions/session-table.ts'
import type { Steps } from '../../store/sql.ts'
import type { Execution, ExecutionEvent, ExecutionPage } from './execution.shape.ts'
import type { ExecutionState, KeepMode } from './execution-states.ts'
import type { SentMessages } from './sent-messages.ts'
import type { UsageRequest } from './usage-query.ts'
import type { UsageReport } from './usage-report.shape.ts'

/** Everything that changed in one execution since it was last saved. */
export type ExecutionChange = {
  /** The record as it is now. The prompt is stored only with the first change. */
  execution: Execution
  /** How much of it is stored. Without events and result, the row only shows that it runs. */
  keep: KeepMode
  /** The events to append, in order; the first follows the last stored one. Empty unless events are stored. */
  events: readonly ExecutionEvent[]
  /** It has not been saved before. */
  isNew: boolean
  /** The content of its attachments, which is stored with the first change. */
  attachments?: readonly AttachedContent[] | undefined
  /** Removes the execution instead of saving it. */
  isRemoved?: boolean
  /** Its end is added to the usage, once. */
  countsUsage?: boolean
  /** It failed before an agent had its prompt: it is neither added to the usage nor charged to budgets. */
  isRefused?: boolean
  /** Its end is charged to budgets, once. */
  isReserved?: boolean
  /** The result, even if it is not stored. */
  result?: Execution['result'] | undefined
}

/** In base64. */
export type AttachedContent = { digest: string; data: string }

export type ExecutionFilter = {
  state?: ExecutionState
  backend?: string
  session?: string
  parent?: string
  kind?: ExecutionKind
  /** Created at this time or later: RFC 3339, UTC. */
  since?: string
  /** Only executions of the API key with this id. */
  keyId?: string
  /** The name of an API key. */
  key?: string
  workdir?: string
  /** A part of the beginning of the prompt. */
  search?: string
  /** Only executions that are older than the one with this id. */
  before?: string
}

/** The events after a number, at most `limit`. */
export type EventFilter = { after: number; limit: number; type?: string }

/** How long a repeated request gets the answer of the first. */
export const KEY_LIFETIME_MS = 24 * 3600 * 1000

/** A request that may be repeated without running twice. */
export type KeyClaim = { keyId: string; key: string; digest: string; executionId: string }

/** `changed`: these executions have new events or another state. `missed`: notices may have been missed. */
export type StoreNotice =
  | { type: 'changed' | 'cancel' | 'approval' | 'message'; ids: readonly string[] }
  | { type: 'queue' | 'missed' }

export type RemovalLimits = { endedBefore: string; maxBytes: number; signal?: AbortSignal }

export type ExecutionStore = {
  /**
   * Saves all changes in one transaction. Returns the executions that were taken from their process, which others took for
   * dead: of these nothing is saved.
   */
  save(changes: readonly ExecutionChange[]): Promise<string[]>
  /** How often readers look for changes of other processes while `watch` does not tell them. */
  readonly pollMs: number
  /** Whether `watch` tells of every change at the moment. */
  isTold(): boolean
  /** Calls `listener` when other processes may have changed executions. Returns a function that stops it. */
  watch(listener: (notice: StoreNotice) => void): () => void
  /** Finds an execution by its id, or by a unique prefix of it, with its prompt and result. With `keyId`, one of that key. */
  find(idOrPrefix: string, keyId?: string): Promise<Execution>
  list(filter: ExecutionFilter, page: { limit: number }): Promise<ExecutionPage>
  /** All executions that have not ended, of every process, oldest first. */
  running(): Promise<Execution[]>
  /** The stored events after a number, at most `limit`; of one type, if that is given. */
  events(id: string, filter: EventFilter): Promise<ExecutionEvent[]>
  /** The content of an attachment of an execution, in base64. Undefined if it has no such attachment. */
  attachment(id: string, digest: string): Promise<string | undefined>
  /** Asks the process that runs the execution to cancel it. */
  requestCancel(id: string): Promise<void>
  /** The running executions of a process that another process wants to cancel. */
  cancelRequests(owner: string): Promise<string[]>
  /** Messages to agents of other processes. */
  readonly messages: SentMessages
  /** The executions of a process that is gone become `lost`. In the same transaction, `endTurns` ends its turns; its result is returned. */
  loseAllOf(owner: string, endTurns?: (lost: readonly LostTurn[]) => Steps<number>): Promise<number>
  /** Takes the key, or returns the claim that has it already. Expired claims are gone. */
  claimKey(claim: KeyClaim): Promise<KeyClaim | undefined>
  /** Gives the key back, because nothing was started. */
  releaseKey(claim: KeyClaim): Promise<void>
  /** What executions have used, also those that are removed or were never stored. */
  usage(request: UsageRequest): Promise<UsageReport>
  /** Removes one that has ended, with its events. */
  remove(id: string): Promise<void>
  /**
   * Removes ended executions: those that ended before a time, then, until the rest fits, the oldest ones of the keys that
   * use most. It does that in pieces, and stops between two of them at the signal. Returns their number.
   */
  removeOld(limits: RemovalLimits): Promise<number>
}
