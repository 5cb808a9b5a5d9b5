import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { SessionStatus } from '../../sessions/session-statuses.ts'
import type { SessionFilter } from '../../sessions/session-store.ts'
import type { Invocation } from '../command.ts'
import { flagsConflict, flagValueInvalid } from '../faults.ts'
import { parseTime } from '../words/parse-time.ts'

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
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined))
}

function readWorkdir({ flags, runtime }: Invocation): string | undefined {
  const given = flags.text('workdir')
  if (!flags.isOn('here')) return given === undefined ? undefined : toRealPath(resolve(runtime.cwd, given))
  if (given !== undefined) throw flagsConflict({ flags: ['--here', '--workdir'] })
  return toRealPath(runtime.cwd)
}

/** Sessions record their directory with links resolved. It may no longer exist. */
function toRealPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function readTime({ flags, runtime }: Invocation, name: 'since' | 'until'): string | undefined {
  const given = flags.text(name)
  if (given === undefined) return undefined
  const time = parseTime(given, runtime.clock.now())
  if (time !== undefined) return time
  const allowed = 'a date such as 2026-01-31, an RFC 3339 timestamp, or an age such as 90m, 12h, 7d, 2w'
  throw flagValueInvalid({ flag: `--${name}`, given, allowed })
}
