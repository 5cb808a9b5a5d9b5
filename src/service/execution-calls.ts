/** Executions for everyone who asks: those of this process and of others with the same store. A client sees its own. */
import type { ApprovalReply, AttributedReply } from '../agents/adapter/agent.ts'
import { checkPrompt } from '../agents/build-command.ts'
import type { FollowFrom } from '../executions/follow-events.ts'
import type { Executions } from '../executions/local-executions.ts'
import { type StateChange, StateFeed, type WatchOthers } from '../executions/state-feed.ts'
import type { Execution, ExecutionEvent, ExecutionPage } from '../executions/store/execution.shape.ts'
import { isFinal } from '../executions/store/execution-states.ts'
import type { ExecutionFilter, KeyClaim } from '../executions/store/execution-store.ts'
import {
  attachmentNotFound,
  executionEnded,
  executionNotFound,
  executionNotStarted,
  executionWithoutAgent,
  messageImpossible,
  messageQueueFull,
} from '../executions/store/faults.ts'
import type { Stores } from '../executions/store/stores.ts'
import type { UsageRequest } from '../executions/store/usage-query.ts'
import type { UsageReport } from '../executions/store/usage-report.shape.ts'
import { type Clock, systemClock, toTimestamp } from '../kit/clock.ts'
import { ignoreFault, isFault } from '../kit/fault.ts'
import { randomIds } from '../kit/ids.ts'
import type { Log } from '../kit/log.ts'
import type { PendingApproval } from '../prompts/approvals.shape.ts'
import { type Approvals, choiceFor } from '../prompts/approvals.ts'
import { type Caller, ownerKey, visibleKeyId } from '../prompts/caller.ts'
import { refuseBackend } from '../prompts/ceilings.ts'
import { approvalNotAllowed, approvalNotFound, messageNotAllowed } from '../prompts/faults.ts'
import type { MessageSent } from '../prompts/message-sent.shape.ts'
import { QUEUED_CHARACTERS } from '../sessions/session-messages.ts'
import type { AttachmentContent, ExecutionService, MessageToAgent } from './drover-service.ts'

/** The executions whose parts have agents. */
const WITHOUT_AGENT: readonly Execution['kind'][] = ['parallel', 'chain', 'compare', 'dry_run']

const END_WAIT_MS = 5000

type Parts = {
  records: Executions
  stores(): Promise<Stores>
  /** Undefined: no agent of this process waits for a decision. */
  approvals: Approvals | undefined
  clock?: Clock
  log: Log
}

