/** What users have told agents that take no messages while they work: each gets it with the next prompt of its session. */
import type { UserMessage } from '../agents/adapter/agent.ts'
import { all, get, type Sql } from '../store/sql.ts'

/** The characters that may wait: far less than agents take with one prompt. */
export const QUEUED_CHARACTERS = 100_000

export class SessionMessages {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** False: too much waits already. */
  async add(sessionId: string, message: UserMessage): Promise<boolean> {
    return await this.#sql.write(function* () {
      const sql = 'SELECT sum(length(text)) AS size FROM session_messages WHERE session_id = ?'
      const size = Number((yield* get(sql, sessionId))?.['size'] ?? 0)
      if (size + message.text.length > QUEUED_CHARACTERS) return false
      const { message_id: id, text, ...rest } = message
      const insert =
        'INSERT INTO session_messages (id, session_id, text, sender) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING'
      yield* all(insert, id, sessionId, text, JSON.stringify(rest))
      return true
    })
  }

  /** Oldest first. */
  async list(sessionId: string): Promise<UserMessage[]> {
    const sql = 'SELECT id, text, sender FROM session_messages WHERE session_id = ? ORDER BY number'
    const rows = await this.#sql.read(() => all(sql, sessionId))
    return rows.map(({ id, text, sender }) => ({
      message_id: String(id),
      text: String(text),
      ...(JSON.parse(String(sender)) as Pick<UserMessage, 'sent_at' | 'by'>),
    }))
  }

  /** The agent has them. */
  async remove(messages: readonly UserMessage[]): Promise<void> {
    const marks = messages.map(() => '?').join(', ')
    const ids = messages.map(({ message_id: id }) => id)
    await this.#sql.run(`DELETE FROM session_messages WHERE id IN (${marks})`, ...ids)
  }
}
