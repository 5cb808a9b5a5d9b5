/**
 * What is sent to executions of other processes: messages to agents, and results that turns wait for. Each waits until the process that
 * runs the execution takes it, and has its answer then.
 */
import type { UserMessage } from '../../agents/adapter/agent.ts'
import type { ToolReply } from '../../agents/adapter/client-tool.ts'
import type { Ceilings } from '../../prompts/ceilings.ts'
import type { GivenResults, TurnRequest } from '../../prompts/tool-turns.ts'
import { all, get, type Sql } from '../../store/sql.ts'

/** Without results, it asks whether the turn waits for them. */
export type SentResults = TurnRequest & {
  message_id: string
  given?: { replies: readonly (readonly [string, ToolReply])[]; choice: GivenResults['choice'] }
}

/** With the limits of its sender. */
export type LimitedMessage = UserMessage & { readonly limits?: Ceilings | undefined }

export type SentMessage = { executionId: string; message: LimitedMessage | SentResults }

/** The answer of a message that was taken, until it has another one. */
const TAKEN = ''

export class SentMessages {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  async send({ executionId, message }: SentMessage): Promise<void> {
    const sql = this.#sql
    await sql.write(function* () {
      const insert =
        'INSERT INTO execution_messages (id, execution_id, message) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
      yield* all(insert, message.message_id, executionId, JSON.stringify(message))
      yield* sql.notify('message', [executionId])
    })
  }

  /** Those for the executions of a process. Each is returned once. */
  async take(owner: string): Promise<SentMessage[]> {
    const waiting = `SELECT m.id FROM execution_messages m JOIN executions e ON e.id = m.execution_id
      WHERE e.owner = ? AND e.ended_at IS NULL AND m.answer IS NULL ORDER BY m.number`
    const found = await this.#sql.read(() => all(waiting, owner))
    if (found.length === 0) return []
    return await this.#sql.write(function* () {
      const taken: SentMessage[] = []
      const sql = `UPDATE execution_messages SET answer = '${TAKEN}' WHERE id = ? AND answer IS NULL RETURNING execution_id, message`
      for (const { id } of found) {
        const row = yield* get(sql, id)
        if (row !== undefined)
          taken.push({ executionId: String(row['execution_id']), message: JSON.parse(String(row['message'])) })
      }
      return taken
    })
  }

  async answer({ executionId, message }: SentMessage, outcome: string): Promise<void> {
    const sql = this.#sql
    await sql.write(function* () {
      yield* all('UPDATE execution_messages SET answer = ? WHERE id = ?', outcome, message.message_id)
      yield* sql.notify('message', [executionId])
    })
  }

  /** Undefined: there is none yet. */
  async outcome(id: string): Promise<string | undefined> {
    const row = await this.#sql.read(() => get('SELECT answer FROM execution_messages WHERE id = ?', id))
    const answer = row?.['answer'] ?? TAKEN
    return answer === TAKEN ? undefined : String(answer)
  }

  /** No process takes it any more. */
  async remove(id: string): Promise<void> {
    await this.#sql.run('DELETE FROM execution_messages WHERE id = ?', id)
  }
}
