import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { orUndefined } from '../../kit/fault.ts'
import { writeIndentedJson } from '../../kit/json/write-json.ts'
import { withoutUndefined } from '../../kit/json-value.ts'
import type { SessionPage } from '../../sessions/session.shape.ts'
import type { SessionStatus } from '../../sessions/session-statuses.ts'
import type { SessionFilter } from '../../sessions/session-store.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { flagsConflict, flagValueInvalid } from '../faults.ts'
import { toOneLine } from '../output/printable.ts'
import { formatHeadedTable, tableWidth } from '../output/text-table.ts'
import type { Channel } from '../terminal.ts'
import { parseTime } from '../words/parse-time.ts'
import { withSessions } from './open-sessions.ts'
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

/** Reads the filter from the flags. */
export function readFilter(invocation: Invocation): SessionFilter {
  const { flags } = invocation
  const asked = {
    backend: flags.text('backend'),
    status: flags.text('status') as SessionStatus | undefined,
    tag: flags.text('tag'),
    model: flags.text('model'),
    workdir: readWorkdir(invocation),
    isResumable: flags.isOn('resumable') || undefined,
    search: flags.text('search'),
    since: readTime(invocation, 'since'),
    until: readTime(invocation, 'until'),
  }
  return withoutUndefined(asked)
}

function readWorkdir({ flags, runtime }: Invocation): string | undefined {
  const given = flags.text('workdir')
  if (!flags.isOn('here')) return given === undefined ? undefined : toRealPath(resolve(runtime.cwd, given))
  if (given !== undefined) throw flagsConflict({ flags: ['--here', '--workdir'] })
  return toRealPath(runtime.cwd)
}

/** Sessions record their directory with links resolved. It may no longer exist. */
function toRealPath(path: string): string {
  return orUndefined(() => realpathSync(path)) ?? path
}

function readTime({ flags, runtime }: Invocation, name: 'since' | 'until'): string | undefined {
  const given = flags.text(name)
  if (given === undefined) return undefined
  const time = parseTime(given, runtime.clock.now())
  if (time !== undefined) return time
  const allowed = 'a date such as 2026-01-31, an RFC 3339 timestamp, or an age such as 90m, 12h, 7d, 2w'
  throw flagValueInvalid({ flag: `--${name}`, given, allowed })
}
