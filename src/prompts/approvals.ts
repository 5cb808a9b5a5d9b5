/** What agents have asked for and no one has decided yet. */
import { EventEmitter } from 'node:events'
import type { ApprovalReply, ApprovalRequest, AttributedReply } from '../agents/adapter/agent.ts'
import { type Clock, systemClock, toTimestamp } from '../kit/clock.ts'
import type { PendingApproval } from './approvals.shape.ts'
import { approvalNotFound } from './faults.ts'

type Pending = { request: ApprovalRequest; approval: PendingApproval; decide: (decided: AttributedReply) => void }

/** `asked`: an agent waits. `settled`: it no longer does. */
export type ApprovalChange = { type: 'asked' | 'settled'; approval: PendingApproval }

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
  /** By execution, then by the id of the approval. */
  readonly #pending = new Map<string, Map<string, Pending>>()
  readonly #changes = new EventEmitter<{ change: [ApprovalChange] }>().setMaxListeners(0)

  constructor({ timeoutMs, clock = systemClock }: { timeoutMs: number; clock?: Clock }) {
    this.#timeoutMs = timeoutMs
    this.#clock = clock
  }

  /** Resolves with the decision. Without one it is denied, after the time that is allowed for it. */
  async ask(executionId: string, request: ApprovalRequest): Promise<AttributedReply> {
    const { promise, resolve: decide } = Promise.withResolvers<AttributedReply>()
    const ofExecution = this.#pending.get(executionId) ?? new Map<string, Pending>()
    const approval = this.#toApproval(executionId, request)
    this.#pending.set(executionId, ofExecution.set(request.approval_id, { request, approval, decide }))
    this.#changes.emit('change', { type: 'asked', approval })
    const message = `no one decided within ${this.#timeoutMs / 1000} s`
    const timer = setTimeout(() => decide({ ...DENIED, message }), this.#timeoutMs)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      ofExecution.delete(request.approval_id)
      if (ofExecution.size === 0) this.#pending.delete(executionId)
      this.#changes.emit('change', { type: 'settled', approval })
    }
  }

  /** Oldest first. */
  list(): PendingApproval[] {
    const all = [...this.#pending.values()].flatMap((ofExecution) => [...ofExecution.values()])
    return all.map(({ approval }) => approval).sort((a, b) => (a.asked_at < b.asked_at ? -1 : 1))
  }

  /** Returns a function that stops it. */
  onChange(listener: (change: ApprovalChange) => void): () => void {
    this.#changes.on('change', listener)
    return () => this.#changes.off('change', listener)
  }

  /** Throws a Fault if nothing with this id waits for a decision. Returns what the agent is told. */
  decide(executionId: string, approvalId: string, asked: AttributedReply): AttributedReply {
    const pending = this.#pending.get(executionId)?.get(approvalId)
    if (pending === undefined) throw approvalNotFound({ id: approvalId })
    const decision = { ...asked, decision: choiceFor(asked, pending.request) }
    pending.decide(decision)
    this.#pending.get(executionId)?.delete(approvalId)
    return decision
  }

  /** Denies what an execution that has ended still asks for. */
  forget(executionId: string): void {
    for (const { decide } of this.#pending.get(executionId)?.values() ?? []) decide(DENIED)
    this.#pending.delete(executionId)
  }

  #toApproval(executionId: string, request: ApprovalRequest): PendingApproval {
    const now = this.#clock.now()
    const expires = new Date(now.getTime() + this.#timeoutMs)
    return { execution_id: executionId, asked_at: toTimestamp(now), expires_at: toTimestamp(expires), ...request }
  }
}
