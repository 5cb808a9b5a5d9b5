import { writeIndentedJson } from '../../kit/json/write-json.ts'
import type { SessionPage } from '../../sessions/session.shape.ts'
import type { RunCommand } from '../command.ts'
import { toOneLine } from '../output/printable.ts'
import { formatHeadedTable, tableWidth } from '../output/text-table.ts'
import type { Channel } from '../terminal.ts'
import { withSessions } from './open-sessions.ts'
import { readFilter } from './session-filter.ts'
import { sessionRows } from './session-text.ts'

const DEFAULT_LIMIT = 20
const ALL = Number.MAX_SAFE_INTEGER

export const run: RunCommand = async (invocation) => {
  const { flags, runtime } = invocation
  const { out } = runtime.terminal
  const filter = readFilter(invocation)
  const limit = flags.integer('limit') ?? DEFAULT_LIMIT
  const page = { limit: limit === 0 ? ALL : limit, offset: flags.integer('offset') ?? 0 }
  return await withSessions(invocation, async ({ store }) => {
    const found = await store.list(filter, page)
    await out.write(flags.isOn('json') ? `${writeIndentedJson(found)}\n` : formatPage(found, out, runtime.clock.now()))
    return 0
  })
}

function formatPage({ sessions, total, offset }: SessionPage, out: Channel, now: Date): string {
  if (total === 0) return 'No sessions found.\n'
  if (sessions.length === 0) return `No sessions from number ${offset + 1} on; there are ${total}.\n`
  const more = offset + sessions.length < total ? '; --limit and --offset show others' : ''
  const range = offset === 0 ? sessions.length : `${offset + 1}-${offset + sessions.length}`
  const count = out.style('dim', toOneLine(`${range} of ${total}${more}`, tableWidth(out)))
  return `${[...formatHeadedTable(sessionRows(sessions, now), out), count].join('\n')}\n`
}
