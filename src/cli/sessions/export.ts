import { resolve } from 'node:path'
import type { SessionTurn } from '../../executions/session-turn.shape.ts'
import { toTimestamp } from '../../kit/clock.ts'
import { Fault } from '../../kit/fault.ts'
import { fileExists } from '../../kit/faults.ts'
import { writeFileInPieces } from '../../kit/files/write-file.ts'
import { USER } from '../../prompts/caller.ts'
import type { SessionService } from '../../service/drover-service.ts'
import { sessionNotFound } from '../../sessions/faults.ts'
import type { Session } from '../../sessions/session.shape.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { argumentUnexpected, exportExists } from '../faults.ts'
import { toShown } from '../output/printable.ts'
import { EXPORTS, type ExportFormat } from './export-formats.ts'
import { withSessions } from './open-sessions.ts'
import { readFilter } from './session-filter.ts'

const PAGE = 500

/** Reads and writes one session at a time, because all prompts together may not fit into memory. */
export const run: RunCommand = async (invocation) => {
  const { flags, runtime } = invocation
  return await withSessions(invocation, async ({ store, sessions }) => {
    const ids = await selectIds(invocation, store)
    const format = (flags.text('format') ?? 'json') as ExportFormat
    const counter = { count: 0 }
    const pieces = exportPieces(readSessions(store, ids), {
      format,
      exportedAt: toTimestamp(runtime.clock.now()),
      counter,
      turnsOf: ({ id }) => readTurns(sessions, id),
    })
    const file = flags.text('output')
    if (file === undefined || file === '-') await print(invocation, pieces)
    else await save(invocation, { path: resolve(runtime.cwd, file), pieces, counter })
    return 0
  })
}

/** Named sessions are found before anything is written, so that a mistyped id writes nothing. */
async function selectIds(invocation: Invocation, store: SessionStore): Promise<AsyncIterable<string>> {
  const filter = readFilter(invocation)
  const [id] = invocation.args
  if (id === undefined) return listIds(store, filter)
  if (Object.keys(filter).length > 0) {
    throw argumentUnexpected({ command: 'sessions export with a filter', given: id, takes: 'none' })
  }
  const ids = new Set<string>()
  for (const name of invocation.args) ids.add((await store.find(name)).id)
  return toAsync(ids)
}

async function* toAsync<T>(values: Iterable<T>): AsyncGenerator<T> {
  yield* values
}

async function* listIds(store: SessionStore, filter: ReturnType<typeof readFilter>): AsyncGenerator<string> {
  const listed = new Set<string>()
  // A session that is used meanwhile moves to the front, so another one may be listed twice.
  for (let offset = 0; ; offset += PAGE) {
    const { sessions } = await store.list(filter, { limit: PAGE, offset })
    for (const { id } of sessions) {
      if (!listed.has(id)) yield id
      listed.add(id)
    }
    if (sessions.length < PAGE) return
  }
}

/** Skips sessions that were deleted meanwhile. */
async function* readSessions(store: SessionStore, ids: AsyncIterable<string>): AsyncGenerator<Session> {
  for await (const id of ids) {
    try {
      yield await store.find(id)
    } catch (error) {
      if (!wasDeleted(error)) throw error
    }
  }
}

/** None of a session that was deleted meanwhile. */
async function* readTurns(sessions: SessionService, id: string): AsyncGenerator<SessionTurn> {
  try {
    yield* sessions.turns(USER, id)
  } catch (error) {
    if (!wasDeleted(error)) throw error
  }
}

function wasDeleted(error: unknown): boolean {
  return error instanceof Fault && error.code === sessionNotFound.code
}

type ExportOptions = {
  format: ExportFormat
  exportedAt: string
  counter: { count: number }
  turnsOf: (session: Session) => AsyncIterable<SessionTurn>
}

async function* exportPieces(
  sessions: AsyncIterable<Session>,
  { format, exportedAt, counter, turnsOf }: ExportOptions,
): AsyncGenerator<string> {
  const { head, session: toText, turn: toTurnText, sessionEnd, foot } = EXPORTS[format]
  yield head(exportedAt)
  for await (const session of sessions) {
    yield toText(session, counter.count)
    let turns = 0
    for await (const turn of turnsOf(session)) {
      yield toTurnText(turn, turns)
      turns += 1
    }
    yield sessionEnd(turns)
    counter.count += 1
  }
  yield foot(counter.count)
}

async function print({ runtime }: Invocation, pieces: AsyncIterable<string>): Promise<void> {
  const { out } = runtime.terminal
  for await (const piece of pieces) {
    // The reader has closed the pipe.
    if (piece !== '' && (await out.write(toShown(piece, out))) === 'closed') return
  }
}

async function save(
  { flags, runtime }: Invocation,
  { path, pieces, counter }: { path: string; pieces: AsyncIterable<string>; counter: { count: number } },
): Promise<void> {
  try {
    await writeFileInPieces({ path, mode: 0o600, mayExist: flags.isOn('force') }, toBytes(pieces))
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== fileExists.code) throw error
    throw exportExists({ path }, error)
  }
  const { count } = counter
  await runtime.terminal.err.write(`Wrote ${count} session${count === 1 ? '' : 's'} to ${path}.\n`)
}

async function* toBytes(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece)
}