export class ExecutionCalls implements ExecutionService {
  readonly #parts: Parts
  #feed: StateFeed | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Also by a unique prefix of its id, unless it runs here. */
  async find(by: Caller, id: string): Promise<Execution> {
    const keyId = visibleKeyId(by)
    const running = this.#parts.records.find(id)
    if (running === undefined) return await (await this.#store()).find(id, keyId)
    // Whether another key has such an execution is not revealed.
    if (keyId !== undefined && running.key_id !== keyId) throw executionNotFound({ id })
    return running
  }

  async list(by: Caller, filter: ExecutionFilter, page: { limit: number }): Promise<ExecutionPage> {
    const keyId = visibleKeyId(by)
    await this.save()
    return await (await this.#store()).list(keyId === undefined ? filter : { ...filter, keyId }, page)
  }

  async *follow(by: Caller, named: string, from: FollowFrom): AsyncGenerator<ExecutionEvent[]> {
    const { id } = await this.find(by, named)
    yield* this.#parts.records.follow(id, from)
  }

  async cancel(by: Caller, id: string): Promise<Execution> {
    const execution = await this.find(by, id)
    const { id: whole, state } = execution
    if (isFinal(state)) throw executionEnded({ id: whole, state })
    await this.#parts.records.cancel(execution)
    return execution
  }

  async say(by: Caller, named: string, { text, by: sender }: MessageToAgent): Promise<MessageSent> {
    const { id, state, kind, backend = '' } = await this.find(by, named)
    if (isFinal(state)) throw executionEnded({ id, state })
    if (WITHOUT_AGENT.includes(kind)) throw executionWithoutAgent({ id, kind })
    if (state === 'queued') throw executionNotStarted({ id })
    refuseBackend(backend, by.ceilings)
    checkPrompt(text, backend)
    const { records, clock = systemClock, log } = this.#parts
    const message = { message_id: randomIds.uuid(), text, sent_at: toTimestamp(clock.now()), by: sender }
    const outcome = await records.say({ id }, { ...message, limits: by.ceilings })
    if (typeof outcome === 'object') throw messageNotAllowed({ setting: outcome.limitedBy })
    if (outcome === 'ended') throw executionEnded({ id, state: await this.#finalState(id) })
    if (outcome === 'no_next_turn') throw messageImpossible({ id, backend })
    if (outcome === 'queue_full') throw messageQueueFull({ limit: QUEUED_CHARACTERS })
    // Not every execution is stored.
    log.info({ execution: id, message: message.message_id, delivered: outcome, by: sender }, 'message sent')
    return { execution_id: id, message_id: message.message_id, delivered: outcome }
  }

  /** Its agent has ended, and it is about to. */
  async #finalState(id: string): Promise<Execution['state']> {
    const ended = await this.#parts.records.ended(id, AbortSignal.timeout(END_WAIT_MS)).catch(ignoreFault)
    return ended?.state ?? 'completed'
  }

  async ended(by: Caller, named: string, signal: AbortSignal): Promise<Execution | undefined> {
    const { id } = await this.find(by, named)
    return await this.#parts.records.ended(id, signal)
  }

  async attachment(by: Caller, { id: named, digest }: { id: string; digest: string }): Promise<AttachmentContent> {
    await this.save()
    const { id, attachments = [] } = await this.#findInSession(by, named)
    const found = attachments.find((each) => each.digest === digest)
    const data = found && (await (await this.#store()).attachment(id, digest))
    if (found === undefined || data === undefined) throw attachmentNotFound({ id, digest })
    return { ...found, bytes: Buffer.from(data, 'base64') }
  }

  /** Someone who sees a session sees all its turns. */
  async #findInSession(by: Caller, id: string): Promise<Execution> {
    try {
      return await this.find(by, id)
    } catch (error) {
      if (!isFault(error, executionNotFound)) throw error
      const execution = await (await this.#store()).find(id)
      const { sessions } = await this.#parts.stores()
      const session = await sessions
        .seenBy(visibleKeyId(by))
        .find(execution.session_id ?? '')
        .catch(ignoreFault)
      if (session === undefined) throw error
      return execution
    }
  }

  async approvals(by: Caller): Promise<PendingApproval[]> {
    const { approvals, records } = this.#parts
    const keyId = visibleKeyId(by)
    const shared = await (await this.#parts.stores()).approvals?.list()
    const all = shared ?? approvals?.list() ?? []
    if (keyId === undefined) return [...all]
    const keyOf = async (id: string) =>
      (shared === undefined ? records.find(id) : await (await this.#store()).find(id))?.key_id
    const keys = await Promise.all(all.map(({ execution_id: id }) => keyOf(id)))
    return all.filter((_, at) => keys[at] === keyId)
  }

  /** A caller must not allow an agent more than it may ask for itself. */
  async decide(
    by: Caller,
    { id: named, approval }: { id: string; approval: string },
    decided: AttributedReply,
  ): Promise<ApprovalReply['decision']> {
    const { id, key_id: keyId, backend = '' } = await this.find(by, named)
    const { approval: mode, sandbox, boundary, tools, mcpServers, directories } = by.ceilings ?? {}
    // Agents of its own key have the others too.
    const others = keyId === ownerKey(by)?.id ? undefined : (boundary ?? tools ?? mcpServers ?? directories)
    const limit = mode ?? sandbox ?? others
    if (limit !== undefined) throw approvalNotAllowed({ setting: limit.setting })
    refuseBackend(backend, by.ceilings)
    const decision = await this.#settle({ id, approval }, decided)
    // Not every execution is stored. The log says who decided about all of them.
    this.#parts.log.info({ execution: id, approval, decision, by: decided.by }, 'approval decided')
    return decision
  }

  async #settle({ id, approval }: { id: string; approval: string }, decided: AttributedReply) {
    try {
      return this.#parts.approvals?.decide(id, approval, decided).decision ?? 'deny'
    } catch (error) {
      if (!isFault(error, approvalNotFound)) throw error
      const { approvals: board } = await this.#parts.stores()
      const found = await board?.decide({ executionId: id, approvalId: approval, decided })
      if (found === undefined) throw error
      return choiceFor(decided, found)
    }
  }

  async *watch<Other = never>(
    by: Caller,
    signal: AbortSignal,
    watchOthers: WatchOthers<Other> = () => () => {},
  ): AsyncGenerator<StateChange | Other, void, undefined> {
    const keyId = visibleKeyId(by)
    const isVisible = (execution: Execution) => keyId === undefined || execution.key_id === keyId
    yield* (await this.#openFeed()).watch({ signal, isVisible, watchOthers })
  }

  async usage(by: Caller, request: UsageRequest): Promise<UsageReport> {
    return await (await this.#store()).usage({ ...request, visibleTo: visibleKeyId(by) })
  }

  /** The executions that run in this process. */
  running(): Execution[] {
    return this.#parts.records.running()
  }

  /** Takes an idempotency key for a new execution, or returns the claim that has it already. */
  async claimKey(claim: KeyClaim): Promise<KeyClaim | undefined> {
    return await (await this.#store()).claimKey(claim)
  }

  /** Makes the key usable again. One that cannot be released stays taken: its client gets the result all the same. */
  async releaseKey(claim: KeyClaim): Promise<void> {
    try {
      await (await this.#store()).releaseKey(claim)
    } catch (error) {
      this.#parts.log.error({ reason: String(error) }, 'an idempotency key could not be released')
    }
  }

  /** Removes one that has ended, with its events. */
  async remove(id: string): Promise<void> {
    await this.save()
    await (await this.#store()).remove(id)
  }

  /** Resolves when other processes can see everything that has happened so far, or saving it has failed. */
  async save(): Promise<void> {
    await this.#parts.records.save()
  }

  async #store() {
    return (await this.#parts.stores()).executions
  }

  /** Of a server: clients watch only there. */
  async #openFeed(): Promise<StateFeed> {
    const { records: executions, approvals, log } = this.#parts
    const store = await this.#store()
    if (approvals === undefined) throw new TypeError('only a server has clients that watch')
    this.#feed ??= new StateFeed({ executions, approvals, store, log })
    return this.#feed
  }
}
