/** The files in which agents keep sessions, in PostgreSQL, so that another machine can continue a session. */
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { SessionFile } from '../agents/adapter/agent.ts'
import type { PostgresDatabase } from '../store/postgres-database.ts'
import type { PostgresOwners } from '../store/postgres-owners.ts'
import type { MovedSession, SessionFiles } from './session-store.ts'

/** The running turn counts when it ends. Only the process that runs it may save its file. */
const SAVE = `INSERT INTO session_files (session_id, directory, content, turn_count)
  SELECT id, ?, ?, turn_count + 1 FROM sessions WHERE id = ? AND owner = ?
  ON CONFLICT (session_id) DO UPDATE
    SET directory = excluded.directory, content = excluded.content, turn_count = excluded.turn_count`

export class PostgresSessionFiles implements SessionFiles {
  readonly #database: PostgresDatabase
  readonly #owners: PostgresOwners

  constructor(database: PostgresDatabase, owners: PostgresOwners) {
    this.#database = database
    this.#owners = owners
  }

  async save(id: string, file: SessionFile | undefined): Promise<void> {
    const owner = await this.#owners.takenName()
    if (file === undefined) {
      const owned = 'SELECT id FROM sessions WHERE id = ? AND owner = ?'
      await this.#database.run(`DELETE FROM session_files WHERE session_id IN (${owned})`, id, owner)
      return
    }
    await this.#database.run(SAVE, file.directory, await promisify(gzip)(file.bytes), id, owner)
  }

  async findMoved(id: string): Promise<MovedSession | undefined> {
    const sql = `SELECT s.machine, s.turn_count - f.turn_count AS missing, f.directory, f.content
      FROM sessions s LEFT JOIN session_files f ON f.session_id = s.id WHERE s.id = ?`
    const row = await this.#database.get(sql, id)
    if (row === undefined || row['machine'] === this.#owners.machine) return undefined
    const { machine, missing, directory, content } = row
    if (directory === null) return { machine: String(machine) }
    const bytes = await promisify(gunzip)(content as unknown as Uint8Array)
    return { machine: String(machine), file: { directory: String(directory), bytes }, missingTurns: Number(missing) }
  }

  async noteHere(id: string): Promise<void> {
    await this.#database.run('UPDATE sessions SET machine = ? WHERE id = ?', this.#owners.machine, id)
  }
}
