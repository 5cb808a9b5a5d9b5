/** What agents have asked for and no one has decided yet. */
import type { ApprovalDecision, ApprovalRequest } from '../agents/adapter/agent.ts'
import { approvalNotFound } from './faults.ts'

type Pending = { request: ApprovalRequest; decide: (decision: ApprovalDecision) => void }

export class Approvals {
  readonly #timeoutMs: number
  /** By execution, then by the id of the approval. */
  readonly #pending = new Map<string, Map<string, Pending>>()

  constructor({ timeoutMs }: { timeoutMs: number }) {
    this.#timeoutMs = timeoutMs
  }

  /** Resolves with the decision. Without one it is denied, after the time that is allowed for it. */
  async ask(executionId: string, request: ApprovalRequest): Promise<ApprovalDecision> {
    const { promise, resolve: decide } = Promise.withResolvers<ApprovalDecision>()
    const ofExecution = this.#pending.get(executionId) ?? new Map<string, Pending>()
    this.#pending.set(executionId, ofExecution.set(request.approval_id, { request, decide }))
    const message = `no one decided within ${this.#timeoutMs / 1000} s`
    const timer = setTimeout(() => decide({ decision: 'deny', message }), this.#timeoutMs)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      ofExecution.delete(request.approval_id)
      if (ofExecution.size === 0) this.#pending.delete(executionId)
    }
  }

  /** Throws a Fault if nothing with this id waits for a decision. `allow_session` where it is no choice allows once. */
  decide(executionId: string, approvalId: string, asked: ApprovalDecision): ApprovalDecision {
    const pending = this.#pending.get(executionId)?.get(approvalId)
    if (pending === undefined) throw approvalNotFound({ id: approvalId })
    const isChoice = pending.request.choices.includes(asked.decision)
    const decision: ApprovalDecision = isChoice ? asked : { ...asked, decision: 'allow' }
    pending.decide(decision)
    this.#pending.get(executionId)?.delete(approvalId)
    return decision
  }

  /** Denies what an execution that has ended still asks for. */
  forget(executionId: string): void {
    for (const { decide } of this.#pending.get(executionId)?.values() ?? []) decide({ decision: 'deny' })
    this.#pending.delete(executionId)
  }
}
