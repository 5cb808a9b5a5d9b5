import { Fault } from '../../kit/fault.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import type { RunCommand } from '../command.ts'
import { withSessions } from './open-sessions.ts'

type DeleteReport = { deleted: string[]; failed: { id: string; error: string; message: string }[] }

export const run: RunCommand = async (invocation) => {
  const { args, flags, runtime } = invocation
  const { out, err } = runtime.terminal
  return await withSessions(invocation, async ({ store }) => {
    const report = await deleteAll(store, await findAll(store, args))
    if (flags.isOn('json')) await out.write(`${JSON.stringify(report, null, 2)}\n`)
    else {
      await out.write(report.deleted.map((id) => `Deleted session ${id}.\n`).join(''))
      await err.write(report.failed.map(({ message }) => `drover: ${message}\n`).join(''))
    }
    return report.failed.length === 0 ? 0 : 1
  })
}

/** Resolves all ids first, so that a mistyped id deletes nothing. */
async function findAll(store: SessionStore, names: readonly string[]): Promise<Set<string>> {
  const ids = new Set<string>()
  for (const name of names) ids.add((await store.find(name)).id)
  return ids
}

async function deleteAll(store: SessionStore, ids: Iterable<string>): Promise<DeleteReport> {
  const report: DeleteReport = { deleted: [], failed: [] }
  for (const id of ids) {
    try {
      report.deleted.push(await store.delete(id))
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      report.failed.push({ id, error: error.code, message: error.message })
    }
  }
  return report
}
