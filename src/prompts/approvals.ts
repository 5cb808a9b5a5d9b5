/** What agents have asked for and no one has decided yet. */
import { EventEmitter } from 'node:events'
import type { ApprovalReply, ApprovalRequest, AttributedReply } from '../agents/adapter/agent.ts'
import { checkAnswers } from '../agents/adapter/answers.ts'
import { type Clock, systemClock, toTimestamp } from '../kit/clock.ts'
import type { PendingApproval } from './approvals.shape.ts'
import { approvalNotFound } from './faults.ts'

type Pending = { approval: PendingApproval; decide: (decided: AttributedReply) => void }

/** `asked`: an agent waits. `settled`: it no longer does. */
export type ApprovalChange = {
  type: 'asked' | 'settled'
  approval: PendingApproval
  origin?: ApprovalOrigin | undefined
}

/** Where the agent works (the repository of a driven run, or the working directory), and the key that it works for. */
type ApprovalOrigin = { directory: string; keyId: string | undefined }

/** No one decided. */
const DENIED: AttributedReply = { decision: 'deny', by: { via: 'drover' } }

/** `allow_session` where it is no choice allows once. */
export function choiceFor(
  { decision }: ApprovalReply,
  { choices }: Pick<ApprovalRequest, 'choices'>,
): ApprovalReply['decision'] {
  return decision === 'allow_session' && !choices.includes(decision) ? 'allow' : decision
}

export class Approvals {
  readonly #timeoutMs: number
  readonly #clock: Clock
  /** Oldest first. */
  readonly #pending = new Set<Pending>()
  readonly #changes = new EventEmitter<{ change: [ApprovalChange] }>().setMaxListeners(0)

  constructor({ timeoutMs, clock = systemClock }: { timeoutMs: number; clock?: Clock }) {
    this.#timeoutMs = timeoutMs
    this.#clock = clock
  }

  /** Resolves with the decision. Without one it is denied, after the time that is allowed for it, or when the agent takes it back. */
  async ask(
    executionId: string,
    request: ApprovalRequest,
    { origin, takenBack }: { origin?: ApprovalOrigin | undefined; takenBack?: AbortSignal | undefined } = {},
  ): Promise<AttributedReply> {
    const { promise, resolve: decide } = Promise.withResolvers<AttributedReply>()
    const approval = this.#toApproval(executionId, request)
    const pending = { approval, decide }
    this.#pending.add(pending)
    this.#changes.emit('change', { type: 'asked', approval, origin })
    const message = `no one decided within ${this.#timeoutMs / 1000} s`
    const timer = setTimeout(() => decide({ ...DENIED, message }), this.#timeoutMs)
    const withdraw = () => decide(DENIED)
    if (takenBack?.aborted) withdraw()
    takenBack?.addEventListener('abort', withdraw)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#pending.delete(pending)
      this.#changes.emit('change', { type: 'settled', approval })
    }
  }

  /** Oldest first. */
  list(): PendingApproval[] {
    return Array.from(this.#pending, ({ approval }) => approval)
  }

  /** Returns a function that stops it. */
  onChange(listener: (change: ApprovalChange) => void): () => void {
    this.#changes.on('change', listener)
    return () => this.#changes.off('change', listener)
  }

  /** Throws a Fault if nothing with this id waits for a decision, or if its questions have other answers. Returns what the agent is told. */
  decide(executionId: string, approvalId: string, asked: AttributedReply): AttributedReply {
    const pending = this.#of(executionId).find(({ approval }) => approval.approval_id === approvalId)
    if (pending === undefined) throw approvalNotFound({ id: approvalId })
    checkAnswers(pending.approval, asked)
    const decision = { ...asked, decision: choiceFor(asked, pending.approval) }
    pending.decide(decision)
    this.#pending.delete(pending)
    return decision
  }

  /** Denies what an execution that has ended still asks for. */
  forget(executionId: string): void {
    for (const pending of this.#of(executionId)) {
      pending.decide(DENIED)
      this.#pending.delete(pending)
    }
  }

  #of(executionId: string): Pending[] {
    return [...this.#pending].filter(({ approval }) => approval.execution_id === executionId)
  }

  #toApproval(executionId: string, request: ApprovalRequest): PendingApproval {
    const now = this.#clock.now()
    const expires = new Date(now.getTime() + this.#timeoutMs)
    return { execution_id: executionId, asked_at: toTimestamp(now), expires_at: toTimestamp(expires), ...request }
  }
}
