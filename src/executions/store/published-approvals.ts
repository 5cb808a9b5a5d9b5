/** What agents on many machines ask for, so that a server can decide for an agent of another machine. */
import type { AttributedReply } from '../../agents/adapter/agent.ts'
import { checkAnswers } from '../../agents/adapter/answers.ts'
import { Fault } from '../../kit/fault.ts'
import type { Log } from '../../kit/log.ts'
import type { PendingApproval } from '../../prompts/approvals.shape.ts'
import type { Approvals } from '../../prompts/approvals.ts'
import type { PostgresDatabase } from '../../store/postgres-database.ts'
import { notify } from '../../store/postgres-notices.ts'
import { get } from '../../store/sql.ts'
import type { ExecutionStore } from './execution-store.ts'

type Decision = { executionId: string; approvalId: string; decided: AttributedReply }

export class PublishedApprovals {
  readonly #database: PostgresDatabase

  constructor(database: PostgresDatabase) {
    this.#database = database
  }

  async add(approval: PendingApproval): Promise<void> {
    const sql = 'INSERT INTO approvals (execution_id, approval_id, approval) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
    await this.#database.run(sql, approval.execution_id, approval.approval_id, JSON.stringify(approval))
  }

  async remove({ execution_id: id, approval_id: approval }: PendingApproval): Promise<void> {
    await this.#database.run('DELETE FROM approvals WHERE execution_id = ? AND approval_id = ?', id, approval)
  }

  /** Returns what was asked for; undefined if nothing with this id waits. Throws a Fault if its questions have other answers. */
  async decide({ executionId, approvalId, decided }: Decision): Promise<PendingApproval | undefined> {
    return await this.#database.write(function* () {
      const sql = `UPDATE approvals SET decision = ? WHERE execution_id = ? AND approval_id = ? AND decision IS NULL
        RETURNING approval`
      const row = yield* get(sql, JSON.stringify(decided), executionId, approvalId)
      if (row === undefined) return undefined
      const approval: PendingApproval = JSON.parse(String(row['approval']))
      // A decision that does not fit is not stored.
      checkAnswers(approval, decided)
      yield* notify('approval', [executionId])
      return approval
    })
  }

  /** The decisions of other servers about these executions. */
  async decisions(executionIds: readonly string[]): Promise<Decision[]> {
    const sql = 'SELECT * FROM approvals WHERE execution_id = ANY(?) AND decision IS NOT NULL'
    const rows = await this.#database.run(sql, executionIds)
    return rows.map((row) => ({
      executionId: String(row['execution_id']),
      approvalId: String(row['approval_id']),
      decided: JSON.parse(String(row['decision'])),
    }))
  }

  /** Everything that waits for a decision, on every machine, oldest first. */
  async list(): Promise<PendingApproval[]> {
    const sql = `SELECT a.approval FROM approvals a JOIN executions e ON e.id = a.execution_id
      WHERE a.decision IS NULL AND e.ended_at IS NULL`
    const rows = await this.#database.run(sql)
    const all = rows.map((row): PendingApproval => JSON.parse(String(row['approval'])))
    return all.sort((a, b) => (a.asked_at < b.asked_at ? -1 : 1))
  }
}

type Shared = { approvals: Approvals; board: PublishedApprovals; store: ExecutionStore; log: Log }

/** Shows on the board what the agents of this process ask for, and takes decisions from it. */
export function shareApprovals({ approvals, board, store, log }: Shared): void {
  const report = (error: unknown) => log.warn({ reason: String(error) }, 'an approval could not be shared')
  approvals.onChange(({ type, approval }) => {
    void (type === 'asked' ? board.add(approval) : board.remove(approval)).catch(report)
  })
  const look = async (ids: readonly string[]) => {
    for (const { executionId, approvalId, decided } of await board.decisions(ids)) {
      try {
        approvals.decide(executionId, approvalId, decided)
      } catch (error) {
        // It was decided here meanwhile, or another process runs the execution.
        if (!(error instanceof Fault)) throw error
      }
    }
  }
  const waiting = () => approvals.list().map(({ execution_id: id }) => id)
  store.watch((notice) => {
    const ids = notice.type === 'approval' ? notice.ids : notice.type === 'missed' ? waiting() : []
    if (ids.length > 0) void look(ids).catch(report)
  })
}
