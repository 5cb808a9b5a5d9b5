import { resolve } from 'node:path'
import { toTimestamp } from '../../kit/clock.ts'
import { Fault } from '../../kit/fault.ts'
import { fileExists } from '../../kit/faults.ts'
import { createFile, replaceFile } from '../../kit/files/write-file.ts'
import type { Session } from '../../sessions/session.shape.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import type { Invocation, Run } from '../command.ts'
import { argumentUnexpected, exportExists } from '../faults.ts'
import { toShown } from '../output/printable.ts'
import { EXPORTS, type ExportFormat } from './export-formats.ts'
import { withSessions } from './open-sessions.ts'
import { readFilter } from './session-filter.ts'

const PAGE = 500

export const run: Run = async (invocation) => {
  const { flags, runtime } = invocation
  const { out } = runtime.terminal
  return await withSessions(invocation, async (store) => {
    const sessions = await selectSessions(invocation, store)
    const format = (flags.text('format') ?? 'json') as ExportFormat
    const text = EXPORTS[format](sessions, toTimestamp(runtime.clock.now()))
    const file = flags.text('output')
    if (file === undefined || file === '-') await out.write(toShown(text, out))
    else await save(invocation, { path: resolve(runtime.cwd, file), text, count: sessions.length })
    return 0
  })
}

async function selectSessions(invocation: Invocation, store: SessionStore): Promise<Session[]> {
  const filter = readFilter(invocation)
  const [id] = invocation.args
  if (id === undefined) return await listAll(store, filter)
  if (Object.keys(filter).length > 0) throw argumentUnexpected({ command: 'sessions export with a filter', given: id })
  const sessions = new Map<string, Session>()
  for (const name of invocation.args) {
    const session = await store.find(name)
    sessions.set(session.id, session)
  }
  return [...sessions.values()]
}

async function listAll(store: SessionStore, filter: ReturnType<typeof readFilter>): Promise<Session[]> {
  const sessions = new Map<string, Session>()
  // A session that is used meanwhile moves to the front, so another one may be listed twice.
  for (let offset = 0; ; offset += PAGE) {
    const page = await store.list(filter, { limit: PAGE, offset })
    for (const session of page.sessions) sessions.set(session.id, session)
    if (page.sessions.length < PAGE) return [...sessions.values()]
  }
}

async function save(
  { flags, runtime }: Invocation,
  { path, text, count }: { path: string; text: string; count: number },
): Promise<void> {
  const file = { path, bytes: Buffer.from(text), mode: 0o600 }
  if (flags.isOn('force')) replaceFile(file)
  else createNew(file)
  await runtime.terminal.err.write(`Wrote ${count} session${count === 1 ? '' : 's'} to ${path}.\n`)
}

function createNew(file: Parameters<typeof createFile>[0]): void {
  try {
    createFile(file)
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== fileExists.code) throw error
    throw exportExists({ path: file.path }, error)
  }
}
